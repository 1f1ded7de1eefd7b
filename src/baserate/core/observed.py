"""What every kind of prediction observes, and how its rows are read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.core.multiple_testing import Limits, Tails


@dataclass(frozen=True)
class Words:
    """How a task speaks of its best guess and of chance.

    Parameters
    ----------
    best
        What the best guess is, for a reader who does not know it.
    shared_p
        Which test the p-value is, and which measures share it.
    remedy
        What to look for in a model that learned something and does not beat the best guess.
    suspect
        What to look for in a model that does worse than chance.
    """

    best: str
    shared_p: str
    remedy: str
    suspect: str = "swapped labels"


Points: TypeAlias = tuple[tuple[float, float], ...]
"""The corners of a line, from left to right."""


class Line(NamedTuple):
    """A line that predictions have which never look at their input.

    Parameters
    ----------
    points
        Its corners.
    label
        What has it, in a few words.
    area
        The area below it, or above it as for errors: the score that it stands for; nan if it
        stands for none.
    """

    points: Points
    label: str
    area: float


class Curve(NamedTuple):
    """A curve of one model, in a form that needs no arithmetic to be drawn.

    Parameters
    ----------
    name
        What the curve is called.
    measure
        The key of the measure that is an area: below it, or above it as for errors; empty if no
        area is a score.
    x, y
        What is on the axes.
    points
        The corners of the model's curve.
    area
        That area.
    chance
        What is expected of the best reference: what the model's curve is to be compared with.
    others
        Other lines of guesses.
    caption
        What the lines mean, in a sentence.
    x_ends
        From where to where the horizontal axis goes.
    y_end
        How far the vertical axis goes from 0; None for as far as the lines of all models.
    """

    name: str
    measure: str
    x: str
    y: str
    points: Points
    area: float
    chance: Line
    others: tuple[Line, ...] = ()
    caption: str = ""
    x_ends: tuple[float, float] = (0.0, 1.0)
    y_end: float | None = 1.0


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


T = TypeVar("T")


class TestSet(Protocol):
    """The truth that models are judged on, as far as a baseline needs it; hashable."""

    @property
    def total(self) -> int:
        """The number of observations."""

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """How often each value of the truth occurs."""

    @property
    def described(self) -> str:
        """The test set in a few words."""

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""

    @property
    def share(self) -> tuple[str, str]:
        """What a table of groups says of one in a single cell, after the title of that column."""


class Observed(Protocol):
    """What a model did on a test set, in counts; hashable."""

    @property
    def task(self) -> str:
        """The name of the task."""

    @property
    def test_set(self) -> TestSet:
        """The test set."""

    @property
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""

    @property
    def one_class(self) -> str:
        """What a model is called whose predictions are all the same; empty if they are not."""

    @property
    def grid(self) -> Grid | None:
        """The counts as a square table, if there are more than four of them."""

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, with labels as functions of scikit-learn take them."""

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""

    @property
    def flat(self) -> dict[str, int]:
        """A few numbers of observations, for the columns of a data frame."""

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Curves of the model that a report draws, if it has any."""

    @property
    def remark(self) -> str:
        """What a reader must know of how it was counted; empty if there is nothing."""


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


class Uncertainty(Protocol):
    """The confidence intervals of scores, over test sets like the one that was observed."""

    def score(self, measure: Any) -> Limits:
        """Return the limits of the score, nan if they are not known."""

    def margin(self, measure: Any, baseline: Any) -> Limits:
        """Return the limits of how much better it is than the baseline, nan if not known."""


class Joint(Protocol):
    """Two models on the same observations, in counts; hashable."""

    @property
    def task(self) -> str:
        """The name of the task."""

    @property
    def first(self) -> Observed:
        """What the first model did."""

    @property
    def second(self) -> Observed:
        """What the second model did."""

    @property
    def mirrored(self) -> Joint:
        """The same with the second model first."""

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""

    @property
    def flat(self) -> dict[str, int]:
        """A few numbers of observations, for the columns of a data frame."""


class SwapTest(NamedTuple):
    """The p-value of a difference between two models.

    Parameters
    ----------
    p_value
        The chance that swaps make scores differ at least as much; nan if a score is missing.
    method
        How it was found: "exact", "saddlepoint" or "permutations".
    floor
        The smallest p-value that is told apart from smaller ones; 0 if there is none.
    """

    p_value: float
    method: str = "exact"
    floor: float = 0.0

    @property
    def least(self) -> float:
        """The p-value, or 0 if it cannot be told from smaller ones."""
        return 0.0 if self.p_value <= self.floor else self.p_value

    @property
    def exact(self) -> bool:
        """Whether all swaps are counted."""
        return self.method == "exact" and not 0 < self.p_value <= self.floor


UNDEFINED = SwapTest(math.nan)
"""One of the models has no score."""
SAME = SwapTest(1.0)
"""No swap makes a difference."""


def pairs_of(models: Sequence[T], *, with_first: bool = False) -> list[tuple[T, T]]:
    """Return every pair of models, or each of the others with the first one.

    Examples
    --------
    >>> pairs_of(["naive", "tree", "knn"])
    [('naive', 'tree'), ('naive', 'knn'), ('tree', 'knn')]
    >>> pairs_of(["naive", "tree", "knn"], with_first=True)
    [('naive', 'tree'), ('naive', 'knn')]
    """
    return (
        [(models[0], other) for other in models[1:]] if with_first else [*combinations(models, 2)]
    )


def mirrored(joint: T, turned: T) -> T:
    """Return two models in the other order, which keeps what is known of each."""
    for name, other in (("first", "second"), ("second", "first")):
        if other in vars(joint):
            vars(turned)[name] = vars(joint)[other]
    return turned


class Paired(Protocol):
    """How much two models differ."""

    def limits(self, measure: Any) -> Limits:
        """Return the limits of the second score minus the first."""

    def swap_test(self, measure: Any) -> SwapTest:
        """Return the p-value of swapping the models row by row."""


class Weights(NamedTuple):
    """How much each row counts.

    Parameters
    ----------
    values
        A number per row, or the name of the column of them.
    kind
        Whether a weight says how often a row was seen (``"frequency"``), or how much it matters
        (``"importance"``).
    """

    values: Any
    kind: Literal["frequency", "importance"]


class Rows(NamedTuple):
    """How the rows of a call are read.

    Parameters
    ----------
    by
        The group of each row, or the name of the column of groups.
    pos_label
        The positive class, for tasks that have one.
    drop
        Whether rows with a missing label are left out.
    weights
        How much each row counts; None if all count alike.
    with_first
        Whether only the first model is paired with each of the others, as a reference is.
    measures
        The measures that are asked for, or their names: an engine sums what they need.
    clustered
        Whether rows belong together: then all numbers are read from an engine.
    """

    by: Any = None
    pos_label: object = None
    drop: bool = False
    weights: Weights | None = None
    with_first: bool = False
    measures: Any = None
    clustered: bool = False


class Observations(NamedTuple):
    """What every model did, on the whole test set and on each group; how many rows were dropped."""

    tables: Mapping[str, Mapping[Any, Any]]
    dropped: int


class JointObservations(NamedTuple):
    """Every pair of models, on the whole test set and on each group; the dropped rows."""

    pairs: Mapping[tuple[str, str], Mapping[Any, Any]]
    dropped: int
