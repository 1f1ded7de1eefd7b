"""Could two models be swapped? The p-value of a difference between their scores."""
