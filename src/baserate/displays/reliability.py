"""Plot how often probabilities came true, next to what luck does to right ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.rows import DEFAULT_NAME
from baserate.displays.estimators import name_of, positive_class, scores_of
from baserate.displays.style import BAND_ALPHA, DRAWS, FAILING, MODELS, legend, tidy
from baserate.displays.thinning import outline
from baserate.evaluation.reliability import ReliabilityCurve, reliability_curve
from baserate.exceptions import InvalidPredictionsError
from baserate.probability.calibration import LEAST_P
from baserate.support.data_frames import data_frame
from baserate.support.formatting import p_equals
from baserate.support.plotting import BASELINE, axes_of, short_name

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from baserate.data.columns import Labels

# The histogram is below 0, with so many bars in so much room.
_BARS, _ROOM, _GAP = 40, 0.18, 0.03
# Up to so many probabilities are marked one by one.
_MARKED = 40


@dataclass(eq=False, repr=False)
class ReliabilityDisplay:
    """How often probabilities came true, with the band of chance and a histogram below.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curve
        The result of `reliability_curve`.
    name
        The model's name.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    line_, diagonal_, band_, base_rate_, bars_
        The model's curve, the line of right probabilities, the area in which 95% of their curves
        are, the line of the base rate, and how many observations have which probabilities.
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
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    line_: Line2D = field(init=False)
    diagonal_: Line2D = field(init=False)
    band_: PolyCollection = field(init=False)
    base_rate_: Line2D = field(init=False)
    bars_: BarContainer = field(init=False)
    threshold_: Line2D | None = field(init=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_prob: Any,
        *,
        threshold: float | None = None,
        name: str = DEFAULT_NAME,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the reliability of some probabilities.

        Parameters
        ----------
        y_true, y_prob, threshold, pos_label
            As in `reliability_curve`.
        name
            The name of the model.
        ax
            Where to draw; a new figure by default.
        """
        curve = reliability_curve(y_true, y_prob, pos_label=pos_label, threshold=threshold)
        return cls(curve, name).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the reliability of a fitted estimator's probabilities.

        Parameters
        ----------
        estimator
            A fitted classifier with `predict_proba`.
        X, y
            The test set.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        ax
            Where to draw; a new figure by default.
        """
        values, threshold = _probabilities(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            values,
            threshold=threshold,
            name=name_of(estimator, name),
            pos_label=positive_class(estimator, pos_label),
            ax=ax,
        )

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        self.ax_ = ax = axes_of(ax, (5.2, 5.6))
        self.figure_ = ax.figure  # type: ignore[assignment]
        (self.diagonal_,) = ax.plot([0, 1], [0, 1], color=DRAWS, linewidth=1, label="as predicted")
        places, low, high = self.curve.band
        self.band_ = ax.fill_between(
            places,
            low,
            high,
            color=DRAWS,
            alpha=BAND_ALPHA,
            linewidth=0,
            label="95%, if they are right",
        )
        rate = self.curve.base_rate
        share = rate.positives / rate.total
        self.base_rate_ = ax.axhline(
            share, color=BASELINE, linestyle="--", linewidth=1, label=f"base rate {share:.3g}"
        )
        self.line_ = self._plot_curve()
        self.threshold_ = self._plot_threshold()
        self.bars_ = self._plot_bars()
        tidy(ax)
        ax.set(xlim=(-0.025, 1.025), ylim=(-_ROOM - 2 * _GAP, 1.03))
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set(xlabel="probability", ylabel="how often it came true")
        ax.axhline(-_GAP / 2, color=DRAWS, linewidth=0.5)
        legend(ax, title=self.curve.diagnosis.sentence)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the plotted data as a data frame: one row per probability.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        curve = self.curve
        places, low, high = curve.band
        columns = {
            "probability": curve.probabilities.tolist(),
            "positives": curve.positives.tolist(),
            "total": curve.totals.tolist(),
            "recalibrated": curve.recalibrated.tolist(),
            "low": np.interp(curve.probabilities, places, low).tolist(),
            "high": np.interp(curve.probabilities, places, high).tolist(),
        }
        types = dict.fromkeys(columns, "Float64") | {"positives": "Int64", "total": "Int64"}
        return data_frame(columns, types, backend, "frame")

    def _plot_curve(self) -> Line2D:
        seen = outline(self.curve.recalibrated)
        p = p_equals(self.curve.p_value, exact=False, floor=LEAST_P)
        (line,) = self.ax_.plot(
            self.curve.probabilities[seen],
            self.curve.recalibrated[seen],
            marker="o" if seen.size <= _MARKED else None,
            markersize=4,
            color=MODELS[0],
            label=f"{short_name(self.name)} (miscalibration {p})",
        )
        return line

    def _plot_threshold(self) -> Line2D | None:
        threshold = self.curve.threshold
        if threshold is None or not 0 <= threshold <= 1:
            return None
        label = f"its threshold {threshold:.3g}"
        return self.ax_.axvline(threshold, color=FAILING, linestyle=":", linewidth=1.2, label=label)

    def _plot_bars(self) -> BarContainer:
        """Draw how many observations have which probabilities, below 0."""
        # Bars have round probabilities in their middle.
        edges = (np.arange(_BARS + 2) - 0.5) / _BARS
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


def _probabilities(
    estimator: Any, features: Any, pos_label: object
) -> tuple[NDArray[Any], float | None]:
    """Return the probabilities of an estimator, and the threshold that its predictions have."""
    if not hasattr(estimator, "predict_proba"):
        raise InvalidPredictionsError(
            "an estimator must have predict_proba to say how reliable its probabilities are (got a "
            f"{type(estimator).__name__}, which has not)"
        )
    scores = scores_of(estimator, features, pos_label)
    positive = positive_class(estimator, pos_label)
    classes = list(getattr(estimator, "classes_", ()))
    place = classes.index(positive) if positive in classes else -1
    values = np.asarray(estimator.predict_proba(features))[:, place]
    # An SVM, for example, does not predict by its probabilities.
    is_same = np.array_equal(values, scores.values)
    return values, scores.threshold if is_same else None
