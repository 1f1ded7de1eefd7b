"""Hostile calls of every public name, hostile commands; see `__main__`."""
