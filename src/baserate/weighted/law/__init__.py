"""The law of a weighted score when positive predictions are dealt at random."""
