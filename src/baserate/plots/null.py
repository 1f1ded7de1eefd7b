"""What guesses score for every θ, and the null distribution of a score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from baserate.baselines.dutch_draw import DutchDrawBaseline, baseline
from baserate.core.measure import Direction
from baserate.evaluation.single import null_distribution
from baserate.exceptions import InvalidPredictionsError, InvalidReportError, UndefinedMeasureError
from baserate.formatting import listed, number_format, p_equals, shown
from baserate.kinds.two_classes import BINARY
from baserate.kinds.two_classes_null import DrawsBySize
from baserate.null.distribution import Histogram
from baserate.observed.labels import ConfusionMatrix
from baserate.observed.numbers import FitSummary
from baserate.observed.scores import RankedScores
from baserate.plots.display import (
    BAND_ALPHA,
    BASELINE,
    CHANCE,
    FAILING,
    MARKERS,
    MODELS,
    DisplayOfReport,
    label_scores,
    legend,
    letters,
    points,
    require_one_model,
    short_name,
    tidy,
)
from baserate.task import task_observed
from baserate.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

    from baserate.null.distribution import NullDistribution
    from baserate.observed.labels import BaseRate
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict

# Useful models predict about as many positives as there are. Below this base rate all of them are
# within the left twentieth of a linear axis.
_RARE = 0.05
# A logarithmic axis starts this far below the base rate.
_FAR_BELOW = 1000
# The width of the linear part next to zero, in decades, and the margin as a share of the axis.
_ZERO, _MARGIN = 1, 0.02
# Show this many times as far below the baseline as above, unless that is next to nothing.
_KEPT, _FLAT = 10, 1e-6


def scale_fractions(ax: Axes, rate: BaseRate) -> None:
    """Scale the x-axis, with a margin so that points at both ends are whole.

    It is logarithmic if fewer than 5% are positive: from one predicted positive, or from a
    thousandth of the base rate if that is more. Zero has no logarithm; next to it the axis is
    linear.
    """
    if not 0 < rate.rate < _RARE:
        ax.set_xlim(-_MARGIN, 1 + _MARGIN)
        return
    start = 10.0 ** math.floor(math.log10(max(1 / rate.total, rate.rate / _FAR_BELOW)))
    ax.set_xscale("symlog", linthresh=start, linscale=_ZERO, subs=range(2, 10))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("e-0", "e-"))
    margin = _MARGIN * (_ZERO - math.log10(start))
    ax.set_xlim(-start * margin / _ZERO, 10**margin)


def plot_guesses(
    ax: Axes, draws: DrawsBySize, base: DutchDrawBaseline
) -> tuple[Line2D, PolyCollection, Line2D]:
    """Draw what guesses with every number of positives score: expectation, 95%, and the best."""
    scale_fractions(ax, base.test_set)
    theta, value = draws.predicted_positives / base.test_set.total, base.best.value
    band = ax.fill_between(
        theta,
        draws.low,
        draws.high,
        color=CHANCE,
        alpha=BAND_ALPHA,
        linewidth=0,
        label="95% of guesses",
    )
    (line,) = ax.plot(theta, draws.expectation, color=CHANCE, label="expected score of a guess")
    best = f"best guess {number_format([value], counted=base.measure.counts)(value)}"
    best_line = ax.axhline(value, color=BASELINE, linestyle="--", linewidth=1, label=best)
    words, symbol = "fraction predicted positive", ", θ* = P̂ / M"
    fits = len(words + symbol) < letters(ax.xaxis, points(ax)[0])
    ax.set_xlabel(words + symbol if fits else words)
    label_scores(ax.yaxis, base.measure, room=points(ax)[1])
    return line, band, best_line


def plot_point(
    ax: Axes, verdict: Verdict, label: str, *, colour: str, marker: str, size: float = 6
) -> Line2D:
    """Plot a model as a point: hollow if it is no better than the baseline, filled otherwise."""
    (point,) = ax.plot(
        _fraction_of(verdict),
        verdict.score,
        marker,
        color=colour,
        markerfacecolor="none" if verdict.fails else colour,
        markeredgewidth=1.5,
        markersize=size,
        label=label,
        zorder=3,
    )
    return point


def _fraction_of(verdict: Verdict) -> float:
    """Return the fraction that a model predicts positive."""
    table = _two_classes(verdict)
    return table.predicted_positives / table.total


def _table_of(verdict: Verdict) -> Any:
    """Return what a verdict is about: of scores with a threshold, it may be their labels."""
    table: Any = verdict.performance.table
    is_cut = isinstance(table, RankedScores) and table.threshold is not None
    return table.table(table.threshold) if is_cut and BINARY.named(verdict.measure) else table


def _two_classes(verdict: Verdict) -> ConfusionMatrix:
    """Return the table of a verdict on labels of two classes, or raise: only they have a θ."""
    table = _table_of(verdict)
    if not (isinstance(table, ConfusionMatrix) and table.has_positive):
        raise InvalidPredictionsError(
            "a BaselineDisplay must be of labels of two classes, without importance weights (got "
            f"{type(table).__name__} and {shown(verdict.measure)}); report.plot() shows every "
            "report, NullDistributionDisplay what chance gives, RankingDisplay scores, "
            "ResidualDisplay numbers and scikit-learn's ConfusionMatrixDisplay several classes, "
            "and pos_label makes one class positive"
        )
    return table


def why_undefined(verdict: Verdict) -> str:
    """Return why a model has no score, and so no point in the plot; empty if it has one."""
    if not math.isnan(verdict.score):
        return ""
    return verdict.performance.table.one_class or "undefined"


def close_up(
    ax: Axes, draws: DrawsBySize, base: DutchDrawBaseline, verdicts: Iterable[Verdict]
) -> None:
    """Leave out what is far below the baseline, on a logarithmic axis.

    There it would flatten what is near the baseline, which is most of the axis: with 1% positives,
    show accuracies near 0.99, and not the 0.01 of predicting all positive. All points are shown.
    """
    if ax.get_xscale() == "linear":
        return
    sign = 1 if base.measure.direction is Direction.MAXIMIZE else -1
    value = base.best.value
    lowest, highest = sorted(sign * (end - value) for end in (ax.dataLim.y0, ax.dataLim.y1))
    scores = [sign * (verdict.score - value) for verdict in verdicts]
    shown = min([-_KEPT * highest, *(score for score in scores if not math.isnan(score))])
    if shown > _FLAT * lowest:  # nothing differs from the baseline: show a guess of P positives
        positives = base.test_set.positives
        usual = np.interp(positives, draws.predicted_positives, draws.expectation)
        shown = sign * (float(usual) - value)
    if lowest / 2 < shown < 0:
        margin = 0.08 * (highest - shown)
        ax.set_ylim(*sorted(value + sign * end for end in (shown - margin, highest + margin)))
        ax.ticklabel_format(axis="y", useOffset=False)


@dataclass(eq=False, repr=False)
class BaselineDisplay(DisplayOfReport):
    """The expected score of a guess for every θ, its central 95%, the best guess, and models.

    Make it with `from_estimator`, `from_predictions` or `from_report`, or without models by
    ``br.baseline(…).plot()``.

    Parameters
    ----------
    baseline
        The baseline.
    verdicts
        The verdict on each model.

    Attributes
    ----------
    draws
        The expectation and the central 95% of the scores of guesses.
    expectation_, band_, baseline_, points_, intervals_
        The line of expectations, the area of 95%, the line of the best guess, the points of the
        models and the confidence intervals of their scores.

    Examples
    --------
    >>> import baserate as br
    >>> display = br.baseline(br.BaseRate(positives=139, total=303), "F1").plot()
    >>> display.ax_.get_xlabel()
    'fraction predicted positive, θ* = P̂ / M'
    >>> display.frame()["score"].max().round(3)
    np.float64(0.629)
    """

    baseline: DutchDrawBaseline
    verdicts: tuple[Verdict, ...] = ()
    _types: ClassVar[Mapping[str, str]] = {
        "predicted_positives": "Int64",
        **dict.fromkeys(("theta_star", "score", "low", "high"), "Float64"),
    }

    def __post_init__(self) -> None:
        self.draws = DrawsBySize.of(self.baseline.test_set, self.baseline.measure)

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:
        measure, verdicts = _one_measure(report, measure)
        rates = {_two_classes(verdict).test_set for verdict in verdicts}
        if len(rates) > 1:
            raise InvalidPredictionsError.several_test_sets(len(rates))
        return cls(baseline(rates.pop(), measure), verdicts)

    def _draw(self) -> None:
        ax = self.ax_
        self.expectation_, self.band_, self.baseline_ = plot_guesses(ax, self.draws, self.baseline)
        styles = list(zip(self.verdicts, cycle(MODELS), cycle(MARKERS)))
        self.points_ = [
            plot_point(ax, verdict, _label(verdict), colour=colour, marker=marker)
            for verdict, colour, marker in styles
        ]
        tidy(ax)
        close_up(ax, self.draws, self.baseline, self.verdicts)
        self.intervals_ = [
            ax.vlines(
                _fraction_of(each), each.low, each.high, color=colour, linewidth=1.2, zorder=2.5
            )
            for each, colour, _ in styles
        ]
        legend(ax)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        draws, models = self.draws, self.verdicts
        sizes = draws.predicted_positives.tolist()
        counts = [*sizes, *(_two_classes(each).predicted_positives for each in models)]
        return {
            "what": [*["guess"] * len(sizes), *(each.model for each in models)],
            "predicted_positives": counts,
            "theta_star": [count / self.baseline.test_set.total for count in counts],
            "score": [*draws.expectation.tolist(), *(each.score for each in models)],
            "low": [*draws.low.tolist(), *(each.low for each in models)],
            "high": [*draws.high.tolist(), *(each.high for each in models)],
        }


@dataclass(eq=False, repr=False)
class NullDistributionDisplay(DisplayOfReport):
    """The null distribution of a score, the model's score, and its p-value shaded.

    The null distribution is that of the model's own predictions, shuffled over the rows. Make it
    with `from_estimator`, `from_predictions` or `from_report`, or without a model by
    ``br.null_distribution(…).plot()``.

    Parameters
    ----------
    null
        The null distribution.
    verdict
        The verdict on the model, if there is one.

    Attributes
    ----------
    bars
        The distribution as bars.
    bars_, reached_, score_
        The bars of worse scores, those at least as good as the model's, and the line of its score;
        None if absent.

    Examples
    --------
    >>> import baserate as br
    >>> table = br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123)
    >>> display = NullDistributionDisplay.from_predictions(None, table, "F1")
    >>> round(display.bars.reached, 4), round(float(display.bars.probabilities.sum()), 4)
    (0.0136, 1.0)
    """

    null: NullDistribution
    verdict: Verdict | None = None
    _types: ClassVar[Mapping[str, str]] = {
        "score": "Float64",
        "probability": "Float64",
        "at_least_as_good": "Boolean",
    }

    def __post_init__(self) -> None:
        of = self.verdict and (self.verdict.direction, self.verdict.score)
        self.bars = Histogram.of(self.null, *(of or (Direction.MAXIMIZE,)))

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:
        measure, verdicts = _one_measure(report, measure)
        require_one_model(report)
        (verdict,) = verdicts
        table = _table_of(verdict)
        if isinstance(table, FitSummary):  # the null distribution is that of the sample
            table = table.sample
        if math.isnan(verdict.score):
            raise UndefinedMeasureError(f"{verdict.measure} is undefined: {verdict.reason}")
        task = task_observed(table.task)
        known = task.named(measure)
        if known is None:  # a measure of the user's own, or a name that nobody knows
            return cls(null_distribution(table, measure), verdict)
        return cls(task.null_of(known, table), verdict)

    def _draw(self) -> None:
        ax, reached = self.ax_, self.bars.is_reached
        self.bars_ = self._plot_bars(~reached, CHANCE, "shuffled predictions")
        self.reached_ = self._plot_bars(reached, FAILING, "at least as good")
        self.score_ = None
        if self.verdict is None:
            ax.set_xlabel(self.null.score_of or "score")
        else:
            p = p_equals(self.bars.reached, exact=self.null.exact, floor=self.null.floor)
            label = f"{short_name(self.verdict.model)}: {self.verdict.score:.4g} ({p})"
            self.score_ = ax.axvline(self.verdict.score, color=MODELS[0], linewidth=2, label=label)
            label_scores(ax.xaxis, self.verdict, room=points(ax)[0])
        together = "" if self.bars.together == 1 else f", {self.bars.together:,} scores together"
        ax.set_ylabel(f"probability{together}")
        ax.locator_params(axis="x", nbins=5)
        tidy(ax)
        legend(ax)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        bars = self.bars
        found = bars.scores, bars.probabilities, bars.is_reached
        return dict(zip(self._types, (each.tolist() for each in found), strict=True))

    def _plot_bars(self, which: Any, colour: str, label: str) -> BarContainer | None:
        if not np.any(which):
            return None
        bars = self.bars
        return self.ax_.bar(
            bars.scores[which],
            bars.probabilities[which],
            width=bars.widths[which],
            color=colour,
            edgecolor=colour,  # visible even where a bar is narrower than a pixel
            linewidth=0.8,
            label=label,
        )


def _one_measure(report: Report, measure: Any) -> tuple[Any, tuple[Verdict, ...]]:
    """Return the measure of a report, and the verdicts on it."""
    if measure is None and len(report.measures) > 1:
        raise InvalidReportError(
            f"must be one of the report's measures (got none of {listed(report.measures)})",
            parameter="measure",
        )
    measure = report.measures[0] if measure is None else measure
    return measure, report.measure(measure).verdicts


def _label(verdict: Verdict) -> str:
    what = "no better" if verdict.fails else ""
    what = "uninformative" if verdict.outcome is Outcome.UNINFORMATIVE else what
    what = why_undefined(verdict) or what
    return short_name(verdict.model) + (f" ({what})" if what else "")
