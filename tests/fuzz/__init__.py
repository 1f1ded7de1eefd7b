"""Hostile calls of every public name, hostile files, hostile commands; see `__main__`."""
