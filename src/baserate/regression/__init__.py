"""Numbers: what an error is worth, beside the best constant."""
