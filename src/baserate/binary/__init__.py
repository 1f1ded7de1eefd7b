"""Two classes: the paper's task.

A test set is a `BaseRate`, what a model did a `Confusion`, and a prediction that never looks at its
input a `DutchDraw`. Within the room: `measures`, then the `law` of their scores under a draw, then
the `optimum` over all draws.
"""
