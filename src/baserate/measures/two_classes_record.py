"""What is declared of a measure of two classes."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from baserate.core.measure import UNIT, Codomain, Direction, Formula, Measure, called
from baserate.exceptions import (
    NoBaselineError,
    UndefinedMeasureError,
)
from baserate.observed.labels import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.core.measure import Number
    from baserate.observed.labels import BaseRate
    from baserate.observed.theta import Counts


CELLS = ("tp", "fp", "fn", "tn")


class Margins(NamedTuple):
    """The counts that a draw fixes: P, N, P̂ and N̂. Only TP is random.

    A `ConfusionMatrix` has the same attributes, so a formula accepts either.
    """

    positives: Number
    negatives: Number
    predicted_positives: Number
    predicted_negatives: Number

    @classmethod
    def of(cls, base_rate: BaseRate, predicted_positives: Number) -> Margins:
        """Return the margins of a test set with this many positive predictions."""
        return cls(
            base_rate.positives,
            base_rate.negatives,
            predicted_positives,
            base_rate.total - predicted_positives,
        )

    @property
    def total(self) -> Number:
        """The number of observations, M = P + N."""
        return self.positives + self.negatives


@dataclass(frozen=True)
class Ratio(Formula):
    """A formula whose function returns a numerator and a denominator."""

    def __call__(self, *counts: Number) -> Number:
        """Compute the ratio."""
        above, below = self.function(*counts)
        return above / below

    def level(self, score: Number, *counts: Number) -> Number:
        """Return a polynomial of a score and the counts with the sign of the ratio minus it."""
        above, below = self.function(*counts)
        return above - score * below


@dataclass(frozen=True)
class Requirement:
    """A denominator that must not be zero.

    It checks tables and draws, prints itself, and lists small tables that violate it, for tests and
    pages.
    """

    text: str
    counts: tuple[str, ...]
    denominator: Callable[[Any], Number] = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def holds(self, margins: Margins | ConfusionMatrix) -> bool:
        """Return whether the denominator is not zero."""
        return bool(self.denominator(margins) != 0)

    def evidence(self, margins: Margins | ConfusionMatrix) -> str:
        """Return the deciding counts, for an error message."""
        return ", ".join(f"{count} = {getattr(margins, count)}" for count in self.counts)

    def violations(self) -> Iterator[ConfusionMatrix]:
        """Yield every small table that violates the requirement."""
        for tp, fp, fn, tn in product(range(3), repeat=4):
            table = ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)
            if table.total > 0 and not self.holds(table):
                yield table


# M > 0 always, says the caption of Table 2.
SOME_OBSERVATIONS = Requirement("M > 0", ("total",), lambda m: m.total)
SOME_POSITIVES = Requirement("P > 0", ("positives",), lambda m: m.positives)
SOME_NEGATIVES = Requirement("N > 0", ("negatives",), lambda m: m.negatives)
SOME_PREDICTED_POSITIVES = Requirement(
    "P̂ > 0", ("predicted_positives",), lambda m: m.predicted_positives
)
SOME_PREDICTED_NEGATIVES = Requirement(
    "N̂ > 0", ("predicted_negatives",), lambda m: m.predicted_negatives
)
# Table 2 requires nothing for κ, its appendix only P < M or N̂ > 0; P = P̂ = 0 is also 0/0.
CHANCE_CAN_ERR = Requirement(
    "P·N̂ + N·P̂ > 0",
    ("positives", "negatives", "predicted_positives", "predicted_negatives"),
    lambda m: m.positives * m.predicted_negatives + m.negatives * m.predicted_positives,
)
# A requirement on the table itself, which no choice of draw can meet: see PT's no_baseline.
RATES_DIFFER = Requirement(
    "TPR ≠ FPR",
    ("tp", "fp", "fn", "tn"),
    lambda table: table.tp * table.tn - table.fp * table.fn,
)


@dataclass(frozen=True)
class Extreme:
    """A maximum or minimum of Table 4: its value, and by which of the allowed draws it is attained.

    Both are functions of the test set.
    """

    value: Formula
    place: Formula


def _single(count: int) -> Counts:
    return (range(count, count + 1),)


def _ends(total: int) -> Counts:
    return (range(1), range(total, total + 1))


EVERYWHERE = Formula(r"\Theta^*", lambda _, allowed: (allowed,))
ALL_POSITIVE = Formula(r"\{1\}", lambda rate, _: _single(rate.total))
ALL_NEGATIVE = Formula(r"\{0\}", lambda _, __: _single(0))
ONE_POSITIVE = Formula(r"\{\frac{1}{M}\}", lambda _, __: _single(1))
EITHER_END = Formula(r"\{0, 1\}", lambda rate, _: _ends(rate.total))
# Table 4 swaps these two brackets; appendix A.16 has them right.
MAJORITY_CLASS = Formula(
    r"\{[P > \frac{M}{2}]\}",
    lambda rate, _: _single(rate.total if rate.positives > rate.negatives else 0),
)
MINORITY_CLASS = Formula(
    r"\{[P < \frac{M}{2}]\}",
    lambda rate, _: _single(rate.total if rate.positives < rate.negatives else 0),
)
# Table 4 omits the case P = 1, which appendix A.23 derives.
ALL_POSITIVE_OR_ANY_IF_ALONE = Formula(
    r"\{1\},\ \Theta^* \setminus \{0\} \text{ if } P = 1",
    lambda rate, _: (range(1, rate.total + 1),) if rate.positives == 1 else _single(rate.total),
)

ALWAYS = Formula(r"\text{always}", lambda _: True)
NEVER = Formula(r"\text{never}", lambda _: False)
NO_POSITIVES = Formula("P = 0", lambda rate: rate.positives == 0)
NO_NEGATIVES = Formula("P = M", lambda rate: rate.negatives == 0)
BALANCED = Formula(r"P = \frac{M}{2}", lambda rate: rate.positives == rate.negatives)


@dataclass(frozen=True, kw_only=True)
class UnderDraw:
    """The facts of a measure under a draw; what is left out is computed or searched."""

    # a and b of X(a, b) = a·TP + b, and the expectation, from the margins (Table 3).
    slope: Formula | None = None
    intercept: Formula | None = None
    expectation: Formula | None = None
    # The extremes of the expectation (Table 4), and when every allowed draw attains both.
    maximum: Extreme | None = None
    minimum: Extreme | None = None
    constant: Formula = NEVER
    # What one more positive prediction is expected to add, up to a positive factor and without
    # cancellation, where the expectation is concave in P̂: its change of sign is the maximum.
    gain: Formula | None = None
    # The shape of the expectation as a function of P̂, if it is known.
    shape: Literal["concave", "convex"] | None = None


@dataclass(frozen=True)
class Proportion:
    """The cells that are hits and misses, where a score is a function of their proportion."""

    hits: tuple[str, ...]
    misses: tuple[str, ...]

    def counted(self, table: ConfusionMatrix) -> tuple[int, int]:
        """Return how many hits and misses a table has."""
        return (
            sum(getattr(table, cell) for cell in self.hits),
            sum(getattr(table, cell) for cell in self.misses),
        )

    def cells(self, proportion: float, total: int) -> tuple[float, float, float, float]:
        """Return (tp, fp, fn, tn) of a table that has no other cells, with this proportion."""
        share = {self.hits[0]: proportion * total, self.misses[0]: (1 - proportion) * total}
        return tuple(share.get(cell, 0.0) for cell in CELLS)  # type: ignore[return-value]


# Two unremarkable tables, which meet every requirement of every measure.
_PROBES = ((3, 2, 1, 4), (5, 1, 2, 7))
# numpy's kinds of real numbers. Strings and complex numbers convert to floats, but are not scores.
_NUMBERS = "biuf"


@dataclass(frozen=True)
class UserFunction:
    """A function of four counts, called with numbers, or with arrays if it accepts them."""

    key: str
    function: Callable[..., Any]
    vectorised: bool = False

    @classmethod
    def probed(cls, key: str, function: Callable[..., Any]) -> UserFunction:
        """Try the function on two tables, separately and together."""
        scalar = cls(key, function)
        one_by_one = np.array([scalar(*probe) for probe in _PROBES])
        return cls(key, function, vectorised=_agrees(function, one_by_one))

    def __call__(self, *counts: Number) -> Number:
        """Score one table or arrays of tables; nan where the function divides by zero."""
        with np.errstate(all="ignore"):
            if not isinstance(counts[0], np.ndarray):
                return called(self.key, self.function, *counts, given=_named)
            found = _of_arrays(self.function, counts) if self.vectorised else None
            if found is not None:
                return found
            columns = [_whole(column).ravel().tolist() for column in counts]
            tables = zip(*columns, strict=True)
            scores = [called(self.key, self.function, *each, given=_named) for each in tables]
        return np.array(scores, dtype=float).reshape(counts[0].shape)


def _named(*counts: object) -> str:
    return ", ".join(f"{name}={count}" for name, count in zip(CELLS, counts, strict=True))


def _whole(column: NDArray[Any]) -> NDArray[Any]:
    """Return counts as integers, for functions that index or enumerate with them."""
    is_whole = np.abs(column).max(initial=0) < 2**63 and (column == np.floor(column)).all()
    return column.astype(np.int64) if is_whole else column


def _of_arrays(
    function: Callable[..., Any], counts: Sequence[NDArray[Any]]
) -> NDArray[np.float64] | None:
    """Return what a function of arrays returns; None if that is not a number for each table."""
    try:
        values = np.asarray(function(*counts))
    except Exception:  # whatever the error, tables are scored one by one
        return None
    is_alike = values.shape == counts[0].shape and values.dtype.kind in _NUMBERS
    return values.astype(float) if is_alike else None


def _agrees(function: Callable[..., Any], expected: NDArray[np.float64]) -> bool:
    """Return whether the function accepts arrays, and gives the same scores for them."""
    columns = [np.array(column, dtype=float) for column in zip(*_PROBES, strict=True)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        values = _of_arrays(function, columns)
    return values is not None and np.allclose(values, expected, rtol=1e-9, atol=0, equal_nan=True)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TwoClassMeasure(Measure[ConfusionMatrix]):
    """One evaluation measure and all its facts, in the paper's order."""

    takes = (ConfusionMatrix,)
    counted_by = "ConfusionMatrix.of(y_true, y_pred)"

    direction: Direction = Direction.MAXIMIZE
    codomain: Codomain = UNIT
    # The section of the paper's appendix that derives it.
    section: str = ""
    # The score from the four counts (Table 1), and what it needs (Table 2).
    definition: Formula
    requirements: tuple[Requirement, ...] = ()
    draw: UnderDraw = UnderDraw()
    # The hits and the misses, if they decide the score: then its interval is exact.
    proportion: Proportion | None = None
    # A polynomial of a score s and the counts with the sign of the measure minus s, at most
    # quadratic in s and along mixtures of a draw and an oracle: the Dutch Scaler's closed form.
    level: Callable[..., Any] | None = None
    # Whether it is smooth in the counts, so that an expectation is an integral.
    smooth: bool = True
    # Whether one more true positive never makes it worse: such measures share one p-value.
    monotone: bool = True
    # Whether it may lack a value where its requirements hold, or between two counts.
    may_be_undefined: bool = False
    # Why it has no baseline, if so.
    no_baseline: str | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return isinstance(self.definition.function, UserFunction)

    def score_or_reason(self, table: ConfusionMatrix) -> tuple[float, str]:
        """Return the score of a table, or nan and the reason it has none."""
        failing = self.failing_requirement(table)
        if failing is not None:
            return math.nan, f"it needs {failing} (got {failing.evidence(table)})"
        score = float(self.definition(table.tp, table.fp, table.fn, table.tn))
        if not math.isfinite(score):
            return math.nan, f"its function has no value at {table}"
        return score, ""

    def scores(
        self, tp: NDArray[Any], fp: NDArray[Any], fn: NDArray[Any], tn: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Score arrays of tables that meet the requirements; an undefined score is not finite."""
        with np.errstate(all="ignore"):
            return np.asarray(self.definition(tp, fp, fn, tn))

    def failing_requirement(self, margins: Margins | ConfusionMatrix) -> Requirement | None:
        """Return the first requirement that fails, if any."""
        for need in (SOME_OBSERVATIONS, *self.requirements):
            if not need.holds(margins):
                return need
        return None

    def allowed(self, base_rate: BaseRate) -> range:
        """Return the P̂ of the draws that meet the requirements.

        A requirement on P̂ or N̂ can exclude only the first or the last draw, as all those of
        Table 2 do; a requirement on P or N excludes all draws.
        """
        first, last = 0, base_rate.total
        if self.failing_requirement(Margins.of(base_rate, first)) is not None:
            first += 1
        if self.failing_requirement(Margins.of(base_rate, last)) is not None:
            last -= 1
        inside = range(first, last + 1)
        if inside and self.failing_requirement(Margins.of(base_rate, first)) is not None:
            return range(0)
        return inside

    def require_draw(self, base_rate: BaseRate, predicted_positives: int) -> None:
        """Raise unless a draw of this size can be scored."""
        self.require_baseline()
        margins = Margins.of(base_rate, predicted_positives)
        failing = self.failing_requirement(margins)
        if failing is not None:
            raise UndefinedMeasureError.no_distribution(
                self.key, failing.text, failing.evidence(margins)
            )

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        if self.no_baseline is not None:
            raise NoBaselineError(f"{self.key} has scores and no baseline: {self.no_baseline}")

    def __reduce__(self) -> Any:
        """Pickle a built-in measure by its name, and a custom one by its function."""
        from baserate.measures.two_classes import get_measure

        if not isinstance(self.definition.function, UserFunction):
            return partial(get_measure, self.key), ()
        facts = {**self.made_of, "smooth": self.smooth, "shape": self.draw.shape}
        return partial(
            TwoClassMeasure.custom, self.key, self.definition.function.function, **facts
        ), ()


def with_closed_forms(
    *,
    definition: Formula,
    slope: str = "",
    intercept: str = "",
    expectation: str = "",
    everywhere: Formula | None = None,
    maximum: tuple[str, Formula] | None = None,
    minimum: tuple[str, Formula] | None = None,
    constant: Formula = NEVER,
    gain: Formula | None = None,
    **facts: Any,
) -> TwoClassMeasure:
    """Return a measure with what the paper says of it in LaTeX; the numbers are its definition's.

    A score that is linear in TP expects that of the expected table. Any score is certain of a draw
    of everyone or of no one. `everywhere` is what all draws expect, if they expect the same.
    """
    counts = facts.get("counts", False)

    def with_hits(tp: Number, m: Margins) -> Number:
        rest = m.negatives - m.predicted_positives + tp
        return definition(tp, m.predicted_positives - tp, m.positives - tp, rest)

    def expected(m: Margins) -> Number:
        # The expected table times M, in whole numbers: most scores do not depend on its unit.
        p, n, drawn, left = m
        found = definition(p * drawn, n * drawn, p * left, n * left)
        return found / m.total if counts else found

    def extreme(latex: str, place: Formula) -> Extreme:
        def at_its_place(rate: BaseRate) -> Number:
            counts = place(rate, range(rate.total + 1))
            return expected(Margins.of(rate, counts[-1][-1]))

        return Extreme(Formula(latex, at_its_place), place)

    mean = Formula(expectation, expected) if expectation else everywhere
    ends = [each and extreme(*each) for each in (maximum, minimum)]
    if everywhere is not None:
        constant, ends = ALWAYS, [Extreme(everywhere, EVERYWHERE)] * 2
    draw = UnderDraw(
        # At M hits, so that nothing cancels.
        slope=Formula(slope, lambda m: (with_hits(m.total, m) - with_hits(0, m)) / m.total)
        if mean
        else None,
        intercept=Formula(intercept, lambda m: with_hits(0, m)) if mean else None,
        expectation=mean,
        maximum=ends[0],
        minimum=ends[1],
        constant=constant,
        gain=gain,
    )
    if isinstance(definition, Ratio) and not counts:
        facts = {"level": definition.level, **facts}
    return TwoClassMeasure(definition=definition, draw=draw, **facts)
