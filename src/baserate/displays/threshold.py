"""Plot a model's score at every cut-off, next to draws of the same size."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.data.rows import DEFAULT_NAME
from baserate.displays.draws import close_up, plot_draws, plot_point, why_undefined
from baserate.displays.estimators import name_of, positive_class, scores_of
from baserate.displays.style import FAILING, MODELS, legend, tidy
from baserate.displays.thinning import outline
from baserate.displays.threshold_axis import threshold_axis
from baserate.evaluation.threshold import ThresholdCurve, threshold_curve
from baserate.support.data_frames import data_frame
from baserate.support.formatting import number_format
from baserate.support.plotting import axes_of, points, short_name

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    from baserate.binary.measures.record import Measure
    from baserate.data.columns import Labels
    from baserate.displays.fractions import XScale
    from baserate.evaluation.threshold import CutOff


_OWN = {"colour": FAILING, "marker": "s", "size": 9}
# The colour of luck, and how high a picture is that has room to explain it, in points.
_LUCK, _ENOUGH = MODELS[4], 180
_BEST = {"colour": MODELS[0], "marker": "o", "size": 5}


@dataclass(eq=False, repr=False)
class ThresholdDisplay:
    """A model's score at every cut-off, next to the expectation and central 95% of draws.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curve
        The result of `threshold_curve`.
    name
        The model's name.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    line_, expectation_, band_, baseline_, luck_, best_, own_
        The model's line, the line and area of the draws, the line of the baseline, the area of the
        best cut-offs of shuffled scores, and the points of the best cut-off and of the model's own;
        None if that is unknown.
    thresholds_
        The second x-axis: the thresholds that predict these fractions positive.

    Examples
    --------
    >>> display = ThresholdDisplay.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], "F1")
    >>> display.curve.best.threshold, display.ax_.get_legend().get_title().get_text()
    (3.0, 'there is no evidence of signal')
    """

    curve: ThresholdCurve
    name: str = DEFAULT_NAME
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    line_: Line2D = field(init=False)
    expectation_: Line2D = field(init=False)
    band_: PolyCollection = field(init=False)
    baseline_: Line2D = field(init=False)
    luck_: Rectangle | None = field(init=False)
    best_: Line2D = field(init=False)
    own_: Line2D | None = field(init=False)
    thresholds_: Axes = field(init=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: Any,
        measure: str | Measure,
        *,
        threshold: float | None = None,
        name: str = DEFAULT_NAME,
        pos_label: object = None,
        ax: Axes | None = None,
        xscale: XScale = "auto",
    ) -> Self:
        """Draw the scores of a model at every cut-off.

        Parameters
        ----------
        y_true, y_score, measure, threshold, pos_label
            As in `threshold_curve`.
        name
            The name of the model.
        ax
            Where to draw; a new figure by default.
        xscale
            The scale of the fraction predicted positive: ``"linear"``, ``"log"``, or ``"auto"``,
            which is logarithmic if fewer than 5% are positive.
        """
        curve = threshold_curve(y_true, y_score, measure, pos_label=pos_label, threshold=threshold)
        return cls(curve, name).plot(ax, xscale=xscale)

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
        """Draw the scores of a fitted estimator: its probabilities, or its decision function.

        Parameters
        ----------
        estimator
            A fitted classifier.
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
        scores = scores_of(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            scores.values,
            measure,
            threshold=scores.threshold,
            name=name_of(estimator, name),
            pos_label=positive_class(estimator, pos_label),
            ax=ax,
            xscale=xscale,
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
            ax, self.curve.draws, self.curve.baseline, xscale
        )
        self.luck_ = self._luck()
        seen = outline(self.curve.scores)
        (self.line_,) = ax.plot(
            self.curve.predicted_positives[seen] / self.curve.base_rate.total,
            self.curve.scores[seen],
            color=MODELS[0],
            label=short_name(self.name),
        )
        own = self.curve.own
        # Where both points coincide, the square of the model's threshold shows around the best one.
        self.own_ = None if own is None else self._point(own, "its threshold", _OWN)
        self.best_ = self._point(self.curve.best, "best cut-off", _BEST)
        tidy(ax)
        shown = [cut.verdict for cut in (self.curve.best, own) if cut is not None]
        close_up(ax, self.curve.draws, self.curve.baseline, shown)
        self.thresholds_ = threshold_axis(ax, self.curve, xscale)
        legend(ax, title=self.curve.diagnosis.sentence, top=self.thresholds_)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the plotted data as a data frame: one row per cut-off and per draw.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        curve, draws = self.curve, self.curve.draws
        cuts, drawn = curve.cutoffs.size, draws.predicted_positives.size
        counts = [*curve.predicted_positives.tolist(), *draws.predicted_positives.tolist()]
        columns = {
            "what": [*[self.name] * cuts, *["draw"] * drawn],
            "cutoff": [*curve.cutoffs.tolist(), *[None] * drawn],
            "predicted_positives": counts,
            "theta_star": [count / curve.base_rate.total for count in counts],
            "score": [*curve.scores.tolist(), *draws.expectation.tolist()],
            "low": [*[None] * cuts, *draws.low.tolist()],
            "high": [*[None] * cuts, *draws.high.tolist()],
        }
        types = dict.fromkeys(columns, "Float64") | {"what": "String"}
        return data_frame(columns, types | {"predicted_positives": "Int64"}, backend, "frame")

    def _luck(self) -> Rectangle | None:
        """Draw where the best cut-offs of shuffled scores are: what the best one has to exceed."""
        low, high = self.curve.luck
        if math.isnan(low) or math.isnan(high):
            return None
        # A small picture has no room for one more line in its legend.
        fits = points(self.ax_)[1] >= _ENOUGH
        label = "95% of the best of shuffled scores" if fits else None
        return self.ax_.axhspan(low, high, color=_LUCK, alpha=0.2, linewidth=0, label=label)

    def _point(self, cut: CutOff, what: str, style: dict[str, Any]) -> Line2D:
        numbers = [cut.verdict.score, self.curve.baseline.best.value]
        write = number_format(numbers, counted=self.curve.measure.counts)
        threshold = f"{cut.threshold:.3g}".replace("inf", "∞")
        found = why_undefined(cut.verdict) or write(cut.verdict.score)
        label = f"{what} {threshold}: {found}"
        return plot_point(self.ax_, cut.verdict, label, **style)
