"""The distribution of a score when the predictions of a model are dealt at random."""
