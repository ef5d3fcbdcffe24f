"""Everything that touches the world; each library has one home here."""
