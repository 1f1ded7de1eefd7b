"""Scores of two classes, as one task: rankings, probabilities, and labels at a threshold."""
