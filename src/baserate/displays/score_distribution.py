"""Plot the distribution of a score under chance, and how far out a model is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.data.rows import DEFAULT_NAME
from baserate.displays.chance import Luck, by_chance, of_table
from baserate.displays.estimators import name_of, predictions_of
from baserate.displays.reports import one_measure
from baserate.displays.style import DRAWS, FAILING, MODELS, label_scores, legend, tidy
from baserate.evaluation.calls import measured
from baserate.exceptions import InvalidReportError
from baserate.exceptions.base import listed
from baserate.null.histogram import Histogram
from baserate.support.data_frames import data_frame
from baserate.support.formatting import p_equals
from baserate.support.plotting import axes_of, points, short_name
from baserate.tasks import get_measure

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from baserate.binary.confusion import Confusion
    from baserate.core.measure import AnyMeasure
    from baserate.data.columns import Labels
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.scores import Scores
    from baserate.report import Report


@dataclass(eq=False, repr=False)
class ScoreDistributionDisplay:
    """The distribution of a score under chance, the model's score, and its p-value shaded.

    Chance is a draw with as many positive predictions as the model has; with several classes, or
    with scores, the model's own predictions, dealt at random.

    Make it with `from_estimator`, `from_predictions`, `from_report` or `from_null`.

    Parameters
    ----------
    null
        The distribution of the score under chance.
    bars
        The distribution as bars.
    measure
        The measure.
    score
        The model's score; None without a model.
    p_value
        The probability of a score at least as good by chance.
    name
        The model's name.

    Attributes
    ----------
    ax_, figure_
        Where the display was drawn.
    bars_, reached_, score_
        The bars below the model's score, those at least as good, and the line of its score; None
        if absent.

    Examples
    --------
    >>> import baserate as br
    >>> table = br.Confusion(tp=52, fp=41, fn=87, tn=123)
    >>> display = ScoreDistributionDisplay.from_predictions(None, table, "F1")
    >>> round(display.p_value, 4), round(float(display.bars.probabilities.sum()), 4)
    (0.0136, 1.0)
    """

    null: NullDistribution
    bars: Histogram
    measure: AnyMeasure[Any]
    score: float | None = None
    p_value: float | None = None
    name: str = DEFAULT_NAME
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    bars_: BarContainer | None = field(init=False)
    reached_: BarContainer | None = field(init=False)
    score_: Line2D | None = field(init=False)

    @classmethod
    def from_null(
        cls, null: NullDistribution, measure: str | AnyMeasure[Any], *, ax: Axes | None = None
    ) -> Self:
        """Draw the distribution of a score, without a model.

        Parameters
        ----------
        null
            The result of `null_distribution`, or of ``DutchDraw(…).score(measure)``.
        measure
            The measure whose score it is.
        ax
            Where to draw; a new figure by default.
        """
        found = get_measure(measure)
        return cls(null, Histogram.of(null, found.direction), found).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        y_pred: Labels | Confusion | ConfusionMatrix | Scores,
        measure: str | AnyMeasure[Any],
        *,
        name: str = DEFAULT_NAME,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the distribution under chance, for as many predictions of each class as a model has.

        Parameters
        ----------
        y_true, y_pred
            The true and the predicted labels, or scores in their place; or None and a `Confusion`,
            a `ConfusionMatrix` or `Scores`.
        measure
            A measure or its name.
        name
            The name of the model.
        pos_label
            The positive class.
        ax
            Where to draw; a new figure by default.
        """
        asked = y_true, y_pred, measure
        table, found = measured(
            "ScoreDistributionDisplay.from_predictions", asked, pos_label=pos_label
        )
        return cls._of(table, found, name).plot(ax)

    @classmethod
    def _of(cls, table: Any, measure: Any, name: str) -> Self:
        luck = Luck.of(table, measure)
        return cls(luck.null, luck.bars, measure, luck.score, luck.bars.reached, name)

    @classmethod
    def from_report(
        cls, report: Report, measure: str | AnyMeasure[Any] | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw the distribution under chance for the model of a report.

        Parameters
        ----------
        report
            The result of `evaluate` for one model, or the part of one, ``report["tree"]``. The
            display shows the whole test set.
        measure
            The measure or its name, if the report has several. A custom measure must be given
            itself.
        ax
            Where to draw; a new figure by default.
        """
        measure, verdicts = one_measure(report, measure)
        if len(verdicts) > 1:
            raise InvalidReportError(
                "a report must have one model for this display (got "
                f"{listed(verdict.model for verdict in verdicts)}); take one: "
                f"report[{verdicts[0].model!r}]"
            )
        performance = verdicts[0].performance
        table, name = performance.table, performance.model
        found = of_table(table, measure)
        if found is None:  # a custom measure, which must be given itself
            return cls.from_predictions(None, table, measure, name=name, ax=ax)
        return cls._of(table, found, name).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measure: str | AnyMeasure[Any],
        *,
        name: str | None = None,
        pos_label: object = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the distribution under chance, for an estimator's numbers of predictions.

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
        """
        shown = name_of(estimator, name)
        predicted, positive = predictions_of(estimator, X, shown, pos_label, [measure])
        return cls.from_predictions(
            y, predicted[shown], measure, name=shown, pos_label=positive, ax=ax
        )

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        self.ax_ = ax = axes_of(ax)
        self.figure_ = ax.figure  # type: ignore[assignment]
        reached = self.bars.is_reached
        self.bars_ = self._bars(~reached, DRAWS, by_chance(self.null))
        self.reached_ = self._bars(reached, FAILING, "at least as good")
        self.score_ = None
        if self.score is not None:
            label = f"{short_name(self.name)}: {self.score:.4g}{self._luck}"
            self.score_ = ax.axvline(self.score, color=MODELS[0], linewidth=2, label=label)
        together = "" if self.bars.together == 1 else f", {self.bars.together:,} scores together"
        ax.set_ylabel(f"probability{together}")
        label_scores(ax.xaxis, self.measure, room=points(ax)[0])
        ax.locator_params(axis="x", nbins=5)
        tidy(ax)
        legend(ax)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the bars as a data frame.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        columns = {
            "score": self.bars.scores.tolist(),
            "probability": self.bars.probabilities.tolist(),
            "at_least_as_good": self.bars.is_reached.tolist(),
        }
        types = {"score": "Float64", "probability": "Float64", "at_least_as_good": "Boolean"}
        return data_frame(columns, types, backend, "frame")

    @property
    def _luck(self) -> str:
        if self.p_value is None:
            return ""
        null = self.null
        return f" ({p_equals(self.p_value, exact=null.exact, floor=null.floor)})"

    def _bars(self, which: Any, colour: str, label: str) -> BarContainer | None:
        if not which.any():
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
