r"""Render a comparison in LaTeX: tables for a paper, which need only booktabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.formatting import confidence, dropped_rows
from baserate.report.comparison.tables import note, tables
from baserate.report.latex import BATCH, escaped, line, numeral, p_value
from baserate.verdicts.difference_sentences import numbers

if TYPE_CHECKING:
    from baserate.report.comparison.collection import Comparison
    from baserate.report.comparison.tables import Table
    from baserate.verdicts.difference import Difference

_SCORES = r"\multicolumn{2}{c}{Scores}"


def render(comparison: Comparison) -> str:
    """Return a table environment per test set and group."""
    if not comparison:
        return "% no differences\n"
    found = [_table(table, comparison) for table in tables(comparison)]
    # LaTeX can hold back only a few tables: let it place some before the next.
    batches = ("\n".join(found[at : at + BATCH]) for at in range(0, len(found), BATCH))
    return "\n\\clearpage\n".join(batches)


def _table(table: Table, comparison: Comparison) -> str:
    ends = f"{escaped(confidence(comparison.alpha))} interval"
    p = "$p$" if comparison.standard.adjust is None else "adjusted $p$"
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(table, comparison)}}}",
        r"  \small\setlength{\tabcolsep}{4pt}",
        r"  \begin{tabular}{lllrrrrr}",
        r"    \toprule",
        line(["First", "Second", "Measure", _SCORES, "Difference", ends, p]),
        r"    \midrule",
        *(line(_cells(each)) for each in table.differences),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(table: Table, comparison: Comparison) -> str:
    unit = "row" if comparison.pairs[0].clusters is None else "cluster"
    swaps = f"$p$-values are those of swapping answers {unit} by {unit}"
    parts = [
        f"Models compared on the same observations; {escaped(table.title)}",
        f"Differences are first minus second; {swaps}",
        rf"\textbf{{Bold}}: the better model, at {comparison.alpha:g}",
    ]
    if told := note(comparison):
        parts.append(escaped(told).rstrip("."))
    if comparison.dropped:
        parts.append(dropped_rows(comparison.dropped).rstrip("."))
    return ". ".join(parts) + "."


def _cells(difference: Difference) -> list[str]:
    shown = numbers(difference)
    arrow = r"$\uparrow$" if difference.direction is Direction.MAXIMIZE else r"$\downarrow$"
    names = [_name(name, difference) for name in (difference.first, difference.second)]
    low, high = numeral(shown["low"]), numeral(shown["high"])
    return [
        *names,
        f"{escaped(difference.measure)} {arrow}",
        *(numeral(shown[name]) for name in ("first", "second", "difference")),
        low if low == "--" else f"{low} to {high}",
        p_value(difference.p_adjusted, exact=difference.exact, floor=difference.p_floor),
    ]


def _name(name: str, difference: Difference) -> str:
    plain = escaped(name)
    return rf"\textbf{{{plain}}}" if difference.winner == name else plain
