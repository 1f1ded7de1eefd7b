"""Count labels where the rows are: in a data frame, a database or a cluster.

One aggregation runs there, and only counts come back.
"""
