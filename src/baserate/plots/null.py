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
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidReportError,
    UndefinedMeasureError,
)
from baserate.formatting import listed, p_equals
from baserate.kinds.two_classes.null import DrawsBySize
from baserate.null.histogram import Histogram
from baserate.observed.number_summary import FitSummary
from baserate.plots.axes import (
    CHANCE,
    FAILING,
    MARKERS,
    MODELS,
    label_scores,
    legend,
    points,
    short_name,
    tidy,
)
from baserate.plots.display import DisplayOfReport, require_one_model
from baserate.plots.theta import (
    close_up,
    plot_guesses,
    plot_interval,
    plot_point,
    table_of,
    two_classes,
    why_undefined,
)
from baserate.tasks import task_observed
from baserate.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from baserate.null.distribution import NullDistribution
    from baserate.plots.theta import XScale
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict


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
        rates = {two_classes(verdict).base_rate for verdict in verdicts}
        if len(rates) > 1:
            raise InvalidPredictionsError.several_test_sets(len(rates))
        return cls(baseline(rates.pop(), measure), verdicts)

    def plot(self, ax: Axes | None = None, *, xscale: XScale = "auto") -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        self._xscale = xscale
        return super().plot(ax)

    def _draw(self) -> None:
        ax = self.ax_
        self.expectation_, self.band_, self.baseline_ = plot_guesses(
            ax, self.draws, self.baseline, self._xscale
        )
        styles = list(zip(self.verdicts, cycle(MODELS), cycle(MARKERS)))
        self.points_ = [
            plot_point(ax, verdict, _label(verdict), colour=colour, marker=marker)
            for verdict, colour, marker in styles
        ]
        tidy(ax)
        close_up(ax, self.draws, self.baseline, self.verdicts)
        self.intervals_ = [plot_interval(ax, each, colour=colour) for each, colour, _ in styles]
        legend(ax)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        draws, models = self.draws, self.verdicts
        sizes = draws.predicted_positives.tolist()
        counts = [*sizes, *(two_classes(each).predicted_positives for each in models)]
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
    >>> table = br.Confusion(tp=52, fp=41, fn=87, tn=123)
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
        if self.verdict is None:
            self.bars = Histogram.of(self.null, Direction.MAXIMIZE)
        else:
            self.bars = Histogram.of(self.null, self.verdict.direction, self.verdict.score)

    @classmethod
    def _of(cls, report: Report, measure: Any) -> Self:
        measure, verdicts = _one_measure(report, measure)
        require_one_model(report)
        (verdict,) = verdicts
        table = table_of(verdict)
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
    what = why_undefined(verdict)
    if not what and verdict.outcome is Outcome.UNINFORMATIVE:
        what = "uninformative"
    elif not what and verdict.fails:
        what = "no better"
    return short_name(verdict.model) + (f" ({what})" if what else "")
