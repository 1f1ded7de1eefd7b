"""Plot the ROC and the precision-recall curves of models, beside what comes for free."""

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

    from baserate.data.columns import Labels
    from baserate.report import Report

_MEASURE = "AUC"


@dataclass(eq=False, repr=False)
class RankingDisplay(CurvesDisplay):
    """The ROC and the precision-recall curves of models, beside what a random ranking expects.

    The line to beat on the right is the mean of the precision-recall curves of all rankings. The
    area below it is the baseline of average precision, which is more than the prevalence if
    positives are few.

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
        The lines that come for free, in both axes; the one to beat first.

    Examples
    --------
    >>> display = RankingDisplay.from_predictions([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> [line.get_label() for line in display.lines_[1]]
    ['model: AP 0.917']
    >>> [line.get_label() for line in display.free_[1]]
    ['a random ranking: AP 0.645', 'the same score for everyone: AP 0.500']
    """

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        predictions: Any,
        *,
        pos_label: object = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the curves of one or more models.

        Parameters
        ----------
        y_true
            The true labels, of two classes; None if all models are `Scores`.
        predictions
            The scores of one model, or a mapping from model names to scores.
        pos_label
            The positive class.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        report = evaluate(y_true, predictions, _MEASURE, pos_label=pos_label)
        return cls.from_report(report, ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the curves of one or more fitted estimators: probabilities or decision functions.

        Parameters
        ----------
        estimator
            A fitted classifier, or a mapping from names to fitted classifiers.
        X, y
            The test set.
        name
            The name of the model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        predictions, positive = predictions_of(estimator, X, name, pos_label, [_MEASURE])
        return cls.from_predictions(y, predictions, pos_label=positive, ax=ax)

    @classmethod
    def from_report(cls, report: Report, *, ax: Sequence[Axes] | None = None) -> Self:
        """Draw the curves of the models of a report, on the whole test set.

        Parameters
        ----------
        report
            The result of `evaluate` for scores, or a part of it.
        ax
            Two axes to draw in; by default a new figure with both.
        """
        wanted = "scores, with positives and negatives among them"
        return cls(figures_of(report, ("AUC", "AP"), wanted)).plot(ax)
