"""What the predictions of a model score when they are dealt at random."""
