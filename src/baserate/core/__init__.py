"""The vocabulary that every task shares.

Tasks score different things: four counts, a table of several classes, a ranking, numbers. All
measures declare the same facts: which direction is better, and the range of scores.
"""
