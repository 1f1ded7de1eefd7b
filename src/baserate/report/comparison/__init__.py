"""Comparisons: differences between models, collected and written like reports."""

from baserate.report.comparison.collection import Comparison

__all__ = ["Comparison"]
