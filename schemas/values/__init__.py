"""One value at a time, and whole columns of them: money, tax ids, Pix keys, accounts, names."""
