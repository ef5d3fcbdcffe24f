"""The flows: rooms by subject, in the order of the data. In each, rules decide, stages gather and act."""
