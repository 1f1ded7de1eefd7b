"""Sweep the threshold of a model's scores, and compare with draws of the same size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from baserate.baselines.dutch_draw import DutchDrawBaseline, baseline
from baserate.core.measure import Direction
from baserate.core.multiple_testing import ALPHA
from baserate.data.labels import four_counts, positive_mask
from baserate.data.numbers import compared, require_threshold, score_vector
from baserate.data.rows import DEFAULT_NAME, require_aligned
from baserate.data.score_counts import swept
from baserate.evaluation.diagnosis import Diagnosis, advice
from baserate.evaluation.request import is_measure, require_one_measure
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidMeasureError,
    MisplacedArgumentError,
)
from baserate.formatting import shown
from baserate.kinds.two_classes import BINARY
from baserate.kinds.two_classes_null import DrawsBySize
from baserate.measures.affine import affine_score
from baserate.measures.rankings import Ranking
from baserate.measures.two_classes_record import UserFunction
from baserate.null.best_threshold import Thresholds, best_threshold
from baserate.observed.labels import BaseRate, ConfusionMatrix
from baserate.task import TASKS, measure_of
from baserate.verdicts.judge import verdicts
from baserate.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.plots.scores import ThresholdDisplay
    from baserate.verdicts.verdict import Verdict

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CutOff:
    """The verdict on a model at a threshold, the lowest score that is predicted positive."""

    threshold: float
    verdict: Verdict


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """A model's score at every cut-off, next to the scores of draws of the same size.

    Parameters
    ----------
    baseline
        The measure, the test set and the best expected score of a draw.
    cutoffs
        Infinity, where nothing is predicted positive, and then every distinct score, descending.
        Scores at or above a cut-off are predicted positive; equal scores move together.
        Cut-offs are floats of the scores' own precision; whole numbers are compared as floats.
    predicted_positives, true_positives
        How many observations are predicted positive at each cut-off, and how many of those are
        truly positive.
    scores
        The model's score at each cut-off; nan where it is undefined.
    threshold
        The threshold that the model uses now, if known.

    Examples
    --------
    >>> curve = threshold_curve([0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.3, 0.9], "ACC")
    >>> curve.cutoffs, curve.predicted_positives, curve.scores
    (array([inf, 0.9, 0.3, 0.2, 0.1]), array([0, 1, 3, 4, 5]), array([0.6, 0.8, 0.8, 0.6, 0.4]))
    >>> curve.at(0.25).verdict.performance.table
    ConfusionMatrix(tp=2, fp=1, fn=0, tn=2)
    """

    baseline: DutchDrawBaseline
    cutoffs: Floats
    predicted_positives: Ints
    true_positives: Ints
    scores: Floats
    threshold: float | None = None

    @property
    def measure(self) -> TwoClassMeasure:
        """The measure."""
        return cast("TwoClassMeasure", self.baseline.measure)

    @property
    def base_rate(self) -> BaseRate:
        """The test set."""
        return cast("BaseRate", self.baseline.test_set)

    @cached_property
    def draws(self) -> DrawsBySize:
        """The expectation and the central 95% of draws, on a grid of P̂ fine enough to draw."""
        return DrawsBySize.of(self.base_rate, self.measure)

    @cached_property
    def best(self) -> CutOff:
        """The cut-off with the best rescaled score; the highest one if several tie.

        Scores that differ only by rounding count as equal. The labels were used to
        choose it, so expect a slightly worse score on new data. Its verdict is that of one
        cut-off; `p_value` is corrected for the choice.
        """
        top = _best(self.scores, self.measure)
        apart = np.abs(self.scores - top)
        place = int(np.argmax(apart <= self.baseline.scale.slack(top, top)))
        return self._cut_off(float(self.cutoffs[place]), place)

    @cached_property
    def own(self) -> CutOff | None:
        """The verdict at the threshold that the model uses now, if known."""
        return None if self.threshold is None else self.at(self.threshold)

    def at(self, threshold: float) -> CutOff:
        """Return the verdict on the model at a threshold.

        Parameters
        ----------
        threshold
            The lowest score that is predicted positive.
        """
        threshold = require_threshold(threshold)
        return self._cut_off(threshold, self._place(threshold))

    def predicted_at(self, threshold: float) -> int:
        """Return how many observations are predicted positive at a threshold.

        Parameters
        ----------
        threshold
            The lowest score that is predicted positive.
        """
        return int(self.predicted_positives[self._place(require_threshold(threshold))])

    @cached_property
    def ranking(self) -> Ranking:
        """How well the scores separate the classes, for all cut-offs and measures."""
        positives = np.diff(self.true_positives, prepend=0)
        return Ranking(positives, np.diff(self.predicted_positives, prepend=0) - positives)

    @cached_property
    def p_value(self) -> float:
        """The chance that the best cut-off of the same scores, shuffled, does at least as well.

        So it is corrected for having chosen the best cut-off with the labels in sight. Of very many
        cut-offs some are looked at, of the model and of its shuffles; nan if there is no score.
        """
        score = _best(self.scores[self._thresholds.places], self.measure)
        return self._best_of_shuffled.tail(score, self.measure.direction)

    @property
    def exact(self) -> bool:
        """Whether `p_value` is exact up to rounding, and not from permutations."""
        return self._best_of_shuffled.exact

    @property
    def floor(self) -> float:
        """The smallest `p_value` that is told apart from smaller ones; 0 if there is none."""
        return self._best_of_shuffled.floor

    @cached_property
    def chance(self) -> tuple[float, float]:
        """Between which scores the best cut-off of shuffled scores is, in 95% of all cases."""
        return self._best_of_shuffled.interval(1 - ALPHA)

    @cached_property
    def _best_of_shuffled(self) -> NullDistribution:
        return best_threshold(self._thresholds)

    @cached_property
    def _thresholds(self) -> Thresholds:
        function = self.measure.definition.function
        is_slow = isinstance(function, UserFunction) and not function.vectorised
        known = np.abs(self.scores[np.isfinite(self.scores)])
        return Thresholds(
            _scorer(self.measure, self.base_rate),
            self.predicted_positives,
            self.base_rate.positives,
            self.base_rate.total,
            maximize=self.measure.direction is Direction.MAXIMIZE,
            rises=_rises(self.measure, self.base_rate),
            size=float(known.max(initial=0.0)),
            work=2_000 if is_slow else 20,
        )

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Whether the model lacks signal, or only has the wrong threshold."""
        if self.best.verdict.outcome is Outcome.UNINFORMATIVE:
            return Diagnosis.UNINFORMATIVE
        if not (self.has_ranking or self.has_signal_at_its_own or self.has_signal_at_its_best):
            return Diagnosis.REVERSED if self._is_reversed else Diagnosis.NO_SIGNAL
        if not self.best.verdict.beats:
            return Diagnosis.NO_CUTOFF
        if self.own is None:
            return Diagnosis.CLEARS if self._best_clears else Diagnosis.UNSURE
        if self.own.verdict.outcome is Outcome.CLEARS:
            return Diagnosis.CLEARS
        is_sure = not self.own.verdict.beats and self._best_clears
        return Diagnosis.WRONG_THRESHOLD if is_sure else Diagnosis.UNSURE

    @property
    def _best_clears(self) -> bool:
        """Whether the best cut-off beats the baseline, by more than choosing it explains."""
        return self.best.verdict.outcome is Outcome.CLEARS and self.p_value < ALPHA

    @property
    def tests(self) -> int:
        """How many separate tests look for signal: of the ranking, of the best cut-off, of its own.

        If there are only two distinct scores, all three are the same test.
        """
        sizes = np.diff(self.predicted_positives, prepend=0)
        if np.count_nonzero(sizes) <= 2 and self.measure.monotone:
            return 1
        # A cut-off that predicts one class tests nothing.
        return 2 if self.own is None or self.own.verdict.performance.table.one_class else 3

    @property
    def level(self) -> float:
        """The p-value below which one test is evidence of signal, at 5% over all tests.

        Either one suffices, so each gets an equal part of the level (Bonferroni).
        """
        return ALPHA / self.tests

    @property
    def has_ranking(self) -> bool:
        """Whether the scores as a whole separate the classes."""
        return self.ranking.p_value < self.level

    @property
    def has_signal_at_its_own(self) -> bool:
        """Whether the predictions at the model's own threshold beat chance.

        That threshold was not chosen on these labels.
        """
        return self.own is not None and self.own.verdict.p_value < self.level

    @property
    def has_signal_at_its_best(self) -> bool:
        """Whether the best cut-off beats the best cut-offs of shuffled scores."""
        return self.p_value < self.level

    @property
    def _is_reversed(self) -> bool:
        """Whether the reversed ranking separates the classes."""
        return self.ranking.auc < 0.5 and self.ranking.reversed().p_value < ALPHA

    def plot(self, *, name: str = DEFAULT_NAME, ax: Axes | None = None) -> ThresholdDisplay:
        """Draw the scores at all cut-offs, beside those of guesses.

        Parameters
        ----------
        name
            The name of the model.
        ax
            Where to draw; a new figure by default.
        """
        from baserate.plots.scores import ThresholdDisplay

        return ThresholdDisplay(self, name).plot(ax)

    def __str__(self) -> str:
        return advice(self)

    def __repr__(self) -> str:
        return f"<ThresholdCurve of {self.measure.key}: {self.cutoffs.size:,} cut-offs. {self}>"

    def _place(self, threshold: float) -> int:
        """Return the place of the lowest cut-off that is at least the threshold."""
        lowest = compared(threshold, self.cutoffs.dtype)
        return int(self.cutoffs.size - np.searchsorted(self.cutoffs[::-1], lowest)) - 1

    def _cut_off(self, threshold: float, place: int) -> CutOff:
        table = ConfusionMatrix.from_tp(
            int(self.true_positives[place]), self.base_rate, int(self.predicted_positives[place])
        )
        (verdict,) = verdicts(BINARY, {DEFAULT_NAME: {None: table}}, (self.measure,))
        return CutOff(threshold, verdict)


