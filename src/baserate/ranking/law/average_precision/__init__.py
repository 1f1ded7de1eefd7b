"""The law of average precision when a deck of scores is dealt at random.

P times average precision is Σ x_b K_b / T_b over the blocks of equal scores, from the highest:
a block has x_b positives, and K_b positives among T_b observations have at least its score.
"""
