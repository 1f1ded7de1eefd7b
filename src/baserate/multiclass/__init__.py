"""Several classes: what is observed is a table of truths and predictions, a row per class."""
