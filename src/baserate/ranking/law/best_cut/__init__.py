"""The distribution of the best score over all cut-offs, when scores are dealt at random."""
