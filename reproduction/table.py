"""A table of the paper: words and formulas, with the cells that the paper prints differently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    text
        Words, with LaTeX between dollar signs.
    erratum
        The number of its erratum in docs/errata.md.
    corrected
        Whether the paper prints something else here. If not, the erratum is a remark.
    quoted
        Whether this is the paper's printed value, next to the computed one.
    """

    text: str
    erratum: int | None = None
    corrected: bool = False
    quoted: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    name
        Its name, such as ``"Table 1"``.
    caption
        What it shows, as the text of a cell.
    header
        The names of the columns.
    rows
        The cells of each row.
    errata
        The numbers of all its errata, including those that are not about one cell.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    errata: tuple[int, ...] = ()
