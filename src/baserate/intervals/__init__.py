"""How sure a number is: one bootstrap for every measure of every kind of prediction."""
