"""Measures of how well scores rank positives above negatives."""
