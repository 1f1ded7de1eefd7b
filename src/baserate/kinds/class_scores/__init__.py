"""Class scores: a column per class."""
