"""Measures of predicted numbers."""
