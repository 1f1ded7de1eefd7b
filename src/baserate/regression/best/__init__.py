"""The best constant for each loss, with all others that are as good."""
