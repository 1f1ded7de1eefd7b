"""Probabilities of several classes: a row of them per observation, which sums to 1."""
