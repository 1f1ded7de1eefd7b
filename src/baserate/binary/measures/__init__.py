"""The measures, each declared once with all its facts."""

from baserate.binary.measures.catalogue import MEASURES, get_measure
from baserate.binary.measures.f_score import fbeta
from baserate.binary.measures.record import Measure
from baserate.core.codomain import Codomain
from baserate.core.direction import Direction

__all__ = [
    "MEASURES",
    "Codomain",
    "Direction",
    "Measure",
    "fbeta",
    "get_measure",
]
