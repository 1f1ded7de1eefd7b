"""Scoring rules of probabilities, of two classes and of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import UNIT, Codomain, Direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# The most numbers that are scored at once.
_AT_ONCE = 2**20

REMEDY = (
    "the probabilities are miscalibrated; recalibrate them, for example with isotonic regression "
    "on other data"
)
"""What to do with a model that learned something and does not beat the base rate."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoringRule:
    """A proper scoring rule, with the names that two and several classes share.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, direction, codomain
        As of the measure of two classes.
    definition, of_base_rate
        The formula for two classes, and that of the base rate for everyone, in LaTeX.
    function
        scikit-learn's, if it has one.
    points
        The score of each row of probabilities for each class that may be true, given the smallest
        probability that is not clipped.
    perfect
        The score of certainty that is always right.
    skill
        The names of its skill score, scikit-learn's D²; None if it has none.
    codomain_of_several
        The values that it can take with more classes; those of two if this is None.
    lean
        Of two classes, the number for each probability of which the score is linear in the sum
        over the positives, and the slope; what a positive adds if this is None.
    """

    key: str
    name: str
    aliases: tuple[str, ...]
    meaning: str
    pitfall: str
    direction: Direction
    codomain: Codomain
    definition: str
    of_base_rate: str
    function: str | None = None
    points: Callable[[Floats, float], Floats] = field(repr=False)
    perfect: float
    skill: Skill | None = None
    codomain_of_several: Codomain | None = None
    lean: Callable[[Floats], tuple[Floats, float]] | None = None

    def free(self, shares: Floats) -> Floats:
        """Return the expected score of class shares for everyone, along the last axis."""
        rows = shares.reshape(-1, shares.shape[-1])
        points = self.points(rows, np.finfo(float).tiny)
        return np.asarray((rows * points).sum(axis=1).reshape(shares.shape[:-1]) + 0.0)

    def of_rows(self, rows: Floats, tiny: float) -> Floats:
        """Return what rows have for each class; many of them are read in parts."""
        found = np.empty(rows.shape)
        step = max(_AT_ONCE // rows.shape[1], 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            found[part] = self.points(rows[part].astype(float), tiny)
        return found

    def of_cells(self, rows: Floats, given: Ints, truth: Ints, tiny: float) -> Floats:
        """Return what rows have for the classes that are true, by the places of both."""
        found = np.empty(given.size)
        step = max(_AT_ONCE // rows.shape[1], 1)
        for start in range(0, given.size, step):
            part = slice(start, start + step)
            points = self.points(rows[given[part]].astype(float), tiny)
            found[part] = points[np.arange(len(points)), truth[part]]
        return found

    def of_two(self, values: Floats) -> tuple[Floats, Floats]:
        """Return what a positive and a negative have with each probability of being positive."""
        exact = values.astype(float)
        found = self.points(np.stack([1 - exact, exact], axis=1), smallest(values.dtype))
        return found[:, 1], found[:, 0]

    @property
    def skill_definition(self) -> str:
        """The formula of its skill score, in LaTeX."""
        return rf"1 - \frac{{{self.definition}}}{{{self.of_base_rate}}}"


@dataclass(frozen=True, kw_only=True)
class Skill:
    """The names of a skill score: 1 minus the loss, divided by that of the class shares."""

    key: str
    name: str
    aliases: tuple[str, ...]
    function: str


def smallest(kind: np.dtype[Any]) -> float:
    """Return the probability at which scikit-learn clips logarithms: the precision of a dtype."""
    return float(np.finfo(kind if kind.kind == "f" else float).eps)


def squared_distances(rows: Floats, _: float = 0.0) -> Floats:
    """Return the Brier score of each row for each class: halved for two classes.

    This is scikit-learn's: the squared difference of the positive class for two, the sum over all
    classes for more.
    """
    squares = rows**2
    others = np.maximum(squares.sum(axis=1, keepdims=True) - squares, 0.0)
    if rows.shape[1] == 2:
        others = squares[:, ::-1]
    distances = others + (1 - rows) ** 2
    return np.asarray(distances / 2 if rows.shape[1] < 3 else distances)


def surprises(rows: Floats, tiny: float = smallest(np.dtype(float))) -> Floats:
    """Return minus the logarithm of each probability, which is clipped as scikit-learn clips it."""
    return np.asarray(-np.log(np.clip(rows, tiny, 1 - tiny)))


def cosines(rows: Floats, _: float = 0.0) -> Floats:
    """Return each probability, divided by the length of its row."""
    return np.asarray(rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)))


BRIER = ScoringRule(
    key="Brier",
    name="Brier Score",
    aliases=("brier_score", "brier_score_loss", "brier_loss", "neg_brier_score"),
    meaning="The mean squared difference between the probabilities and what happened.",
    pitfall=(
        "A small value looks good if one class is rare, whatever the model: the base rate for "
        "everyone is small then, too."
    ),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{M} \sum_i (y_i - p_i)^2",
    of_base_rate=r"\pi (1 - \pi)",
    function="brier_score_loss",
    points=squared_distances,
    perfect=0.0,
    skill=Skill(
        key="D2 Brier",
        name="Brier Skill Score",
        aliases=("d2_brier_score", "d2_brier", "BSS"),
        function="d2_brier_score",
    ),
    # Halved for two classes; the squared distance between two corners is 2.
    codomain_of_several=Codomain(0, 2),
    # Multiples of 0.01 stay what they are, so that equal sums are seen to be equal.
    lean=lambda values: (values.astype(float), -2.0),
)
LOG_LOSS = ScoringRule(
    key="log loss",
    name="Logarithmic Loss",
    aliases=(
        "log_loss",
        "neg_log_loss",
        "cross entropy",
        "logistic loss",
        "binary_cross_entropy",
        "BCE",
    ),
    meaning="The mean of minus the logarithm of the probability that the true class was given.",
    pitfall=(
        "One confident mistake may cost more than all else: a probability of 0 for what happened "
        "counts as one of about 2e-16, which is a loss of 36."
    ),
    direction=Direction.MINIMIZE,
    codomain=Codomain(0, np.inf),
    definition=r"-\frac{1}{M} \sum_i \left( y_i \log p_i + (1 - y_i) \log (1 - p_i) \right)",
    of_base_rate=r"-\pi \log \pi - (1 - \pi) \log (1 - \pi)",
    function="log_loss",
    points=surprises,
    perfect=0.0,
    skill=Skill(
        key="D2 log loss",
        name="Log Loss Skill Score",
        aliases=("d2_log_loss_score", "d2_log_loss", "McFadden's pseudo R2"),
        function="d2_log_loss_score",
    ),
)
SPHERICAL = ScoringRule(
    key="spherical",
    name="Spherical Score",
    aliases=("spherical_score",),
    meaning=(
        "The mean probability that the true class was given, each divided by the length of its "
        "row: a proper score from 0 to 1."
    ),
    pitfall="Even the base rate for everyone has at least 0.7 for two classes.",
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{M} \sum_i "
    r"\frac{y_i p_i + (1 - y_i)(1 - p_i)}{\sqrt{p_i^2 + (1 - p_i)^2}}",
    of_base_rate=r"\sqrt{\pi^2 + (1 - \pi)^2}",
    points=cosines,
    perfect=1.0,
)
RULES = (BRIER, LOG_LOSS, SPHERICAL)
