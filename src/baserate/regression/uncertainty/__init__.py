"""How sure a score of numbers and its margin are."""

from baserate.regression.uncertainty.limits import NumberUncertainty

__all__ = ["NumberUncertainty"]
