"""Measures of how good probabilities of two classes are."""
