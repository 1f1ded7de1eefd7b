"""The chance that a random ranking does as well: counted where that can be, else a saddlepoint."""
