"""Rankings: positives and negatives in the order of their scores.

The data are the numbers of positives and negatives in each block of equal scores. A prediction
that ignores its input ranks at random.
"""
