"""The best and the worst draw, by the paper's formulas or by a search."""
