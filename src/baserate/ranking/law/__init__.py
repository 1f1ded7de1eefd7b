"""The probability that a random ranking does as well: by counting, or by a saddlepoint."""
