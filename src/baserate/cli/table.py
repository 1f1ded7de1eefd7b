"""Small tables, for a terminal and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Table:
    """Rows of text under a header.

    Parameters
    ----------
    header
        The names of the columns.
    rows
        The cells.
    numbers
        Which columns are numbers, and align right.

    Examples
    --------
    >>> table = Table(("measure", "lowest"), (("F1 ↑", "0.013"), ("MCC ↑", "0.000")), numbers=(1,))
    >>> print(table.text())
    measure  lowest
    F1 ↑      0.013
    MCC ↑     0.000
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()

    def text(self) -> str:
        """Return the table with aligned columns."""
        from baserate.report.alignment import display_width

        lines = (self.header, *self.rows)
        widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
        return "\n".join(self._aligned(line, widths) for line in lines)

    def _aligned(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        from baserate.report.alignment import display_width

        padded = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (width - display_width(cell))
            padded.append(blanks + cell if place in self.numbers else cell + blanks)
        return "  ".join(padded).rstrip()

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        from baserate.report.markdown import escaped, line

        sides = ["---:" if place in self.numbers else ":---" for place in range(len(self.header))]
        rows = (line([escaped(cell) for cell in row]) for row in self.rows)
        header = [name.strip() for name in self.header]
        return "\n".join([line(header), line(sides), *rows])
