"""Class scores: a row of numbers per observation, with a column per class."""
