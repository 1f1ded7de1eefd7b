"""Differences between models, from predictions and estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.core.confidence import ALPHA
from baserate.displays.estimators import predictions_of
from baserate.evaluation.compare import compare
from baserate.report.difference_display import DrawnComparison

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from matplotlib.axes import Axes

    from baserate.binary.predictions import Predictions
    from baserate.core.many_looks import Adjustment
    from baserate.core.measure import AnyMeasure
    from baserate.data.labels import Labels


@dataclass(eq=False, repr=False)
class DifferenceDisplay(DrawnComparison):
    """How far models are apart: a dot and an interval for each difference, and a line at zero.

    A coloured dot is a difference for which there is evidence. Make it with `from_estimator`,
    `from_predictions` or `from_comparison`, for which ``comparison.plot()`` is short.

    Parameters
    ----------
    comparison
        The result of `compare`. The display shows the whole test set and every group.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    dots_, intervals_, zero_, texts_
        The differences, their intervals, the line at zero, and the p-values on the right.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> models = {"tree": [1] * 10 + [0] * 30, "forest": [1] * 18 + [0] * 22}
    >>> display = DifferenceDisplay.from_predictions(y_true, models, ["F1", "ACC"])
    >>> [text.get_text() for text in display.texts_]
    ['p = 0.008', 'p = 0.008']
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        predictions: Predictions,
        measures: str | AnyMeasure[Any] | Iterable[str | AnyMeasure[Any]] | None = None,
        *,
        by: Labels | None = None,
        alpha: float = ALPHA,
        adjust: Adjustment = None,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Compare two or more models, and draw their differences.

        Parameters
        ----------
        y_true, predictions, measures, by, alpha, adjust, pos_label
            As in `compare`.
        ax
            Where to draw; by default a new figure with room for all rows.
        """
        found = compare(
            y_true, predictions, measures, by=by, alpha=alpha, adjust=adjust, pos_label=pos_label
        )
        return cls(found).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measures: str | AnyMeasure[Any] | Iterable[str | AnyMeasure[Any]] | None = None,
        *,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Compare two or more fitted estimators, and draw their differences.

        Parameters
        ----------
        estimator
            A mapping from names to fitted classifiers.
        X, y
            The test set.
        measures
            The measures, or their names, as in `compare`.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        ax
            Where to draw; by default a new figure with room for all rows.
        """
        predictions, positive = predictions_of(estimator, X, None, pos_label, measures)
        return cls.from_predictions(y, predictions, measures, pos_label=positive, ax=ax)
