"""What every kind of prediction observes, and how its rows are read."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    cast,
)

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.multiple_testing import Tails

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


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
    """Return a round number that is at least as large, for the end of an axis."""
    if not 1e-290 < value < 1e290:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    found = (float(f"{step * power:.12g}") for step in (1, 2, 3, 4, 5, 6, 8, 10, 20))
    return next(each for each in found if each >= value)


class TestSet(Protocol):
    """The truth that models are judged on, as far as a baseline needs it; hashable."""

    @property
    def total(self) -> int: ...  # the number of observations
    @property
    def class_sizes(self) -> tuple[int, ...]: ...  # how often each value of the truth occurs
    @property
    def described(self) -> str: ...  # in a few words
    @property
    def facts(self) -> dict[str, Any]: ...  # all counts, for JSON
    @property
    def share(self) -> tuple[str, str]: ...  # the title and the cell of a table of groups


class ByValue:
    """Records with arrays, which are equal if all their numbers are; hashable by some of them."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = (_values(each) for each in (self, other))
        return self is other or all(map(_is_same, mine, theirs))

    def __hash__(self) -> int:
        return self._hashed

    @cached_property
    def _hashed(self) -> int:
        return hash(tuple(map(_some, _values(self))))

    def __getstate__(self) -> dict[str, Any]:
        # Another process hashes otherwise.
        return {name: each for name, each in vars(self).items() if name != "_hashed"}

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        names = [each.name for each in fields(cast("Any", self))]
        found = zip(names, _values(self), strict=True)
        return {name: each.tolist() for name, each in found if each is not None}


def _values(record: Any) -> list[Any]:
    return [getattr(record, each.name) for each in fields(record)]


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)


