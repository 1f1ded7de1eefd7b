"""Probabilities: how good a forecast is, beside the base rate for everyone."""
