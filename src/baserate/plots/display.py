"""The form of every picture, which is that of scikit-learn's displays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import InvalidReportError
from baserate.formatting import listed
from baserate.plots.axes import axes_of
from baserate.records import data_frame
from baserate.sklearn.responses import predictions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from baserate.data.columns import Labels
    from baserate.report import Report


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
        **how: Any,
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
        **how
            Other arguments of `plot`, such as ``xscale``.
        """
        asked = cls._measure if measure is None else measure
        options = {"pos_label": pos_label, "threshold": threshold}
        given = {each: value for each, value in options.items() if value is not None}
        return cls._computed(y_true, y_pred, asked, name, **given).plot(ax, **how)

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
        **how: Any,
    ) -> Self:
        """Draw the predictions of a fitted estimator, or of several.

        Parameters
        ----------
        estimator
            A fitted estimator; or a mapping from names to estimators, if the picture can have
            several.
        X, y
            The test set.
        measure, threshold, ax, **how
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
        return cls.from_predictions(y, y_pred, measure, **options, ax=ax, **how)

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
        self.ax_ = axes_of(ax, self._size)
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
    def from_report(
        cls, report: Report, measure: Any = None, *, ax: Any = None, **how: Any
    ) -> Self:
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
        **how
            Other arguments of `plot`, such as ``xscale``.
        """
        return cls._of(_whole(report), measure).plot(ax, **how)

    @classmethod
    @abstractmethod
    def _of(cls, report: Report, measure: Any) -> Self:
        """Return the picture of a report that is not empty."""

    @classmethod
    def _computed(cls, y_true: Any, y_pred: Any, measure: Any, name: Any, **options: Any) -> Self:
        models = y_pred if name is None else {str(name): y_pred}
        return cls._of(_whole(evaluate(y_true, models, measure, **options)), measure)


def _whole(report: Report) -> Report:
    """Return the part of a report on the whole test set, if it has one."""
    found = report.overall or report
    if not found:
        raise InvalidReportError.empty()
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