def threshold_curve(
    y_true: Labels,
    y_score: Any,
    measure: str | TwoClassMeasure,
    *,
    pos_label: object = None,
    threshold: float | None = None,
) -> ThresholdCurve:
    """Sweep the threshold of a model's scores, and compare each with draws of the same size.

    This finds the cut-off with the best rescaled score, and distinguishes a model without signal
    from one with the wrong threshold.

    Parameters
    ----------
    y_true
        The true labels.
    y_score
        A number per observation, higher if it is more likely to be positive: a probability, or the
        value of a decision function.
    measure
        A measure or its name.
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.
    threshold
        The threshold that the model uses now, such as 0.5 for probabilities.

    Returns
    -------
    ThresholdCurve
        The scores at all cut-offs, `best` with its `p_value`, `at` and `diagnosis`; it prints what
        to do.

    Examples
    --------
    >>> y_true = [0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    >>> y_score = [0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.11, 0.12, 0.2, 0.3, 0.4, 0.6]
    >>> print(threshold_curve(y_true, y_score, "F1", threshold=0.5))
    The model may not beat the baseline: at 0.5 F1 is 0.333, at 0.11 F1 is 0.909 (rescaled 0.779),
    and the baseline is 0.588. At 0.11 the 95% interval of the margin is -0.113 to 0.619. The best
    cut-off of shuffled scores does as well with p = 0.008. The scores tell the classes apart (AUC
    0.971, p = 0.003).

    Three times as many observations are enough to tell:

    >>> curve = threshold_curve(y_true * 3, y_score * 3, "F1", threshold=0.5)
    >>> curve.best.threshold, round(curve.best.verdict.rescaled, 3)
    (0.11, 0.779)
    >>> print(curve)
    The threshold is wrong, not the model: at 0.5 F1 is 0.333 and the baseline is 0.588; at 0.11
    F1 is 0.909 (rescaled 0.779). The best cut-off of shuffled scores does as well with p = 2.0e-07.
    The scores tell the classes apart (AUC 0.971, p = 2.1e-08).
    """
    rate, chosen = _rate_and_measure(y_true, y_score, measure, pos_label)
    base = baseline(rate, chosen)
    require_aligned({"y_true": y_true, "y_score": y_score})
    scores = score_vector(y_score, rate.total)
    cutoffs, drawn, tp = swept(positive_mask(y_true, pos_label), scores)
    cells = four_counts(tp.astype(float), rate.positives, rate.negatives, drawn.astype(float))
    at_each = _scorer(base.measure, rate)(*cells)
    return ThresholdCurve(
        baseline=base,
        cutoffs=cutoffs,
        predicted_positives=drawn,
        true_positives=tp,
        scores=np.where(np.isfinite(at_each), at_each, np.nan),
        threshold=None if threshold is None else require_threshold(threshold),
    )


