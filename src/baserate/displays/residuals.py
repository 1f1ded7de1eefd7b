"""Plot how far the predictions of models are off, beside the best constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from baserate.displays.curves import CurvesDisplay, figures_of
from baserate.displays.estimators import predictions_of
from baserate.evaluation.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes

    from baserate.data.labels import Labels
    from baserate.report import Report

_MEASURE = "MAE"


@dataclass(eq=False, repr=False)
class ResidualDisplay(CurvesDisplay):
    """How far the predictions of models are off, beside the best constant.

    On the left is a histogram of truth minus prediction: narrow is good, and off to one side is
    biased.
    On the right is the share of observations that are off by at most so much: the higher, the
    better. The mean absolute error is the area above a curve, so that the best constant is the
    median. Axes end where the constant is hardly ever further off; the outermost steps of the
    histogram hold all that are.

    Make it with `from_estimator`, `from_predictions` or `from_report`.

    Parameters
    ----------
    figures
        The curves of all models, one figure of each kind.

    Attributes
    ----------
    axes_, figure_
        The two axes, and the figure that they are in.
    lines_
        The curve of each model, in both axes.
    free_
        The line of the constant, in both axes.

    Examples
    --------
    >>> display = ResidualDisplay.from_predictions([1.0, 2, 4, 8.5], [1.0, 3, 4, 7])
    >>> [line.get_label() for line in (*display.lines_[1], *display.free_[1])]
    ['model: MAE 0.625', 'always 3: MAE 2.375']
    """

    @classmethod
    def from_predictions(
        cls, y_true: Labels | None, predictions: Any, *, ax: Sequence[Axes] | None = None
    ) -> Self:
        """Draw the residuals of one or more models.

        Parameters
        ----------
        y_true
            The true numbers; None if all models are a `Fit`.
        predictions
            The numbers of one model, or a mapping from model names to numbers.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        return cls.from_report(evaluate(y_true, predictions, _MEASURE), ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        *,
        name: str | None = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the residuals of one or more fitted estimators.

        Parameters
        ----------
        estimator
            A fitted regressor, or a mapping from names to fitted regressors.
        X, y
            The test set.
        name
            The name of the model; its class name by default.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        predictions, _ = predictions_of(estimator, X, name, None, [_MEASURE])
        return cls.from_predictions(y, predictions, ax=ax)

    @classmethod
    def from_report(cls, report: Report, *, ax: Sequence[Axes] | None = None) -> Self:
        """Draw the residuals of the models of a report, on the whole test set.

        Parameters
        ----------
        report
            The result of `evaluate` for numbers, or a part of it.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        wanted = "numbers, of which not all true ones are the same"
        return cls(figures_of(report, ("", _MEASURE), wanted)).plot(ax)
