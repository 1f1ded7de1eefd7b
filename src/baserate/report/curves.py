"""The curves of a panel: all its models in one picture of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.observed import rounded_up
from baserate.tasks import task_observed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from baserate.core.observed import Curve, Line, Points
    from baserate.report.panels import Panel

# More lines than these nobody can tell apart.
MOST_CURVES = 8


@dataclass(frozen=True)
class CurveFigure:
    """Curves of one kind, of several models on one test set; some may be left out."""

    models: tuple[str, ...]
    curves: tuple[Curve, ...]
    left_out: int = 0

    @property
    def first(self) -> Curve:
        """One of the curves, for what they share: the axes, and the lines of guesses."""
        return self.curves[0]

    @property
    def free(self) -> tuple[Line, ...]:
        """The lines of guesses, the one to beat first."""
        return (self.first.chance, *self.first.others)

    @property
    def lines(self) -> tuple[tuple[str, Points], ...]:
        """The name of each model, and the corners of its curve."""
        return tuple(zip(self.models, (curve.points for curve in self.curves), strict=True))

    @property
    def y_end(self) -> float:
        """How far the vertical axis goes from 0."""
        if self.first.y_end is not None:
            return self.first.y_end
        lines = (*(line.points for line in self.free), *(points for _, points in self.lines))
        return rounded_up(max(y for points in lines for _, y in points))

    @property
    def ticks(self) -> tuple[tuple[float, str, str], ...]:
        """The ends and the middle of both axes: where they are, and the number on each axis."""
        low, high = self.first.x_ends
        return tuple(
            (place, _written(low + place * (high - low)), _written(place * self.y_end))
            for place in (0.0, 0.5, 1.0)
        )

    def placed(self, points: Points) -> Points:
        """Return the corners of a line in the unit square."""
        low, high = self.first.x_ends
        return tuple(((x - low) / (high - low), y / self.y_end) for x, y in points)


def curve_figures(panel: Panel, most: int | None = MOST_CURVES) -> tuple[CurveFigure, ...]:
    """Return the pictures of a panel, one for each kind of curve, with at most so many models."""
    kinds: dict[str, list[tuple[str, Curve]]] = {}
    for performance in panel.performances:
        for curve in performance.table.curves:
            kinds.setdefault(curve.name, []).append((performance.model, curve))
    return tuple(_figure(found, most) for found in kinds.values())


def reliability_figure(panel: Panel, most: int = MOST_CURVES) -> tuple[CurveFigure, ...]:
    """Return how often probabilities came true, if a measure takes scores for probabilities."""
    measures = (
        task_observed(verdict.performance.table.task).named(verdict.measure)
        for row in panel.judged
        for verdict in row
        if verdict is not None
    )
    if not any(getattr(measure, "probabilities", False) for measure in measures):
        return ()
    curves = ((each.model, getattr(each.table, "reliability", None)) for each in panel.performances)
    found = [(model, curve) for model, curve in curves if curve is not None]
    return (_figure(found, most),) if found else ()


def _figure(found: list[tuple[str, Curve]], most: int | None) -> CurveFigure:
    models, curves = zip(*found[:most], strict=True)
    return CurveFigure(models, curves, len(found) - len(models))


def svg_points(points: Iterable[tuple[float, float]], side: float) -> str:
    """Write the corners of a line for a picture with the origin at the bottom left.

    Examples
    --------
    >>> svg_points(((0.0, 0.0), (0.25, 0.5), (1.0, 1.0)), side=200)
    '0,200 50,100 200,0'
    """
    return " ".join(f"{_short(side * x)},{_short(side * (1 - y))}" for x, y in points)


def _written(number: float) -> str:
    """Write a number on an axis, as short as it can be."""
    return f"{number:.6g}".replace("e+", "e").replace("-", "−")


def _short(number: float) -> str:
    """Write a number of pixels: a tenth of one cannot be seen."""
    return f"{number:.1f}".removesuffix(".0")
