"""Two models on the same observations, which have weights."""
