"""Payee statements: one PDF per payee, typeset by Typst from one template."""
