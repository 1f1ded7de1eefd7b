"""Helpers that any library needs: argument checks, plain data as text, progress.

Nothing here depends on a measure or a test set.
"""
