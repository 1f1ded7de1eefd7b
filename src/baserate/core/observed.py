"""What every kind of prediction observes, and how its rows are read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.core.multiple_testing import Tails


@dataclass(frozen=True)
class Words:
    """How a task speaks of its best guess and of chance."""

    best: str  # what the best guess is, for a reader who does not know it
    shared_p: str  # which test the p-value is, and which measures share it
    # What to look for in a model that learned something and does not beat the best guess, and in
    # one that does worse than chance.
    remedy: str
    suspect: str = "swapped labels"


Points: TypeAlias = tuple[tuple[float, float], ...]
"""The corners of a line, from left to right."""


class Line(NamedTuple):
    """A line that predictions have which never look at their input."""

    points: Points
    label: str  # what has it, in a few words
    area: float  # below it, or above it as for errors: a score; nan if it stands for none


class Curve(NamedTuple):
    """A curve of one model, in a form that needs no arithmetic to be drawn."""

    name: str
    measure: str  # the key of the measure that is an area below or above it; empty if none is
    x: str  # what is on the axes
    y: str
    points: Points
    area: float
    chance: Line  # of the best guess: what the model's curve is to be compared with
    others: tuple[Line, ...] = ()  # of other guesses
    caption: str = ""  # what the lines mean, in a sentence
    x_ends: tuple[float, float] = (0.0, 1.0)
    y_end: float | None = 1.0  # None for as far as the lines of all models go


def rounded_up(value: float) -> float:
    """Return a round number that is at least as large, for the end of an axis.

    Examples
    --------
    >>> rounded_up(786.473), rounded_up(0.34), rounded_up(2)
    (800.0, 0.4, 2.0)
    """
    if not 1e-290 < value < 1e290:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    found = (float(f"{step * power:.12g}") for step in (1, 2, 3, 4, 5, 6, 8, 10, 20))
    return next(each for each in found if each >= value)


class TestSet(Protocol):
    """The truth that models are judged on, as far as a baseline needs it; hashable."""

    total: int
    class_sizes: tuple[int, ...]  # how often each value of the truth occurs
    described: str  # in a few words
    facts: dict[str, Any]  # all counts, for JSON
    share: tuple[str, str]  # the title of a column of a table of groups, and what it says


class Observed(Protocol):
    """What a model did on a test set, in counts; hashable."""

    task: str  # the name of the task
    test_set: TestSet
    words: Words
    one_class: str  # what a model is called whose predictions are all the same; or empty
    grid: Grid | None  # the counts as a square table, if there are more than four of them
    cells: Cells  # the counts that are not 0, with labels as functions of scikit-learn take them
    facts: dict[str, Any]  # all counts, for JSON
    flat: dict[str, int]  # a few numbers of observations, for the columns of a data frame
    curves: tuple[Curve, ...]  # what a report draws, if there is anything
    remark: str  # what a reader must know of how it was counted; or empty


class Joint(Protocol):
    """Two models on the same observations, in counts; hashable."""

    task: str
    first: Observed
    second: Observed
    mirrored: Joint  # the same with the second model first
    disagreements: int  # on how many observations they differ
    facts: dict[str, Any]
    flat: dict[str, int]


class NothingMore:
    """What there is to say of counts that speak for themselves: no curves and remarks."""

    @property
    def curves(self) -> tuple[Curve, ...]:
        """None: there are no scores to sweep a threshold over."""
        return ()

    @property
    def remark(self) -> str:
        """Nothing."""
        return ""


class Cells(NamedTuple):
    """How often each true label meets each predicted one."""

    truth: Sequence[float]
    predicted: Sequence[float]
    counts: Sequence[int]


class Grid(NamedTuple):
    """A square table of counts: a row per true class, a column per predicted one."""

    labels: tuple[str, ...]
    counts: Sequence[Sequence[int]]


class Null(Protocol):
    """What a model's own predictions score when they are shuffled."""

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad, nan if it is not known."""

    def null_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores chance stays, nan if it is not known."""

    def is_exact(self, measure: Any) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""


class Weights(NamedTuple):
    """How much each row counts: how often it was seen, or how much it matters."""

    values: Any  # a number per row, or the name of the column of them
    kind: Literal["frequency", "importance"]


class Rows(NamedTuple):
    """How the rows of a call are read."""

    by: Any = None  # the group of each row, or the name of the column of groups
    pos_label: object = None
    drop: bool = False  # whether rows with a missing label are left out
    weights: Weights | None = None
    with_first: bool = False  # whether the first model alone is paired with each of the others
    measures: Any = None  # those that are asked for: an engine sums what they need
    clustered: bool = False  # whether rows belong together: an engine then hands over all numbers


class Observations(NamedTuple):
    """What every model did, on the whole test set and on each group; how many rows were dropped."""

    tables: Mapping[str, Mapping[Any, Any]]
    dropped: int


class JointObservations(NamedTuple):
    """Every pair of models, on the whole test set and on each group; the dropped rows."""

    pairs: Mapping[tuple[str, str], Mapping[Any, Any]]
    dropped: int
