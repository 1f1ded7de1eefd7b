"""Scores of two classes."""
