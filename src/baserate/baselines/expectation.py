"""The expected score of a draw."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.data.labels import four_counts
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureWarning
from baserate.formatting import shown
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import get_measure
from baserate.measures.two_classes_record import Margins
from baserate.null.expectation import means
from baserate.null.hypergeometric import Hypergeometric
from baserate.observed.theta import predicted_positives_of_all
from baserate.observed.two_classes import Confusion, as_base_rate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.null.expectation import Kernel
    from baserate.observed.base_rate import BaseRate

    Floats = NDArray[np.float64]


# Up to this many draws are computed one by one; more are a curve.
_FEW_DRAWS = 64
# The most counts to sum for them.
_MOST_COUNTS = 10**7


@overload
def expected_score(
    test_set: BaseRate | Confusion | Labels,
    measure: str | TwoClassMeasure,
    theta: float | Fraction,
    undefined: float = ...,
    *,
    pos_label: object = ...,
) -> float: ...
@overload
def expected_score(
    test_set: BaseRate | Confusion | Labels,
    measure: str | TwoClassMeasure,
    theta: Sequence[float] | NDArray[Any],
    undefined: float = ...,
    *,
    pos_label: object = ...,
) -> NDArray[np.float64]: ...
def expected_score(
    test_set: BaseRate | Confusion | Labels,
    measure: str | TwoClassMeasure,
    theta: float | Fraction | Sequence[float] | NDArray[Any],
    undefined: float = math.nan,
    *,
    pos_label: object = None,
) -> float | NDArray[np.float64]:
    """Return the expected score of the Dutch Draw with a given θ.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `Confusion`, or the true labels.
    measure
        A measure or its name.
    theta
        The fraction to draw positive: a number between 0 and 1, or an array of such numbers.
    undefined
        What to return where the measure is undefined; an `UndefinedMeasureWarning` says so.
    pos_label
        The positive class, if the test set is given by its labels.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=9, total=10)
    >>> expected_score(rate, "G2", 0.1)
    0.3
    >>> expected_score(rate, "ACC", [0, 0.5, 1])
    array([0.1, 0.5, 0.9])
    """
    rate, measure = as_base_rate(test_set, pos_label), get_measure(measure)
    measure.require_baseline()
    if not is_number(undefined):
        raise InvalidMeasureError(
            f"must be a number, such as 0 or math.nan (got {shown(undefined)})",
            parameter="undefined",
        )
    counts = predicted_positives_of_all(theta, rate.total)
    scores = expected_scores(rate, measure, counts)
    missing = np.isnan(scores)
    if missing.any():
        warnings.warn(
            f"the expectation of {measure.key} is undefined for {int(missing.sum())} of "
            f"{missing.size} draws",
            UndefinedMeasureWarning,
            stacklevel=2,
        )
        scores = np.where(missing, as_float(undefined), scores)
    return scores if scores.ndim else float(scores)


def expected_scores(
    rate: BaseRate, measure: TwoClassMeasure, predicted_positives: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the expected score for each P̂; nan where the measure is undefined."""
    allowed = measure.allowed(rate)
    inside = np.asarray(
        (predicted_positives >= allowed.start) & (predicted_positives < allowed.stop), dtype=bool
    )
    scores = np.full(predicted_positives.shape, np.nan)
    counts = predicted_positives[inside]
    if measure.draw.expectation is None:
        scores[inside] = _without_formula(rate, measure, counts)
    else:
        # Subtract as integers, and only then convert to floats.
        drawn, left = counts.astype(float), (rate.total - counts).astype(float)
        margins = Margins(float(rate.positives), float(rate.negatives), drawn, left)
        scores[inside] = measure.draw.expectation(margins)
    return scores


def _without_formula(rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]) -> Floats:
    affine = affine_score(measure, rate)
    if affine is not None:
        return affine.means(counts)
    return means_of_few(measure.scores, rate, measure, counts)


def means_of_few(
    kernel: Kernel, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return the expectations that a user asks for, of a measure or of a function of it.

    For a user's function they are sums over all counts, if that is feasible.
    """
    longest = min(rate.positives, rate.negatives) + 1
    is_little = counts.size <= _FEW_DRAWS and counts.size * longest <= _MOST_COUNTS
    if not measure.may_be_undefined or not is_little:
        return means_of_many(kernel, rate, measure, counts)
    of_each = [
        Hypergeometric(rate.positives, rate.negatives, count).expectation(kernel)
        for count in counts.ravel().tolist()
    ]
    scores = np.array(of_each, dtype=float).reshape(counts.shape)
    return _undefined_at_the_ends(scores, rate, measure, counts)


def means_of_many(
    kernel: Kernel, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return expectations at a cost that does not grow with the test set."""
    trusted = not measure.may_be_undefined
    classes = rate.positives, rate.negatives
    scores = means(kernel, *classes, counts, smooth=measure.smooth, trusted=trusted)
    return scores if trusted else _undefined_at_the_ends(scores, rate, measure, counts)


def _undefined_at_the_ends(
    scores: Floats, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return nan in place of the expectations of draws with an undefined score."""
    # A user's function divides by zero where a cell is empty: at an end of the support, which
    # may be too unlikely for the sum to go there.
    low = np.maximum(0, counts - rate.negatives)
    high = np.minimum(rate.positives, counts)
    for tp in (low, high):
        cells = four_counts(tp, rate.positives, rate.negatives, counts)
        ends = measure.scores(*(cell.astype(float) for cell in cells))
        scores = np.where(np.isfinite(ends), scores, np.nan)
    return scores
