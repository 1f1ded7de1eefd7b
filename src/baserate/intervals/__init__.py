"""Confidence intervals: one bootstrap for every measure of every kind of prediction."""
