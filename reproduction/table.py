"""A table of the paper: words and formulas, and which of its cells the paper prints otherwise."""

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
        The number in docs/errata.md of what there is to say of it.
    corrected
        Whether the paper prints something else here. If not, an erratum is a remark.
    quoted
        Whether it is what the paper prints, beside what is computed.
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
        What it is called, such as ``"Table 1"``.
    caption
        What it shows, as the text of a cell.
    header
        The names of the columns.
    rows
        The cells of each row.
    errata
        The numbers of all errata about it, of which not all are about one cell.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    errata: tuple[int, ...] = ()
