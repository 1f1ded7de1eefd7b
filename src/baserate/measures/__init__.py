"""The measures, each declared once with all its facts."""

from baserate.measures.catalogue import MEASURES, get_measure
from baserate.measures.codomain import Codomain
from baserate.measures.f_score import fbeta
from baserate.measures.record import Direction, Measure

__all__ = [
    "MEASURES",
    "Codomain",
    "Direction",
    "Measure",
    "fbeta",
    "get_measure",
]
