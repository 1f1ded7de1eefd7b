"""Two models on the same rows: their joint table, and the law of swapping their answers."""
