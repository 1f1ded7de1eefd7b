"""Null distributions: what a score would be if predictions were shuffled over the rows.

Nothing here knows a kind of prediction. With two classes, one hypergeometric count decides a score,
exactly. A score that is a monotone function of a sum over a random table with fixed margins is
counted while that is small, and otherwise approximated by one saddlepoint if no few cells decide
it; every other score is that of permutations.
"""
