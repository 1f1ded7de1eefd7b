"""Positives and negatives in the order of their scores.

What is scored is how many of each are in every block of equal scores; a prediction that never looks
at its input ranks at random.
"""
