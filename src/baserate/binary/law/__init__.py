"""The distribution of a score under a draw.

Given the test set and the size of the draw, every measure is a function of one hypergeometric
count, the true positives.
"""
