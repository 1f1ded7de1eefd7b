"""Measures of rows that matter more or less: the same functions, of weights in place of counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Formula, Measure
from baserate.measures.affine import by_symbols
from baserate.measures.class_scores import MeanOf
from baserate.measures.classes_record import ClassMeasure, OfDiagonal, OfTrace, Tables
from baserate.measures.probabilities import smallest
from baserate.measures.scores import OfLabels, ScoreMeasure
from baserate.measures.two_classes_record import TwoClassMeasure, UnderDraw, UserFunction
from baserate.observed.scores import Counts
from baserate.observed.weighted import Weighted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.observed.weighted import ClassWeights, WeightedTestSet

    Floats = NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WeightedMeasure(Measure[Weighted]):
    """A measure of any kind of prediction, of how much rows matter in place of how many there are.

    Weights have a mean of 1: only their ratios matter.
    """

    takes = (Weighted,)
    counted_by = "evaluate(y_true, y_pred, sample_weight=…, weights='importance')"

    of: Any

    # Shuffles with the same predictions differ in what they weigh, so that no measures share a p.
    monotone = False

    def score_or_reason(self, observed: Weighted) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        plain = of_counts(self, observed.test_set)
        if plain is not None:
            found: tuple[float, str] = plain.score_or_reason(observed.plain)
            return found
        if self not in observed.kept:
            reason = self._missing(observed.plain)
            score = math.nan if reason else float(self.kernel(observed.plain)(observed.sums))
            if math.isnan(score):
                reason = reason or self.of.score_or_reason(observed.plain)[1]
                reason = reason or "its function has no value for these weights"
            observed.kept[self] = score, reason
        known: tuple[float, str] = observed.kept[self]
        return known

    def _missing(self, plain: Any) -> str:
        """Say why there is no score, whatever the weights; empty if there may be one."""
        if isinstance(self.of, TwoClassMeasure):
            failing = self.of.failing_requirement(plain)
            return "" if failing is None else f"it needs {failing} (got {failing.evidence(plain)})"
        if isinstance(self.of, ClassMeasure):
            return ""
        if isinstance(self.of, ScoreMeasure):
            self.of.require(plain)
        else:
            self.of.require("scores", plain.problem, len(plain.labels))
        missing: str = self.of.missing(plain.test_set)
        return missing

    def kernel(self, plain: Any) -> Callable[[Floats], Floats]:
        """Return what scores tables (…, classes, predictions); nan where there is no score.

        The predictions are those of what was observed if all rows matter alike.
        """
        score = self._kernel(plain)

        def scores(tables: Floats) -> Floats:
            with np.errstate(all="ignore"):
                found = np.asarray(score(tables), dtype=float)
            # An MCC of 1 may be 1 + 2e-16.
            within = np.clip(found, self.codomain.lower, self.codomain.upper)
            return np.where(np.isfinite(found), within, np.nan)

        return scores

    def _kernel(self, plain: Any) -> Callable[[Floats], Any]:
        of = self.of
        if isinstance(of, TwoClassMeasure):
            return lambda tables: _of_four(of, tables)
        if isinstance(of, ClassMeasure):
            return lambda tables: of.scored(Tables.of(tables))
        if isinstance(of, ScoreMeasure):
            return lambda tables: of.many(
                Counts(plain.values, *(np.ascontiguousarray(tables[..., k, :]) for k in (1, 0)))
            )
        found: Callable[[Floats], Any] = of.form.of_tables(plain.rows)
        return found

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return bool(self.of.is_custom)

    def __reduce__(self) -> Any:
        """Pickle a measure by the one that it is made of."""
        return weighted, (self.of,)


@lru_cache(maxsize=1_024)
def weighted(measure: Any) -> Any:
    """Return a measure for rows that matter more or less; the same record every time."""
    if isinstance(measure, OfLabels):
        return type(measure).at(weighted(measure.of), measure.threshold)
    return WeightedMeasure(**(measure.declared | {"rounds": True}), of=measure)


def _of_four(measure: TwoClassMeasure, tables: Floats) -> Floats:
    """Return the scores of tables of two classes; nan where a requirement fails."""
    tn, fp, fn, tp = (tables[..., k, j] for k in (0, 1) for j in (0, 1))
    scores = measure.scores(tp, fp, fn, tn)
    counts: Any = SimpleNamespace(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        positives=tp + fn,
        negatives=fp + tn,
        predicted_positives=tp + fp,
        predicted_negatives=fn + tn,
    )
    for need in measure.requirements:
        scores = np.where(need.denominator(counts) != 0, scores, np.nan)
    return scores


# --- Scores that are linear in the weights --------------------------------------------------------


class Linear(NamedTuple):
    """A score that is a sum over the rows: what a weight of 1 adds in each cell, and a constant."""

    points: Floats  # of shape (classes, predictions)
    constant: float = 0.0


def linear(measure: Any, plain: Any, by_class: ClassWeights) -> Linear | None:
    """Return a measure as a sum over the rows; None if it is none."""
    n = by_class.array
    if isinstance(measure, TwoClassMeasure):
        plane = plane_of(measure, float(n[1]), float(n[0]))
        if plane is None:
            return None
        return Linear(np.array([[0.0, plane.fp], [0.0, plane.tp]]), plane.constant)
    if isinstance(measure, ClassMeasure):
        return _of_hits(measure.form, np.bincount(_places(plain, by_class), n, len(plain.labels)))
    if isinstance(measure, ScoreMeasure):
        rule = measure.rule
        points = None if rule is None else np.stack(rule.of_two(plain.values)[::-1])
        is_skill = measure.relative
    else:
        form = measure.form
        rule = form.rule if isinstance(form, MeanOf) else None
        points = None
        if rule is not None:
            points = rule.points(plain.rows.astype(float), smallest(plain.rows.dtype)).T
        is_skill = rule is not None and form.relative
    if rule is None or points is None:
        return None
    total = float(n.sum())
    if not is_skill:
        return Linear(points / total)
    return Linear(points / (-total * float(rule.free(n / total))), 1.0)


def _places(plain: Any, by_class: ClassWeights) -> NDArray[np.intp]:
    """Return where the classes that occur are among those of a confusion matrix."""
    return np.array([plain.labels.index(label) for label in by_class.labels])


def _of_hits(form: object, n: Floats) -> Linear | None:
    """Return a score of several classes whose right answers each add the same, if it is one."""
    none, added = np.zeros_like(n), np.zeros_like(n)
    if isinstance(form, OfTrace) and form.of_accuracy and form.affine:
        first, last = (float(form.score(np.float64(right), n, n)) for right in (0.0, n.sum()))
        return Linear(np.diag(added + (last - first) / n.sum()), first)
    if not (isinstance(form, OfDiagonal) and form.of_recalls and form.linear):
        return None
    with np.errstate(all="ignore"):
        first = form.term(none, n, n)
        gains = np.where(n > 0, (form.term(n, n, n) - first) / np.where(n > 0, n, 1.0), 0.0)
    return Linear(np.diag(gains), float(np.sum(first)))


# The share of each class that is predicted positive in tables that tell whether a score is linear:
# the first three determine a plane.
_SHARES = np.concatenate(
    [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], np.random.default_rng(0).random((16, 2))]
)


class Plane(NamedTuple):
    """A number that is linear in the weights of the true and of the false positives."""

    constant: float
    tp: float
    fp: float


@lru_cache(maxsize=256)
def plane_of(measure: TwoClassMeasure, positives: float, negatives: float) -> Plane | None:
    """Return a measure as a linear function; None if it is not one."""
    function, totals = measure.definition.function, (positives, negatives)
    tp, fp = _SHARES.T * np.array(totals)[:, np.newaxis]
    plane = None
    if isinstance(function, UserFunction):  # some tables alone do not tell
        rate: Any = SimpleNamespace(positives=positives, negatives=negatives)
        found = by_symbols(function.function, rate)
        if found is None:
            return None
        plane = Plane(float(found.constant), float(found.tp), float(found.fp))
    values = measure.scores(tp, fp, totals[0] - tp, totals[1] - fp)
    if plane is None:
        constant, *corners = values[:3].tolist()
        slopes = [
            (value - constant) / total if total else 0.0
            for value, total in zip(corners, totals, strict=True)
        ]
        plane = Plane(constant, *slopes)
    size = abs(plane.constant) + abs(plane.tp) * totals[0] + abs(plane.fp) * totals[1]
    apart = np.abs(values - (plane.constant + plane.tp * tp + plane.fp * fp))
    return plane if (apart <= 4 * COMPUTATION * size).all() else None


# --- Scores that are functions of the plain counts ------------------------------------------------

# With weights that differ by more, a formula changes too much from one count to the next for an
# expectation to be an integral.
_SMOOTH = 8.0
# Tables that tell whether weights by class change a formula.
_SOME_TABLES = np.array([[3.0, 5, 1, 8], [2.0, 1, 7, 4], [1.0, 2, 5, 6], [4.0, 7, 2, 5]])


def of_counts(measure: WeightedMeasure, test_set: WeightedTestSet) -> Any:
    """Return a measure of the plain counts that is the weighted one; None if there is none.

    It is the same one if all rows matter alike. Of two classes, each may have its own weight.
    """
    if test_set.is_plain:
        return measure.of
    if test_set.class_weights is None or not isinstance(measure.of, TwoClassMeasure):
        return None
    return _classed(measure.of, *reversed(test_set.class_weights))


@lru_cache(maxsize=256)
def _classed(measure: TwoClassMeasure, one: float, other: float) -> TwoClassMeasure:
    function: Any = measure.definition.function
    is_formula = not isinstance(function, UserFunction)
    if is_formula and _is_the_same(measure, one, other):
        return measure

    def by_weight(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        inner = measure.definition if is_formula else function.function
        return inner(one * tp, other * fp, one * fn, other * tn)

    kernel: Callable[..., Any] = by_weight
    if not is_formula or plane_of(measure, one, other) is not None:
        # What only adds and scales is recognised, and has closed forms.
        is_vectorised = is_formula or function.vectorised
        kernel = UserFunction(measure.key, by_weight, vectorised=is_vectorised)
    return replace(
        measure,
        definition=Formula(measure.definition.latex, kernel),
        draw=UnderDraw(),
        proportion=None,
        level=None,
        smooth=measure.smooth and 1 / _SMOOTH <= one / other <= _SMOOTH,
        rounds=True,
    )


def _is_the_same(measure: TwoClassMeasure, one: float, other: float) -> bool:
    """Return whether weights by class do not change a formula, as that of balanced accuracy."""
    factors = np.array([[one, other, one, other], [3.0, 0.7, 3.0, 0.7]])[..., np.newaxis]
    plain = measure.definition(*_SOME_TABLES)
    others = [measure.definition(*(_SOME_TABLES * each)) for each in factors]
    return all(np.allclose(plain, each, rtol=COMPUTATION, atol=0) for each in others)
