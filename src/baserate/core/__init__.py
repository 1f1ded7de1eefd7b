"""The words that every task shares.

What is scored differs: four counts, a table of several classes, a ranking, numbers. What a measure
declares, which way it is better and where it may lie does not.
"""
