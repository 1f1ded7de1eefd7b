"""What a report and a comparison say, in one model that text, Markdown, LaTeX and HTML format."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate.core.observed import rounded_up
from baserate.formatting import probability
from baserate.task import task_observed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.observed import Curve, Grid, Line, Points
    from baserate.report.digest import Panel
    from baserate.verdicts.verdict import Difference, Verdict

T = TypeVar("T")

# Where the best guess and a perfect score stand on every strip, in percent of its width.
GUESS_AT, PERFECT_AT = 30.0, 97.0
# The head of the last column of a comparison.
AHEAD = "Ahead of guessing?"
# More classes are put together, and more lines nobody can tell apart.
MOST_CLASSES, MOST_CURVES = 20, 8
# The name of classes that are put together.
REST = "all others"


def blocks(measures: Sequence[T], most: int = 6) -> list[Sequence[T]]:
    """Divide measures over tables of the same width: 14 over three of 5, 5 and 4."""
    size = math.ceil(len(measures) / max(math.ceil(len(measures) / most), 1)) or 1
    return [measures[at : at + size] for at in range(0, len(measures), size)]


class Strip(NamedTuple):
    """Where a score, the interval of its margin and the worst guess stand, in percent.

    What is not known is nan, and what is off the scale stands at its end.
    """

    at: float
    low: float
    high: float
    worst: float = math.nan

    @classmethod
    def of(
        cls, margin: float, low: float, high: float, room: float, worst: float = math.nan
    ) -> Strip | None:
        """Return the strip of a margin with its interval; None where it has no place.

        Room is the margin of a perfect score, and worst that of the worst guess.
        """
        if math.isnan(margin) or not 0 < room < math.inf:
            return None
        scale = (PERFECT_AT - GUESS_AT) / room
        at, start, end = (
            min(max(GUESS_AT + (PERFECT_AT - GUESS_AT) * (each / room), 0.0), PERFECT_AT)
            for each in (margin, low, high)  # nan stays nan
        )
        place = GUESS_AT + scale * worst
        return cls(at, start, end, place if 0 < place < GUESS_AT else math.nan)

    @property
    def is_off(self) -> bool:
        """Whether the score is too far left to be drawn."""
        return self.at <= 0


@dataclass(frozen=True)
class Cell:
    """A cell of a table: a number or a few words, with a mark (✓, ~, ✗, –) or none.

    `small` is a second line; `said` the whole sentence, for a reader who points at it or listens.
    """

    text: str = ""
    mark: str = ""
    small: str = ""
    said: str = ""
    strip: Strip | None = None
    sort: float | None = None


class Column(NamedTuple):
    """The head of a column: its title, the paper's key, and what stands over several columns.

    Below strips it has the numbers at the line and at the right end, if they are those of all rows.
    """

    title: str
    key: str = ""
    over: str = ""
    is_text: bool = False
    ends: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        """The title with its key."""
        return f"{self.title} ({self.key})" if self.key else self.title


class Row(NamedTuple):
    """The cells of a row, the first of which names it.

    Its kind is "guess" for the best guess, "fail" for a group that fails, "dim" for one that is too
    small, and empty otherwise.
    """

    cells: tuple[Cell, ...]
    kind: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under a header, the first column of which names them.

    If there is room for marks only, a paper shows the scores; `more` rows are left out.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    only_marks: bool = False
    more: int = 0


class Step(NamedTuple):
    """What to do next: a mark, whom it is about, and a sentence."""

    mark: str
    who: str
    said: str


class Answer(NamedTuple):
    """The answer in a sentence, with its mark, and what to know beside it."""

    mark: str
    headline: str
    second: str = ""


def short_p(p: float) -> str:
    """Write a p-value for a sentence, as short as it can be: p < 0.001, p = 0.011, p = 0.74."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.095 else f"p = {p:.2f}"


def p_cell(judged: Verdict | Difference) -> Cell:
    """Return the same for a table; one that its method cannot tell from smaller ones is a bound."""
    p, floor = judged.p_adjusted, judged.p_floor
    text = short_p(p).removeprefix("p ").replace("= ", "" if judged.exact else "≈ ")
    if floor >= 0.001 or math.isnan(p):
        text = probability(p, exact=judged.exact, floor=floor)
    return Cell(text, sort=p)


def rows_cell(judged: Verdict | Difference) -> Cell:
    """Return how many more rows would settle what is open."""
    needed = judged.rows_needed
    return Cell("" if math.isnan(needed) else f"≈ {needed:,.0f}", sort=needed)


def signed(number: float, write: Callable[[float], str]) -> str:
    """Write a difference with its sign; empty if there is none."""
    return "" if math.isnan(number) else f"{'+' if number > 0 else ''}{write(number)}"


