"""The form of every picture, which is that of scikit-learn's displays, and what all share."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidReportError, MissingDependencyError
from baserate.formatting import listed, printable
from baserate.records import data_frame
from baserate.sklearn.responses import predictions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from baserate.core.measure import Measure
    from baserate.data.columns import Labels
    from baserate.report import Report
    from baserate.verdicts.verdict import Verdict

# The palette of Okabe and Ito, distinguishable with any colour vision.
MODELS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vPX*"
BASELINE, CHANCE, FAILING = "#000000", "#7f7f7f", "#D55E00"
BAND_ALPHA = 0.25
# The average width of a letter relative to its size.
LETTER = 0.55
# The columns and font size of a legend, to try in this order.
_LEGENDS = (
    (4, "small"), (3, "small"), (2, "small"), (2, "x-small"), (2, "xx-small"), (1, "x-small"),
)  # fmt: skip


def pyplot() -> Any:
    """Return matplotlib's module that makes figures."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise MissingDependencyError.package("matplotlib", "a plot") from None
    return pyplot


def short_name(name: object, most: int = 60) -> str:
    """Return a name on one line, short enough to leave room for the plot."""
    text = printable(str(name))
    return literal(text if len(text) <= most else f"{text[: most - 1]}…")


def literal(text: str) -> str:
    """Return a text that matplotlib draws as it is: between two dollars it sees a formula."""
    return text.replace("$", r"\$")


def points(ax: Axes) -> tuple[float, float]:
    """Return the width and height of the axes, in points."""
    box, size = ax.get_window_extent(), 72 / ax.figure.dpi
    return box.width * size, box.height * size


def letters(axis: Axis, room: float) -> int:
    """Return how many letters of an axis label fit in this many points."""
    return int(room / (LETTER * float(axis.label.get_fontsize())))


def tidy(ax: Axes) -> None:
    """Remove what carries no information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.3, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.margins(y=0.08)


def legend(ax: Axes, title: str | None = None, top: Axes | None = None) -> None:
    """Put the legend above the plot and its top axis, in as many columns as fit."""
    from matplotlib.transforms import ScaledTranslation

    box = ax.get_window_extent()
    above = None if top is None else top.get_tightbbox()
    lift = 0.0 if above is None else (above.y1 - box.y1) / ax.figure.dpi
    for columns, size in _LEGENDS:
        drawn = ax.legend(
            title=title,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            bbox_transform=ax.transAxes + ScaledTranslation(0, lift, ax.figure.dpi_scale_trans),
            ncols=columns,
            alignment="left",
            borderaxespad=0.2,
            borderpad=0.2,
            columnspacing=1.0,
            fontsize=size,
            title_fontsize=size,
            handlelength=1.6,
            markerscale=0.8,
            frameon=False,
        )
        if drawn.get_window_extent().width <= box.width:
            break


def label_scores(axis: Axis, measure: Measure[Any] | Verdict, room: float) -> None:
    """Label an axis of scores, with its direction, in lines that fit in the room, in points."""
    better = f"({measure.direction.better} is better)"
    name = literal(printable(measure.name))
    most = letters(axis, 0.8 * room)  # the legend takes its share
    fits = len(name) + len(better) < most
    lines = [f"{name} {better}"] if fits else [*textwrap.wrap(name, max(most, 8)), better]
    axis.set_label_text("\n".join(lines))


class Display(ABC):
    """A picture of results, which are computed elsewhere.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn last.
    """

    ax_: Axes
    figure_: Figure
    # The measure that is computed if none is given, and the types of columns that are not text.
    _measure: ClassVar[str | None] = None
    _types: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels | None,
        y_pred: Any,
        measure: Any = None,
        *,
        name: str | None = None,
        pos_label: object = None,
        threshold: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred, measure, pos_label, threshold
            As for the function that computes what is drawn: `evaluate`, `compare`,
            `threshold_curve` or `reliability_curve`.
        name
            The name of a single model.
        ax
            Where to draw; a new figure by default.
        """
        asked = cls._measure if measure is None else measure
        options = {"pos_label": pos_label, "threshold": threshold}
        given = {each: value for each, value in options.items() if value is not None}
        return cls._computed(y_true, y_pred, asked, name, **given).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        measure: Any = None,
        *,
        name: str | None = None,
        pos_label: object = None,
        threshold: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the predictions of a fitted estimator, or of several.

        Parameters
        ----------
        estimator
            A fitted estimator; or a mapping from names to estimators, if the picture can have
            several.
        X, y
            The test set.
        measure, threshold, ax
            As for `from_predictions`.
        name
            The name of a single model; its class name by default.
        pos_label
            The positive class; by default the last of the estimator's classes, if there are two.
        """
        asked = cls._measure if measure is None else measure
        y_pred, options = cls._responses(
            estimator, X, asked, name=name, pos_label=pos_label, threshold=threshold
        )
        return cls.from_predictions(y, y_pred, measure, **options, ax=ax)

    @classmethod
    @abstractmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:
        """Compute what is drawn."""

    @classmethod
    def _responses(cls, estimator: Any, rows: Any, measure: Any, **asked: Any) -> tuple[Any, Any]:
        """Return what estimators predict, and what else is known of them."""
        found, positive = predictions_of(estimator, rows, measures=measure, **asked)
        return found, {"pos_label": positive, "threshold": asked["threshold"]}

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        # Never the current axes.
        self.ax_ = ax or pyplot().subplots(figsize=self._size, layout="constrained")[1]
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        self._draw()
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return what is drawn as a data frame.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        """
        return data_frame(self._columns(), self._types, backend, "frame")

    @property
    def _size(self) -> tuple[float, float] | None:
        """The size of a new figure, in inches."""
        return None

    @abstractmethod
    def _draw(self) -> None: ...

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return what is drawn, column by column."""
        return {}


class DisplayOfReport(Display):
    """A picture of what `evaluate` finds."""

    @classmethod
    def from_report(cls, report: Report, measure: Any = None, *, ax: Any = None) -> Self:
        """Draw the models of a report.

        Parameters
        ----------
        report
            The result of `evaluate`, or a part of it. The whole test set is drawn if it is there.
        measure
            The measure or its name, where the report has several and the picture is of one. A
            custom measure must be given itself.
        ax
            Where to draw; a new figure by default.
        """
        return cls._of(_whole(report), measure).plot(ax)

    @classmethod
    @abstractmethod
    def _of(cls, report: Report, measure: Any) -> Self:
        """Return the picture of a report on one test set or its groups."""

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:
        models = y_pred if name is None else {str(name): y_pred}
        return cls._of(_whole(evaluate(y_true, models, measure, **options)), measure)


def _whole(report: Report) -> Report:
    """Return the part of a report on the whole test set, if it has one."""
    found = report.overall or report
    if not found:
        raise InvalidReportError("a report must have a verdict to draw (got none)")
    return found


def require_one_model(report: Report) -> None:
    """Raise if a report has several models or groups, where a picture is of one."""
    found = report.performances
    if len(found) > 1:
        names = [*dict.fromkeys(each.model for each in found)]
        what = f"model for this display (got {listed(names)}); take one: report[{names[0]!r}]"
        is_one = len(names) == 1
        raise InvalidReportError(
            f"must have one {'group for this display' if is_one else what}", parameter="report"
        )
