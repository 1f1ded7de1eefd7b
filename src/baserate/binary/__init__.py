"""Two classes: the paper's task.

A test set is a `BaseRate`, a model's result a `Confusion`, and a prediction that ignores its input
a `DutchDraw`. Inside: the `measures`, the `law` of their scores under a draw, and the `optimum`
over all draws.
"""
