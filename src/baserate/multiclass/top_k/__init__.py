"""Top-k accuracy: a model names k classes, and is right if the true one is among them."""
