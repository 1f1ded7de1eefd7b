"""Scores of numbers as functions of means."""
