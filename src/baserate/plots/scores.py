"""The scores of one model: at every threshold, and whether they are right as probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from baserate.data.rows import DEFAULT_NAME
from baserate.evaluation.reliability import LEAST_P, ReliabilityCurve, reliability_curve
from baserate.evaluation.threshold import ThresholdCurve, threshold_curve
from baserate.formatting import number_format, p_equals
from baserate.plots.display import (
    BAND_ALPHA,
    BASELINE,
    CHANCE,
    FAILING,
    MODELS,
    Display,
    legend,
    points,
    short_name,
    tidy,
)
from baserate.plots.null import (
    close_up,
    plot_guesses,
    plot_point,
    scale_fractions,
    why_undefined,
)
from baserate.sklearn.responses import name_of, positive_class, scores_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from numpy.typing import NDArray

    from baserate.evaluation.threshold import CutOff

# How high a picture is that has room to explain the best thresholds of shuffled scores, in points.
_ENOUGH = 180
_OWN = {"colour": FAILING, "marker": "s", "size": 9}
_BEST = {"colour": MODELS[0], "marker": "o", "size": 5}
# The histogram of probabilities is below 0: how many bars, in how much room.
_BARS, _ROOM, _GAP = 40, 0.18, 0.03
# Up to this many probabilities are marked one by one.
_MARKED = 40
# Twice as many columns as a wide plot has pixels.
_COLUMNS = 2000


class _DisplayOfScores(Display):
    _needs_probabilities: ClassVar[bool] = False

    @classmethod
    def _responses(cls, estimator: Any, rows: Any, measure: Any, **asked: Any) -> tuple[Any, Any]:  # noqa: ARG003
        positive, threshold = positive_class(estimator, asked["pos_label"]), asked["threshold"]
        scores = scores_of(estimator, rows, positive, probabilities=cls._needs_probabilities)
        return scores.values, {
            "threshold": scores.threshold if threshold is None else threshold,
            "name": name_of(estimator, asked["name"]),
            "pos_label": positive,
        }


@dataclass(eq=False, repr=False)
class ThresholdDisplay(_DisplayOfScores):
    """A model's score at every threshold, beside the expectation and central 95% of guesses.

    Make it with `from_estimator` or `from_predictions`, or by ``br.threshold_curve(…).plot()``.

    Parameters
    ----------
    curve
        The result of `threshold_curve`.
    name
        The model's name.

    Attributes
    ----------
    line_, expectation_, band_, baseline_, shuffled_, best_, own_
        The model's line, the line and area of guesses, the line of the best guess, the area of the
        best thresholds of shuffled scores, and the points of the best threshold and of the model's
        own; None if that is unknown.
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
    _types: ClassVar[Mapping[str, str]] = {
        "predicted_positives": "Int64",
        **dict.fromkeys(("cutoff", "theta_star", "score", "low", "high"), "Float64"),
    }

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:
        return cls(threshold_curve(y_true, y_pred, measure, **options), name or DEFAULT_NAME)

    def _draw(self) -> None:
        ax, curve, own = self.ax_, self.curve, self.curve.own
        self.expectation_, self.band_, self.baseline_ = plot_guesses(
            ax, curve.draws, curve.baseline
        )
        self.shuffled_ = self._plot_shuffled()
        seen = outline(curve.scores)
        (self.line_,) = ax.plot(
            curve.predicted_positives[seen] / curve.base_rate.total,
            curve.scores[seen],
            color=MODELS[0],
            label=short_name(self.name),
        )
        # Where both points coincide, the square of the model's threshold shows around the best one.
        self.own_ = None if own is None else self._plot_point(own, "its threshold", _OWN)
        self.best_ = self._plot_point(curve.best, "best threshold", _BEST)
        tidy(ax)
        shown = [cut.verdict for cut in (curve.best, own) if cut is not None]
        close_up(ax, curve.draws, curve.baseline, shown)
        self.thresholds_ = _threshold_axis(ax, curve)
        legend(ax, title=curve.diagnosis.sentence, top=self.thresholds_)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        curve, draws = self.curve, self.curve.draws
        cuts, drawn = curve.cutoffs.size, draws.predicted_positives.size
        counts = [*curve.predicted_positives.tolist(), *draws.predicted_positives.tolist()]
        return {
            "what": [*[self.name] * cuts, *["guess"] * drawn],
            "cutoff": [*curve.cutoffs.tolist(), *[None] * drawn],
            "predicted_positives": counts,
            "theta_star": [count / curve.base_rate.total for count in counts],
            "score": [*curve.scores.tolist(), *draws.expectation.tolist()],
            "low": [*[None] * cuts, *draws.low.tolist()],
            "high": [*[None] * cuts, *draws.high.tolist()],
        }

    def _plot_shuffled(self) -> Rectangle | None:
        """Draw where the best thresholds of shuffled scores are: what the best has to exceed."""
        low, high = self.curve.chance
        if math.isnan(low) or math.isnan(high):
            return None
        fits = points(self.ax_)[1] >= _ENOUGH
        label = "95% of the best of shuffled scores" if fits else None
        return self.ax_.axhspan(low, high, color=MODELS[4], alpha=0.2, linewidth=0, label=label)

    def _plot_point(self, cut: CutOff, what: str, style: dict[str, Any]) -> Line2D:
        numbers = [cut.verdict.score, self.curve.baseline.best.value]
        write = number_format(numbers, counted=self.curve.measure.counts)
        threshold = f"{cut.threshold:.3g}".replace("inf", "∞")
        found = why_undefined(cut.verdict) or write(cut.verdict.score)
        return plot_point(self.ax_, cut.verdict, f"{what} {threshold}: {found}", **style)


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(_DisplayOfScores):
    """How often probabilities came true, with the band of chance and a histogram below.

    Make it with `from_estimator` or `from_predictions`, or by ``br.reliability_curve(…).plot()``.

    Parameters
    ----------
    curve
        The result of `reliability_curve`.
    name
        The model's name.

    Attributes
    ----------
    line_, diagonal_, band_, base_rate_, bars_
        The model's curve, the line of right probabilities, the area in which 95% of their curves
        are, the line of the base rate, and how many rows have which probabilities.
    threshold_
        The line of the model's own threshold; None if that is unknown.

    Examples
    --------
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1] * 5, [0.1, 0.2, 0.3, 0.4, 0.8, 0.9] * 5
    >>> display = ReliabilityDisplay.from_predictions(y_true, y_prob)
    >>> display.frame().columns.tolist()
    ['probability', 'positives', 'total', 'recalibrated', 'low', 'high']
    """

    curve: ReliabilityCurve
    name: str = DEFAULT_NAME
    _needs_probabilities = True
    _types: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("probability", "recalibrated", "low", "high"), "Float64"),
        **dict.fromkeys(("positives", "total"), "Int64"),
    }

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:  # noqa: ARG003
        return cls(reliability_curve(y_true, y_pred, **options), name or DEFAULT_NAME)

    @property
    def _size(self) -> tuple[float, float]:
        return 5.2, 5.6

    def _draw(self) -> None:
        ax, curve = self.ax_, self.curve
        (self.diagonal_,) = ax.plot([0, 1], [0, 1], color=CHANCE, linewidth=1, label="as predicted")
        self.band_ = ax.fill_between(
            *curve.band, color=CHANCE, alpha=BAND_ALPHA, linewidth=0, label="95%, if they are right"
        )
        share = curve.base_rate.rate
        self.base_rate_ = ax.axhline(
            share, color=BASELINE, linestyle="--", linewidth=1, label=f"base rate {share:.3g}"
        )
        seen = outline(curve.recalibrated)
        p = p_equals(curve.p_value, exact=False, floor=LEAST_P)
        (self.line_,) = ax.plot(
            curve.probabilities[seen],
            curve.recalibrated[seen],
            marker="o" if seen.size <= _MARKED else None,
            markersize=4,
            color=MODELS[0],
            label=f"{short_name(self.name)} (miscalibration {p})",
        )
        self.threshold_ = self._plot_threshold()
        self.bars_ = self._plot_bars()
        tidy(ax)
        ax.set(xlim=(-0.025, 1.025), ylim=(-_ROOM - 2 * _GAP, 1.03))
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set(xlabel="probability", ylabel="how often it came true")
        ax.axhline(-_GAP / 2, color=CHANCE, linewidth=0.5)
        legend(ax, title=curve.diagnosis.sentence)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        curve = self.curve
        places, low, high = curve.band
        return {
            "probability": curve.probabilities.tolist(),
            "positives": curve.positives.tolist(),
            "total": curve.totals.tolist(),
            "recalibrated": curve.recalibrated.tolist(),
            "low": np.interp(curve.probabilities, places, low).tolist(),
            "high": np.interp(curve.probabilities, places, high).tolist(),
        }

    def _plot_threshold(self) -> Line2D | None:
        threshold = self.curve.threshold
        if threshold is None or not 0 <= threshold <= 1:
            return None
        label = f"its threshold {threshold:.3g}"
        return self.ax_.axvline(threshold, color=FAILING, linestyle=":", linewidth=1.2, label=label)

    def _plot_bars(self) -> BarContainer:
        """Draw how many rows have which probabilities, below 0."""
        edges = (np.arange(_BARS + 2) - 0.5) / _BARS  # round probabilities are in the middle
        counts, _ = np.histogram(self.curve.probabilities, edges, weights=self.curve.totals)
        return self.ax_.bar(
            edges[:-1],
            _ROOM * counts / counts.max(),
            width=np.diff(edges),
            bottom=-_ROOM - _GAP,
            align="edge",
            color=MODELS[0],
            alpha=0.5,
            linewidth=0,
        )


