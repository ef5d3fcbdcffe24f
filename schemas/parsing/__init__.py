"""From a table of texts to a table of a model.

Headers, excluded rows, filled cells, typed columns, problems, accepted and held rows.
"""
