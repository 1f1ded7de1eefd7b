r"""Render the reproduction in LaTeX: a document that needs amsmath and booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reproduction.errata import ERRATA
from reproduction.reproduction import ABOUT_THE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reproduction.reproduction import Reproduction
    from reproduction.table import Cell, Table

_PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage{amsmath}
\usepackage{booktabs}
\setlength{\oddsidemargin}{-1.79cm}
\setlength{\textwidth}{19.5cm}
\setlength{\topmargin}{-2cm}
\setlength{\textheight}{26cm}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\setlength{\belowcaptionskip}{4pt}
\renewcommand{\arraystretch}{1.5}
\begin{document}
"""
_READING = (
    r"A \fbox{box} is around what the paper prints otherwise; a raised number is that of an entry "
    r"in \texttt{docs/errata.md}, which stands below the table in short."
)
# The type of a column whose words wrap.
_WORDS, _WIDTH = "Also called", "p{3.6cm}"
_LONG = 14


def render_latex(found: Reproduction) -> str:
    """Return the document."""
    parts = [
        r"\section*{The tables of the Dutch Draw, computed}",
        _READING,
        *map(_table, found.tables),
        _table(found.uci),
        _table(found.g2.table),
        r"\clearpage\section*{Cleveland Heart Disease}",
        _text(f"{found.about_the_split} The picture is in cleveland.png."),
        found.cleveland.to_latex().replace(r"\begin{table}", r"\begin{table}[htbp]"),
        r"\clearpage\section*{Many splits}",
        _text(" ".join((*found.splits.answer, ABOUT_THE_MEASURES))),
        _text("A dot for each split is in splits.png, and the example's curve in g2.png."),
        _table(found.splits.table),
    ]
    return _PREAMBLE + "\n\n".join(parts) + "\n\\end{document}\n"


def _table(table: Table) -> str:
    columns = "".join(_WIDTH if name == _WORDS else "l" for name in table.header)
    lines = [
        r"\begin{table}[htbp]",
        r"  \centering\small\setlength{\tabcolsep}{3pt}\setlength{\fboxsep}{1.5pt}",
        rf"  \caption{{{_caption(table)}}}",
        rf"  \begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"    \toprule",
        _line(map(_stacked, table.header)),
        r"    \midrule",
        *(_line(map(_cell, row, table.header)) for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *_errata(table.errata),
        r"\end{table}",
    ]
    return "\n".join(lines)


def _caption(table: Table) -> str:
    """Return the caption; LaTeX numbers Tables 1 to 4 itself."""
    is_numbered = table.name.startswith("Table ")
    return _text(table.caption if is_numbered else f"{table.name}. {table.caption}")


def _errata(numbers: Sequence[int]) -> list[str]:
    notes = [rf"{_mark(number)}~{_text(ERRATA[number].sentence)}" for number in numbers]
    return [r"  \par\smallskip\raggedright\footnotesize", *notes] if notes else []


def _cell(cell: Cell, column: str) -> str:
    text = _text(cell.text)
    if column == _WORDS:
        return rf"\raggedright {text}"
    if cell.quoted:
        return rf"\textit{{{text}}}"
    boxed = rf"\fbox{{{text}}}" if cell.corrected else text
    return rf"{boxed}\,{_mark(cell.erratum)}" if cell.erratum else boxed


def _mark(number: int) -> str:
    """Return the number of an erratum, in brackets so that it does not look like a power."""
    return f"$^{{[{number}]}}$"


def _line(cells: Iterable[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _stacked(name: str) -> str:
    """Put each word of a long name on its own line, because columns are narrow."""
    if len(name) < _LONG or "$" in name:
        return _text(name)
    lines = r"\\".join(map(_text, name.split()))
    return rf"\shortstack[l]{{{lines}}}"


def _text(text: str) -> str:
    """Escape LaTeX's special characters, outside of formulas."""
    parts = text.split("$")
    parts[::2] = [re.sub(r"([%&#_])", r"\\\1", part) for part in parts[::2]]
    return "$".join(parts)