def _some(value: Any) -> Any:
    """Return what can be hashed, quickly: two large test sets hardly share so many numbers."""
    if not isinstance(value, np.ndarray):
        return value
    some = value.ravel()[:: max(value.size // 4_096, 1)]
    return value.shape, (some + 0).tobytes()  # -0.0 is 0.0


class Observed(ByValue):
    """What a model did on a test set, in counts; hashable."""

    if TYPE_CHECKING:  # what every kind has, as a field or as a property

        @property
        def task(self) -> str: ...  # its name
        @property
        def test_set(self) -> TestSet: ...
        @property
        def words(self) -> Words: ...
        @property
        def one_class(self) -> str: ...  # what is said if all predictions are the same, or empty
        @property
        def cells(self) -> Cells: ...
        @property
        def flat(self) -> dict[str, int]: ...  # a few numbers, for the columns of a data frame

    @property
    def grid(self) -> Grid | None:
        """The counts as a square table, if there are more than four of them."""
        return None

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Curves of the model that a report draws, if it has any."""
        return ()

    @property
    def remark(self) -> str:
        """What a reader must know of how it was counted; empty if there is nothing."""
        return ""


def count_places(places: NDArray[Any], counts: Ints | None, size: int = 0) -> Ints:
    """Return how often each place occurs, of which there are at least so many.

    The counts say how often each row was seen, if not once. Those that are floats are weights, and
    so are their sums.
    """
    found = np.bincount(places, counts, size)
    # Floats are exact: there are at most 10^15 rows.
    is_weight = counts is not None and counts.dtype.kind == "f"
    return found if is_weight else found.astype(np.int64, copy=False)


class Cells(NamedTuple):
    """How often each true label meets each predicted one, as scikit-learn takes labels."""

    truth: Sequence[float]
    predicted: Sequence[float]
    counts: Sequence[int]


class Grid(NamedTuple):
    """A square table of counts: a row per true class, a column per predicted one."""

    labels: tuple[str, ...]
    counts: Sequence[Sequence[int]]


class Joint(ByValue):
    """Two models on the same observations, in counts; hashable."""

    twins: ClassVar[tuple[str, str]]  # the fields of what each of them predicts

    if TYPE_CHECKING:

        @property
        def first(self) -> Observed: ...
        @property
        def second(self) -> Observed: ...
        @property
        def disagreements(self) -> int: ...  # on how many observations they differ

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.first.task

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.first.test_set.total

    @property
    def mirrored(self) -> Self:
        """The same with the second model first, which keeps what is known of each."""
        turned = self.swapped()
        for name, twin in (("first", "second"), ("second", "first")):
            if twin in vars(self):
                vars(turned)[name] = vars(self)[twin]
        return turned

    def swapped(self) -> Self:
        """Return the same with what the models predict the other way round."""
        one, other = self.twins
        fields: Any = {one: getattr(self, other), other: getattr(self, one)}
        found: Self = replace(cast("Any", self), **fields)
        return found

    @property
    def flat(self) -> dict[str, int]:
        """A few numbers of observations, for the columns of a data frame."""
        return {"observations": self.total, "disagreements": self.disagreements}


class SwapTest(NamedTuple):
    """The p-value of a difference between two models."""

    # The chance that swaps make scores differ at least as much; nan if a score is missing.
    p_value: float
    method: str = "exact"  # or "saddlepoint" or "permutations"
    floor: float = 0.0  # the smallest p-value that is told apart from smaller ones, if any

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
    pairs: Literal["all", "with first"] | None = None  # which models are compared; None: judged
    measures: Any = None  # those that are asked for: an engine sums what they need
    clustered: bool = False  # whether rows belong together: an engine then hands over all numbers

    @property
    def aligned(self) -> dict[str, Any]:
        """The columns beside labels and predictions, by the names that errors use."""
        weights = None if self.weights is None else self.weights.values
        return {"by": self.by, "sample_weight": weights}

    def keys(self, models: Iterable[str]) -> list[tuple[str, ...]]:
        """Return the models that are taken together: one, or two that are compared."""
        first, *others = names = list(models)
        if self.pairs is None:
            return [(name,) for name in names]
        return [*combinations(names, 2)] if self.pairs == "all" else [(first, o) for o in others]


class Observations(NamedTuple):
    """What every model or pair of models did, on the whole test set and on each group."""

    tables: Mapping[Any, Mapping[Any, Any]]  # by the name of a model, or the names of two
    dropped: int  # how many rows were left out

    @classmethod
    def of(cls, found: Mapping[tuple[str, ...], Any], dropped: int) -> Self:
        """Return what was found of some keys."""
        return cls({key if key[1:] else key[0]: each for key, each in found.items()}, dropped)


# Rows that belong together: several of one patient, user, document or passage. They resemble each
# other, so a test set shows less than its rows would alone. What is drawn, swapped or tested is
# then a whole cluster.

FEWEST = 3
"""With fewer clusters, nothing can be said of how much others differ."""
FEW = 15
"""With fewer, little can be shown: limits of Student's t are wide, and few clusters decide."""


class Clustered(NamedTuple):
    """What was observed of all rows, and of each cluster of them."""

    whole: Any
    clusters: Sequence[Any]

    @property
    def task(self) -> str:
        """The name of the task."""
        name: str = self.whole.task
        return name


def cells_of(clusters: Sequence[Any], names: Sequence[str]) -> tuple[list[NDArray[Any]], Ints]:
    """Return columns of the cells of all clusters, one after the other, and whose they are."""
    columns = [[getattr(each, name) for each in clusters] for name in names]
    sizes = [each.size for each in columns[0]]
    return list(map(np.concatenate, columns)), np.repeat(np.arange(len(sizes)), sizes)


def by_cluster(
    whole: Any, clusters: Sequence[Any], names: Sequence[str]
) -> tuple[list[NDArray[Any]], Ints | None]:
    """Return columns of the cells of all rows; if there are clusters, of these and whose."""
    return cells_of(clusters, names) if clusters else ([getattr(whole, n) for n in names], None)


def summed(codes: Ints, rows: NDArray[Any], columns: Any) -> tuple[Any, Floats]:
    """Return the sums of clusters, and how many rows they have.

    Codes say whose each cell is, and columns what a row of it adds; None if the sums are the cells.
    """
    from scipy.sparse import csr_array

    held = csr_array((np.asarray(rows, dtype=float), (codes, np.arange(codes.size))))
    return held if columns is None else held @ columns, np.asarray(held.sum(axis=1)).ravel()


def score_test(contributions: Floats) -> Tails:
    """Return the p-values of no association between truths and predictions, in both directions.

    The association is a sum over clusters, whose expectation is 0 where predictions say nothing.
    It is divided by the root of the sum of squares, which are not centred again on the estimate
    (that keeps the level with few clusters), and is Student's t with one degree of freedom less
    than there are clusters.

    Examples
    --------
    >>> better, worse, _ = score_test(np.array([1.0, 2, 0.5, 1.5, -0.2]))
    >>> round(better, 4), round(worse, 4)
    (0.0965, 0.9035)
    """
    from scipy.special import stdtr

    number = contributions.size
    largest = float(np.abs(contributions).max(initial=0.0))
    if number < FEWEST or largest <= COMPUTATION:
        return Tails(1.0, 1.0)
    shares = np.sort(contributions / largest)
    t = shares.sum() / math.sqrt(number / (number - 1) * (shares @ shares))
    return Tails(float(stdtr(number - 1, -t)), float(stdtr(number - 1, t)))
