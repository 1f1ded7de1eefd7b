"""Plot the score of a draw for every θ, and models."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any

from baserate.binary.draw import DrawsBySize
from baserate.binary.optimum.baseline import Baseline, baseline
from baserate.displays.draws import (
    close_up,
    plot_draws,
    plot_interval,
    plot_point,
    why_undefined,
)
from baserate.displays.estimators import predictions_of
from baserate.displays.reports import baseline_of_two, one_measure, two_classes
from baserate.displays.style import MARKERS, MODELS, legend, tidy
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidPredictionsError
from baserate.support.data_frames import data_frame
from baserate.support.plotting import axes_of, short_name
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure
    from baserate.binary.predictions import Predictions
    from baserate.data.columns import Labels
    from baserate.displays.fractions import XScale
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict


@dataclass(eq=False, repr=False)
class BaselineDisplay:
    """The expected score of a draw for every θ, its central 95%, the baseline, and models.

    Make it with `from_estimator`, `from_predictions`, `from_report` or `from_test_set`.

    Parameters
    ----------
    baseline
        The baseline.
    draws
        The expectation and the central 95% of draws.
    verdicts
        The verdict on each model.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    expectation_, band_, baseline_, points_, intervals_
        The expectation line, the 95% area, the baseline line, the points of the models and the
        intervals of their scores.

    Examples
    --------
    >>> import baserate as br
    >>> rate = br.BaseRate(positives=139, total=303)
    >>> display = BaselineDisplay.from_test_set(rate, "F1")
    >>> display.ax_.get_xlabel()
    'fraction predicted positive, θ* = P̂ / M'
    >>> display.frame()["score"].max().round(3)
    np.float64(0.629)
    """

    baseline: Baseline
    draws: DrawsBySize
    verdicts: tuple[Verdict, ...] = ()
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    expectation_: Line2D = field(init=False)
    band_: PolyCollection = field(init=False)
    baseline_: Line2D = field(init=False)
    points_: list[Line2D] = field(init=False)
    intervals_: list[LineCollection] = field(init=False)

    @classmethod
    def from_test_set(
        cls,
        test_set: BaseRate | Confusion | Labels,
        measure: str | Measure,
        *,
        pos_label: object = None,
        ax: Axes | None = None,
        xscale: XScale = "auto",
    ) -> Self:
        """Draw the baseline of a test set, without models.

        Parameters
        ----------
        test_set
            A `BaseRate`, a `Confusion`, or the true labels.
        measure
            A measure or its name.
        pos_label
            The positive class, if the test set is given by its labels.
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        base = baseline_of_two(test_set, measure, pos_label)
        return cls(base, DrawsBySize.of(base.base_rate, base.measure)).plot(ax, xscale=xscale)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        predictions: Predictions,
        measure: str | Measure,
        *,
        pos_label: object = None,
        ax: Axes | None = None,
        xscale: XScale = "auto",
    ) -> Self:
        """Draw the baseline, and one or more models at their own θ*.

        Parameters
        ----------
        y_true, predictions
            The true labels, and the predicted labels of one or more models, in any form that
            `evaluate` accepts.
        measure
            A measure or its name.
        pos_label
            The positive class.
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        report = evaluate(y_true, predictions, measure, pos_label=pos_label)
        return cls.from_report(report, measure, ax=ax, xscale=xscale)

    @classmethod
    def from_report(
        cls,
        report: Report,
        measure: str | Measure | None = None,
        *,
        ax: Axes | None = None,
        xscale: XScale = "auto",
    ) -> Self:
        """Draw the baseline of one measure, and the models of a report at their own θ*.

        Parameters
        ----------
        report
            The result of `evaluate`, or a part of it. The display shows the whole test set.
        measure
            The measure or its name, if the report has several. A custom measure must be given
            itself.
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        measure, verdicts = one_measure(report, measure)
        rates = {two_classes(verdict).base_rate for verdict in verdicts}
        if len(rates) > 1:
            raise InvalidPredictionsError.several_test_sets(len(rates))
        base = baseline(rates.pop(), measure)
        draws = DrawsBySize.of(base.base_rate, base.measure)
        return cls(base, draws, verdicts).plot(ax, xscale=xscale)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measure: str | Measure,
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Axes | None = None,
        xscale: XScale = "auto",
    ) -> Self:
        """Draw the baseline, and the predictions of a fitted estimator.

        Parameters
        ----------
        estimator
            A fitted classifier, or a mapping from names to fitted classifiers.
        X, y
            The test set.
        measure
            A measure or its name.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        predictions, positive = predictions_of(estimator, X, name, pos_label, measure)
        return cls.from_predictions(
            y, predictions, measure, pos_label=positive, ax=ax, xscale=xscale
        )

    def plot(self, ax: Axes | None = None, *, xscale: XScale = "auto") -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        self.ax_ = ax = axes_of(ax)
        self.figure_ = ax.figure  # type: ignore[assignment]
        self.expectation_, self.band_, self.baseline_ = plot_draws(
            ax, self.draws, self.baseline, xscale
        )
        self.points_ = [
            plot_point(ax, verdict, _label(verdict), colour=colour, marker=marker)
            for verdict, colour, marker in zip(self.verdicts, cycle(MODELS), cycle(MARKERS))
        ]
        tidy(ax)
        close_up(ax, self.draws, self.baseline, self.verdicts)
        self.intervals_ = [
            plot_interval(ax, verdict, colour=colour)
            for verdict, colour in zip(self.verdicts, cycle(MODELS))
        ]
        legend(ax)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the plotted data as a data frame: one row per draw and per model.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        drawn, models = self.draws.predicted_positives, self.verdicts
        counts = [*drawn.tolist(), *(two_classes(each).predicted_positives for each in models)]
        columns = {
            "what": [*["draw"] * drawn.size, *(verdict.model for verdict in models)],
            "predicted_positives": counts,
            "theta_star": [count / self.baseline.base_rate.total for count in counts],
            "score": [*self.draws.expectation.tolist(), *(verdict.score for verdict in models)],
            "low": [*self.draws.low.tolist(), *(verdict.luck_low for verdict in models)],
            "high": [*self.draws.high.tolist(), *(verdict.luck_high for verdict in models)],
        }
        types = dict.fromkeys(columns, "Float64") | {"what": "String"}
        return data_frame(columns, types | {"predicted_positives": "Int64"}, backend, "frame")


def _label(verdict: Verdict) -> str:
    what = why_undefined(verdict)
    if not what and verdict.outcome is Outcome.UNINFORMATIVE:
        what = "shows nothing"
    elif not what and verdict.fails:
        what = "fails"
    return short_name(verdict.model) + (f" ({what})" if what else "")
