"""Scores and best constants of numbers that stay in an engine, from sums and order statistics."""
