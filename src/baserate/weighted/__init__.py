"""Labels of two classes with importance weights: some observations matter more than others.

A draw still chooses observations, all with the same chance, and a score is that of the weighted
counts. So the draws of a size have two random numbers, the weights of the true and of the false
positives, in place of one.
"""