def _threshold_axis(ax: Axes, curve: ThresholdCurve) -> Axes:
    """Draw thresholds above the plot, each at the fraction that it predicts positive.

    A secondary axis of matplotlib has no symmetrical logarithm, so this one is a twin that follows.
    """
    top = ax.twiny()
    scale_fractions(top, curve.base_rate)
    fractions = curve.predicted_positives / curve.base_rate.total
    least = fractions[fractions > 0][0]  # lower ticks of a logarithmic axis would all have this one
    below = [tick for tick in ax.get_xticks() if tick == 0 or least <= tick <= 1]
    places = np.unique(np.searchsorted(fractions, [*below, 1.0]).clip(max=fractions.size - 1))
    cutoffs = (f"{each:.3g}" for each in curve.cutoffs[places])
    names = [each.replace("inf", "∞").replace("-", "−") for each in cutoffs]
    top.set_xticks(fractions[places], names)
    top.set_xticks([], minor=True)
    top.set_xlabel("threshold")
    top.spines[["right", "left", "bottom"]].set_visible(False)
    ax.callbacks.connect("xlim_changed", lambda moved: top.set_xlim(moved.get_xlim()))
    return top


def outline(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the indices of the visible points: the highest and the lowest of each column.

    The columns are those of a linear and of a logarithmic axis.
    """
    if values.size <= 4 * _COLUMNS:
        return np.arange(values.size)
    starts = np.union1d(
        np.linspace(0, values.size, _COLUMNS + 1).astype(np.int64),
        np.geomspace(1, values.size, _COLUMNS).astype(np.int64),
    )
    kept = {0, values.size - 1}
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        column = values[start:stop]
        if not np.isnan(column).all():
            kept |= {start + int(np.nanargmin(column)), start + int(np.nanargmax(column))}
    return np.array(sorted(kept))
