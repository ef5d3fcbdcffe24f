"""Whatever happens in whatever order: no obligation is live twice, and no state is reached that the table forbids."""



