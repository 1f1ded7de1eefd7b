"""How sure a score of numbers and its margin are, over test sets like the one observed."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.exceptions import UndefinedMeasureError
from baserate.regression.fit import Fit
from baserate.regression.measures.correlations import SPEARMAN
from baserate.regression.measures.errors import absolute_error
from baserate.regression.measures.forms import MiddleError, PairsInOrder
from baserate.regression.uncertainty.draws import Draws
from baserate.regression.uncertainty.means import margin_of, mean_one, reading_of
from baserate.regression.uncertainty.parts import Parts
from baserate.regression.uncertainty.readings import OfMedians
from baserate.regression.uncertainty.scales import PLAIN, bends_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.numbers import Numbers
    from baserate.regression.optimum import NumberYardstick
    from baserate.regression.uncertainty.readings import Reading
    from baserate.regression.uncertainty.scales import Bends

    Floats = NDArray[np.float64]
    Limits = tuple[float, float]

# How a score varies is seen in a sample of so many observations, of which it varies more: for
# pairs and medians, which take longest, for ranks, and for all others.
_MOST_ROWS: dict[type, int] = {PairsInOrder: 1_000, MiddleError: 4_000}
_MOST_RANKS, _MOST_OTHERWISE = 100_000, 200_000
_SEED = 40
# The constant that is best for a median error varies a lot, and is not fitted again to each draw.
_OF_MEDIANS = 1.3
# Numbers of other sizes have no limits: powers of them would leave the range of floats.
_LEAST, _MOST = 1e-60, 1e60
_NONE = (math.nan, math.nan)
_LARGEST = sys.float_info.max


def sampled(measure: NumberMeasure, total: int) -> NDArray[np.int64] | None:
    """Return which rows are enough to see how a score varies; None if all of them are used."""
    others = _MOST_RANKS if measure is SPEARMAN else _MOST_OTHERWISE
    most = _MOST_ROWS.get(type(measure.form), others)
    if total <= most:
        return None
    # A few of them twice, which is faster than to choose without.
    return np.random.default_rng(_SEED).integers(0, total, most)


@dataclass(frozen=True, eq=False)
class NumberUncertainty:
    """The limits of scores and margins over test sets like this one.

    Rows are a sample of a population, of which a limit says what the score is, or how much better
    than that of the best constant. One observation says nothing of how much others differ, and the
    largest error seen says little of the largest there is: then limits are nan.

    Parameters
    ----------
    fit
        What the model did.
    alpha
        How often a pair of limits may be wrong.

    Examples
    --------
    >>> from baserate.regression.measures.errors import MAE
    >>> truth = np.arange(400.0)
    >>> known = NumberUncertainty(Fit(truth, truth + np.sin(truth)), alpha=0.05)
    >>> [round(limit, 2) for limit in known.score(MAE)]
    [0.6, 0.67]
    """

    fit: Fit
    alpha: float

    def score(self, measure: NumberMeasure) -> Limits:
        """Return the limits of the score; nan if there are none."""
        if measure not in self._scores:
            self._scores[measure] = self._limits(measure, bends_of(measure), is_margin=False)
        return self._scores[measure]

    @cached_property
    def _scores(self) -> dict[NumberMeasure, Limits]:
        """The limits that are known already: those of a margin may be those of the score."""
        return {}

    def margin(self, yardstick: NumberYardstick) -> Limits:
        """Return the limits of how much better the score is than that of the best constant.

        What both lose varies together. The constant is the best of this test set: of the
        population another is, which is better there by a term of the order 1/M, so that the
        lower limit is on the safe side.
        """
        measure = yardstick.measure
        if measure.direction is Direction.MAXIMIZE:  # the best constant has 0, on every test set
            return self.score(measure)
        low, high = self._limits(measure, PLAIN, is_margin=True)
        scale = yardstick.scale
        margin = scale.advantage(measure.score_or_reason(self.fit)[0], scale.best)
        slack = scale.slack(margin, scale.best)
        low, high = (0.0 if abs(end) <= slack else end for end in (low, high))
        return min(low, margin), max(high, margin)

    def _limits(self, measure: NumberMeasure, bends: Bends, *, is_margin: bool) -> Limits:
        score, reason = measure.score_or_reason(self.fit)
        if reason or self.fit.total < 2:
            return _NONE
        constant = self._constant(measure)
        observed = self._free(measure, constant) - score if is_margin else score
        fit, shrunk = self._rows(measure)
        if not _is_of_usual_size(fit):
            return _NONE
        if _is_perfect(measure, score):
            most = _most_of_constant(measure, fit, constant, self.alpha) if is_margin else -math.inf
            fit = _with_miss(measure, fit, constant)
            found = reading_of_fit(measure, fit, constant, is_margin=is_margin)
            draws = Draws(observed, self.alpha, bends)
            if found is None:
                return _NONE
            low, high = draws.with_one_made_up(found)
            return low, max(high, most)
        found = reading_of_fit(measure, fit, constant, is_margin=is_margin)
        unit = abs(score) if measure.perfect == 0 else 1.0
        if found is None or not _is_known(found.observed, observed, unit):
            return _NONE
        ratio = observed / found.observed if found.observed else 1.0
        parts = Parts(measure, fit, constant, self.alpha, shrunk, ratio)
        is_share = measure.direction is Direction.MAXIMIZE
        more = parts.noise_and_signal(found) if is_share else parts.more(bends, found)
        if is_margin and isinstance(measure.form, MiddleError):
            shrunk *= _OF_MEDIANS
        low, high = Draws(observed, self.alpha, bends, shrunk, more=more).limits(found)
        if is_margin or is_share:
            low = parts.as_for_means(low)
        most = _LARGEST if is_margin else min(measure.codomain.upper, _LARGEST)
        return max(low, -_LARGEST), min(high, most)

    @cached_property
    def _ordered(self) -> Fit:
        """The same rows in an order of their own, so that the given one does not matter.

        More than 200,000 are left as they are, since it hardly does then.
        """
        weights = self.fit.weights
        keys = (self.fit.predicted, self.fit.truth)
        return chosen(self.fit, np.lexsort(keys if weights is None else (weights, *keys)))

    def _rows(self, measure: NumberMeasure) -> tuple[Fit, float]:
        """Return the rows to draw from, and how much nearer limits are than theirs."""
        rows = sampled(measure, self.fit.total)
        if rows is None:
            return self._ordered, 1.0
        fit = self.fit if self.fit.total > _MOST_OTHERWISE else self._ordered
        return chosen(fit, rows), math.sqrt(rows.size / self.fit.total)

    def _free(self, measure: NumberMeasure, constant: float) -> float:
        """Return the score of the best constant."""
        constants = np.full(self.fit.total, constant)
        return measure.weighted(self.fit.truth, constants, self.fit.weights)[0]

    def _constant(self, measure: NumberMeasure) -> float:
        return best_constant(measure, self.fit.test_set)


def _is_of_usual_size(fit: Fit) -> bool:
    """Return whether powers of the numbers stay in the range of floats."""
    size = max(float(np.abs(each).max()) for each in (fit.truth, fit.predicted))
    return size == 0 or _LEAST < size < _MOST


def _most_of_constant(measure: NumberMeasure, fit: Fit, constant: float, alpha: float) -> float:
    """Return the upper limit of what a constant scores, which is the margin of perfection."""
    of_constant = Fit(fit.truth, np.full(fit.total, constant), fit.weights)
    most = NumberUncertainty(of_constant, alpha).score(measure)[1]
    return -math.inf if math.isnan(most) else most


def chosen(fit: Fit, rows: NDArray[np.int64]) -> Fit:
    """Return some of the observations."""
    weights = None if fit.weights is None else fit.weights[rows]
    return Fit(fit.truth[rows], fit.predicted[rows], weights)


def best_constant(measure: NumberMeasure, test_set: Numbers) -> float:
    """Return a constant that is best for a test set; nan if none is."""
    try:
        decks = measure.best_constant(test_set).decks
    except UndefinedMeasureError:
        return math.nan
    return decks[0].middle if decks else math.nan


def reading_of_fit(
    measure: NumberMeasure, fit: Fit, constant: float, *, is_margin: bool
) -> Reading | None:
    """Return a score, or its margin over a constant, as a function of weights; None if unknown."""
    weights = mean_one(fit.weights)
    if isinstance(measure.form, MiddleError):
        errors = np.abs(fit.residuals)
        if not is_margin:
            return OfMedians(errors, weights=weights)
        return OfMedians(absolute_error(fit.truth, np.array(constant)), errors, weights)
    build = margin_of if is_margin else reading_of
    return build(measure, fit.truth, fit.predicted, constant, weights)


def _is_known(found: float, observed: float, unit: float) -> bool:
    """Return whether a float holds what a number is made of.

    Squares may be too large or too small for one where their root, or a share, is not.
    """
    return math.isfinite(found) and (found != 0 or abs(observed) <= COMPUTATION * unit)


def _is_perfect(measure: NumberMeasure, score: float) -> bool:
    """Return whether there was no error, or everything was in the wrong order."""
    if measure.perfect == 0:
        return score == 0
    return (abs(score) if measure.constants is None else score) >= 1 - COMPUTATION


def _with_miss(measure: NumberMeasure, fit: Fit, constant: float) -> Fit:
    """Return predictions without an error, and one that is as wrong as the best constant is.

    Of a correlation, which has no constant, the highest truth is given the prediction at the other
    end.
    """
    if measure.constants is None:
        far = int(np.argmax(fit.truth))
        rises = fit.predicted[far] == fit.predicted.max()
        predicted = float(fit.predicted.min() if rises else fit.predicted.max())
    else:
        far, predicted = int(np.argmax(np.abs(fit.truth - constant))), constant
    weights = None if fit.weights is None else np.append(fit.weights, fit.weights[far])
    return Fit(np.append(fit.truth, fit.truth[far]), np.append(fit.predicted, predicted), weights)