def span(low: float, high: float, write: Callable[[float], str]) -> str:
    """Write an interval; empty if there is none."""
    return "" if math.isnan(low) else f"{write(low)} to {write(high)}"


@dataclass(frozen=True)
class HeatCell:
    """How often a class is predicted as another, and what share of that class it is."""

    count: int
    share: float
    is_right: bool


class HeatMap(NamedTuple):
    """A confusion matrix that fits on a page: what share of each true class is predicted as what.

    If there are too many classes, the last one stands for those that are left out.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[HeatCell, ...], ...]
    left_out: int

    @classmethod
    def of(cls, grid: Grid, most: int = MOST_CLASSES) -> HeatMap:
        """Return the heat map of a square table, the rarest classes put together."""
        counts, labels, classes = np.asarray(grid.counts), grid.labels, len(grid.labels)
        if classes > most + 1:
            seen = counts.sum(axis=1) + counts.sum(axis=0)
            kept = np.sort(np.argsort(-seen, kind="stable")[:most])
            place = np.full(classes, most)
            place[kept] = np.arange(most)
            merged = np.zeros((most + 1, most + 1), dtype=counts.dtype)
            np.add.at(merged, (place[:, np.newaxis], place), counts)
            counts, labels = merged, (*(grid.labels[each] for each in kept), REST)
            classes = most
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        rows = tuple(
            # Of classes that are put together, one on the diagonal may still be wrong.
            tuple(
                HeatCell(count, share, row == column < classes)
                for column, (count, share) in enumerate(zip(*pair, strict=True))
            )
            for row, pair in enumerate(zip(counts.tolist(), shares.tolist(), strict=True))
        )
        return cls(labels, rows, len(grid.labels) - classes)


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
        (low, high), top = self.first.x_ends, self.y_end
        places = ((at, low + at * (high - low), at * top) for at in (0.0, 0.5, 1.0))
        return tuple((at, _tick(x), _tick(y)) for at, x, y in places)

    def svg_points(self, points: Points, side: float) -> str:
        """Write the corners of a line for a square picture; a tenth of a pixel cannot be seen."""
        (low, high), top = self.first.x_ends, self.y_end
        places = ((side * ((x - low) / (high - low)), side * (1 - y / top)) for x, y in points)
        return " ".join(
            ",".join(f"{each:.1f}".removesuffix(".0") for each in place) for place in places
        )


def _tick(number: float) -> str:
    return f"{number:.6g}".replace("e+", "e").replace("-", "−")


def curve_figures(panel: Panel, most: int | None = MOST_CURVES) -> tuple[CurveFigure, ...]:
    """Return the pictures of a panel, one for each kind of curve, with at most this many models."""
    kinds: dict[str, list[tuple[str, Curve]]] = {}
    for performance in panel.performances:
        for curve in performance.table.curves:
            kinds.setdefault(curve.name, []).append((performance.model, curve))
    return tuple(_figure(found, most) for found in kinds.values())


def reliability_figure(panel: Panel) -> tuple[CurveFigure, ...]:
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
    return (_figure(found, MOST_CURVES),) if found else ()


def _figure(found: list[tuple[str, Curve]], most: int | None) -> CurveFigure:
    models, curves = zip(*found[:most], strict=True)
    return CurveFigure(models, curves, len(found) - len(models))


@dataclass(frozen=True)
class Document:
    """All that is said of a report or a comparison, as renderers show it."""

    # Whether it is of verdicts or of differences.
    kind: str
    answer: Answer
    # The test set, and what a guess is.
    facts: tuple[str, ...]
    # A row per model, or per measure if there are one or two models: what decides.
    tables: tuple[Table, ...]
    # Tables whose cells have pictures; what stands at the line and at the right end, and the key.
    strips: tuple[Table, ...]
    ends: tuple[str, str]
    key: tuple[tuple[str, str, str], ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    # Every verdict or difference, and the marks to filter them by.
    every: Table
    filters: tuple[tuple[str, str], ...]
    legend: tuple[tuple[str, str], ...]
    # For how to read it: the levels of intervals and of claims, and what differs between reports.
    level: str
    alpha: float
    reading: dict[str, Any]
    # What the best guesses are, for tables without room for it.
    guesses: str = ""
    # Marks of each group, worst first.
    groups: tuple[Table, ...] = ()
    # What was right and wrong: of two classes, of several for each model, and as curves.
    counts: Table | None = None
    maps: tuple[tuple[str, HeatMap], ...] = ()
    curves: tuple[tuple[CurveFigure, ...], ...] = ()
    # Who beats whom, by each measure.
    duels: tuple[Table, ...] = ()
