"""The tables Repasse works on: a pandera model each, and how files become them."""
