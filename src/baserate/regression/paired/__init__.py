"""Two models on the same numbers."""
