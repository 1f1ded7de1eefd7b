r"""Render a report in LaTeX: tables for a paper, which need only booktabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.harmless import printable
from baserate.report.panels import findings, legend, panels
from baserate.support.formatting import UNDEFINED, dropped_rows, probability
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.report.collection import Report
    from baserate.report.panels import Panel, Row
    from baserate.verdicts.verdict import Verdict

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "*": r"\(*\)", "[": "{[}", "]": "{]}",
    }
)  # fmt: skip
BATCH = 12
_MARKS = {
    Outcome.UNSURE: r"^{\sim}",
    Outcome.LEARNED: r"^{\dagger}",
    Outcome.NO_EVIDENCE: r"^{\times}",
    Outcome.REVERSED: r"^{\ddagger}",
    Outcome.UNINFORMATIVE: r"^{\circ}",
    Outcome.UNDEFINED: r"^{?}",
}


def render(report: Report) -> str:
    """Return a table environment per test set and group."""
    if not report:
        return "% no verdicts\n"
    found = "".join(f"% {printable(sentence)}\n" for sentence in findings(report))
    remarks = _remarks(report)
    tables = [_table(panel, _caption(panel, report.by, remarks)) for panel in panels(report)]
    # LaTeX can hold back only a few tables: let it place some before the next.
    batches = ("\n".join(tables[at : at + BATCH]) for at in range(0, len(tables), BATCH))
    return found + "\n\\clearpage\n".join(batches)


def _table(panel: Panel, caption: str) -> str:
    models = [_stacked(performance.model) for performance in panel.performances]
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{caption}}}",
        r"  \small\setlength{\tabcolsep}{4pt}\setlength{\fboxsep}{1.5pt}",
        rf"  \begin{{tabular}}{{lrr{'r' * len(models)}}}",
        r"    \toprule",
        line(["Measure", "Lowest", "Highest", *models]),
        r"    \midrule",
        *(line(_cells(row)) for row in panel.rows),
        r"    \midrule",
        *(line([_p_name(name), "", "", *map(p_value, found)]) for name, found in panel.p_values),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(panel: Panel, by: str | None, remarks: Sequence[str]) -> str:
    test_set = escaped(panel.title(by))
    first = f"Scores beside the lowest and the highest Dutch Draw baseline; {test_set}"
    return ". ".join([first, *remarks]) + "."


def _remarks(report: Report) -> list[str]:
    """Return the remarks that all captions share."""
    signs = [f"${_MARKS[outcome]}$~{outcome.sentence}" for outcome in legend(report)]
    return [
        r"\underline{\textbf{Underlined}}: the baseline to beat. Boxed: not beaten",
        *(["; ".join(signs)] if signs else []),
        *([dropped_rows(report.dropped).rstrip(".")] if report.dropped else []),
    ]


def _cells(row: Row) -> list[str]:
    low, high = map(numeral, row.baselines)
    baselines = [low, _to_beat(high)] if row.is_maximized else [_to_beat(low), high]
    scores = zip(row.scores, row.verdicts, strict=True)
    arrow = r"$\uparrow$" if row.is_maximized else r"$\downarrow$"
    return [
        f"{escaped(row.first.measure)} {arrow}",
        *baselines,
        *(_score(*each) for each in scores),
    ]


def _score(score: str, verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    mark = _MARKS.get(verdict.outcome)
    number = rf"\fbox{{{numeral(score)}}}" if verdict.fails else numeral(score)
    # Hang the mark outside the column, so that the numbers stay aligned.
    return f"{number}\\rlap{{${mark}$}}" if mark else number


def _to_beat(number: str) -> str:
    return rf"\underline{{\textbf{{{number}}}}}"


def numeral(written: str) -> str:
    """Write a number that is formatted for people."""
    if written == UNDEFINED:
        return "--"
    return f"${_power(written)}$" if "e-" in written else written.replace("-", "$-$")


def _power(written: str) -> str:
    """Format 1.2e-05 as a power of ten."""
    if written.startswith("<"):
        return "< 10^{-300}"
    digits, _, exponent = written.partition("e-")
    return rf"{digits} \cdot 10^{{-{exponent.lstrip('0')}}}" if exponent.isdigit() else written


def line(cells: Sequence[str]) -> str:
    """Write a row of a table."""
    return f"    {' & '.join(cells)} \\\\"


def _stacked(name: str) -> str:
    """Put each word of a name on its own line, because columns are narrow."""
    lines = r"\\".join(map(escaped, name.split()))
    return rf"\shortstack[r]{{{lines}}}"


def escaped(text: str) -> str:
    """Write a text on one line, without commands."""
    return printable(text).translate(_SPECIAL)


def p_value(value: float) -> str:
    """Write a p-value."""
    return f"${_power(probability(value))}$"


def _p_name(name: str) -> str:
    return "$p$" + escaped(name.removeprefix("p"))