def _rate_and_measure(
    y_true: Any, y_score: Any, measure: Any, pos_label: object
) -> tuple[BaseRate, Any]:
    """Read the truth and the measure, or raise if something is misplaced."""
    given = (y_true, y_score, measure)
    form = ("y_true, y_score, measure",)
    if is_measure(y_true) or is_measure(y_score):
        raise MisplacedArgumentError.called("threshold_curve", form, given)
    try:
        rate = BaseRate.of_positives(y_true, pos_label)
    except InvalidLabelsError:
        if _are_swapped(y_true, y_score, pos_label):
            raise MisplacedArgumentError.called("threshold_curve", form, given) from None
        raise
    require_one_measure("threshold_curve", measure)
    of_scores = any(task.takes_scores and task.named(measure) for task in TASKS.values())
    if of_scores and BINARY.named(measure) is None:
        named = measure if isinstance(measure, str) else measure.key
        raise InvalidMeasureError(
            f"must be a measure of labels, such as 'F1' (got {shown(named)}, which looks at all "
            "scores at once and takes no threshold); evaluate and interval take it",
            parameter="measure",
        )
    return rate, measure_of(BINARY, measure)


def _are_swapped(truth: Any, scores: Any, pos_label: object) -> bool:
    """Return whether the truth has fractions, as no labels do, and the scores are two classes."""
    try:
        BaseRate.of(scores, pos_label)
        numbers = score_vector(truth, len(truth))
    except (BaserateError, TypeError):
        return False
    with np.errstate(invalid="ignore"):  # infinity has no remainder
        return bool((numbers % 1 != 0).any())


def _best(scores: Floats, measure: TwoClassMeasure) -> float:
    """Return the best of some scores; nan if there is none."""
    known = scores[~np.isnan(scores)]
    if not known.size:
        return math.nan
    return float(known.max() if measure.direction is Direction.MAXIMIZE else known.min())


def _rises(measure: TwoClassMeasure, rate: BaseRate) -> bool:
    """Return whether one more true positive, at the same cut-off, never makes a score worse."""
    if measure.monotone:
        return True
    affine = affine_score(measure, rate)
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    return affine is not None and sign * affine.slope >= 0


def _scorer(measure: TwoClassMeasure, rate: BaseRate) -> Callable[..., Floats]:
    """Return what scores tables, as arrays; not finite where there is no score."""
    # A requirement on P̂ can exclude only the first or the last cut-off.
    excluded = [end for end in (0, rate.total) if end not in measure.allowed(rate)]
    return partial(_scored, measure, excluded)  # which can be pickled


def _scored(measure: TwoClassMeasure, excluded: list[int], *cells: Floats) -> Floats:
    tp, fp, *_ = cells
    scores = measure.scores(*cells)
    return np.where(np.isin(tp + fp, excluded), np.nan, scores) if excluded else scores
