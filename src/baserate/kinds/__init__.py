"""Kinds of prediction: how each is read, and what it answers."""
