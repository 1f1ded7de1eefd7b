"""The paper's figure, from predictions and estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.displays.estimators import predictions_of
from baserate.evaluation.evaluate import evaluate
from baserate.report.display import ReportDisplay

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from matplotlib.axes import Axes

    from baserate.binary.predictions import Predictions
    from baserate.core.measure import AnyMeasure
    from baserate.data.columns import Labels


@dataclass(eq=False, repr=False)
class ComparisonDisplay(ReportDisplay):
    """Models and measures with both baselines, and boxes around failures, as in the paper.

    A cell's colour is its rescaled score: orange below the baseline, purple above. The baseline to
    beat is bold. Make it with `from_estimator`, `from_predictions` or `from_report`, for which
    ``report.plot()`` is short.

    Parameters
    ----------
    report
        The result of `evaluate`. The display shows the whole test set.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    cells_, texts_, boxes_
        The coloured cells, their numbers, and the boxes around the cells that fail.
    unsure_
        The dashed boxes around scores that are better than the baseline, but not surely.
    marks_, intervals_
        The rescaled score in each cell and the interval of its margin, from the worst draw at the
        left over the baseline in the middle to perfection.

    Examples
    --------
    >>> import baserate as br
    >>> tables = {"tree": br.Confusion(tp=9, fp=4, fn=7, tn=11), "knn": br.Confusion(fn=16, tn=15)}
    >>> display = ComparisonDisplay.from_predictions(None, tables, ["F1", "ACC", "MCC"])
    >>> len(display.boxes_), [text.get_text() for text in display.texts_[:4]]
    (4, ['0.061', '0.681', '0.621', '–'])
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        predictions: Predictions,
        measures: str | AnyMeasure[Any] | Iterable[str | AnyMeasure[Any]] | None = None,
        *,
        pos_label: object = None,
        threshold: float | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the verdicts on one or more models.

        Parameters
        ----------
        y_true, predictions, measures, pos_label, threshold
            As in `evaluate`.
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        report = evaluate(y_true, predictions, measures, pos_label=pos_label, threshold=threshold)
        return cls(report).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measures: str | AnyMeasure[Any] | Iterable[str | AnyMeasure[Any]] | None = None,
        *,
        name: str | None = None,
        pos_label: object = None,
        threshold: float | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the verdicts on one or more fitted estimators.

        Parameters
        ----------
        estimator
            A fitted classifier, or a mapping from names to fitted classifiers.
        X, y
            The test set.
        measures
            As in `evaluate`.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        threshold
            The lowest score that is predicted positive, to judge the probabilities or the decision
            function of an estimator, and labels beside them.
        ax
            Where to draw; by default a new figure with room for all cells.
        """
        predictions, positive = predictions_of(
            estimator, X, name, pos_label, measures, threshold=threshold
        )
        return cls.from_predictions(
            y, predictions, measures, pos_label=positive, threshold=threshold, ax=ax
        )
