"""Two models on the same observations, of several classes."""
