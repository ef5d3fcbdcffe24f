"""Values and whole columns of them: money, tax ids, Pix keys, bank accounts, names."""
