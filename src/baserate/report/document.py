"""What a report and a comparison say, in one model that text, Markdown, LaTeX and HTML format."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.report.curves import CurveFigure
    from baserate.report.heat import HeatMap

GUESS_AT, PERFECT_AT = 30.0, 97.0
"""Where the best guess and a perfect score stand on every strip, in percent of its width."""
AHEAD = "Ahead of guessing?"
"""The head of the last column of a comparison."""
NAMES = {"✓": "ok", "~": "maybe", "✗": "no", "–": "na"}
"""The names of the marks, for classes of a style sheet."""


T = TypeVar("T")


def blocks(measures: Sequence[T], most: int = 6) -> list[Sequence[T]]:
    """Divide measures over tables of the same width.

    Examples
    --------
    >>> [len(block) for block in blocks(range(14))]
    [5, 5, 4]
    """
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

        Examples
        --------
        >>> Strip.of(0.25, 0.1, 0.6, room=0.5)
        Strip(at=63.5, low=43.4, high=97.0, worst=nan)
        """
        if math.isnan(margin) or not 0 < room < math.inf:
            return None
        place = GUESS_AT + (PERFECT_AT - GUESS_AT) / room * worst
        at, start, end = (_placed(each, room) for each in (margin, low, high))
        return cls(at, start, end, place if 0 < place < GUESS_AT else math.nan)

    @property
    def is_off(self) -> bool:
        """Whether the score is too far left to be drawn."""
        return self.at <= 0


def _placed(margin: float, room: float) -> float:
    place = GUESS_AT + (PERFECT_AT - GUESS_AT) * (margin / room)
    return min(max(place, 0.0), PERFECT_AT)  # nan stays nan


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

    @property
    def marked(self) -> str:
        """The text after its mark."""
        return " ".join(filter(None, (self.mark, self.text)))


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


@dataclass(frozen=True)
class Picture:
    """What was right and wrong: a heat map of each model, or curves of all of them."""

    title: str
    heat: HeatMap | None = None
    curves: tuple[CurveFigure, ...] = ()


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
    # How to read it.
    terms: tuple[tuple[str, str], ...]
    # What the best guesses are, for tables without room for it.
    guesses: str = ""
    # Marks of each group, worst first.
    groups: tuple[Table, ...] = ()
    # What was right and wrong.
    counts: Table | None = None
    pictures: tuple[Picture, ...] = ()
    # Who beats whom, by each measure.
    duels: tuple[Table, ...] = ()
