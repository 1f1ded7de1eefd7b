r"""Render a report in LaTeX: tables for a paper, which need only booktabs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.formatting import UNDEFINED, confidence, dropped_rows, printable, probability
from baserate.report.details import details
from baserate.report.panels import findings, legend, notes, shown_matrices, shown_panels
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.report.collection import Report
    from baserate.report.matrices import GroupRow, Matrix
    from baserate.report.p_values import PValue
    from baserate.report.panels import Row
    from baserate.verdicts.verdict import Verdict

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "*": r"\(*\)", "[": "{[}", "]": "{]}",
    }
)  # fmt: skip
_FLOAT = re.compile(r"-?[\d.,]+(?:e-\d+)?")
BATCH = 12
# How many measures and groups of a matrix fit on a page.
_ACROSS, _DOWN = 6, 40
_MARKS = {
    Outcome.UNSURE: r"^{\sim}",
    Outcome.LEARNED: r"^{\dagger}",
    Outcome.NO_EVIDENCE: r"^{\times}",
    Outcome.REVERSED: r"^{\ddagger}",
    Outcome.WORSE: r"^{-}",
    Outcome.UNINFORMATIVE: r"^{\circ}",
    Outcome.UNDEFINED: r"^{?}",
}


def render(report: Report) -> str:
    """Return a table environment per test set, and per model if there are groups."""
    if not report:
        return "% no verdicts\n"
    found = "".join(f"% {printable(sentence)}\n" for sentence in findings(report))
    tables = [*_panels(report), *_matrices(report)]
    # LaTeX can hold back only a few tables: let it place some before the next.
    batches = ("\n".join(tables[at : at + BATCH]) for at in range(0, len(tables), BATCH))
    return found + "\n\\clearpage\n".join(batches)


def _panels(report: Report) -> Iterator[str]:
    level = confidence(report.alpha).replace("%", r"\%")
    below = f"Below each score: its {level} interval"
    remarks = [below, *_remarks(report)]
    for panel in shown_panels(report):
        test_set = escaped(panel.title(report.by))
        caption = f"Scores beside {escaped(panel.voice.judge)}; {test_set}"
        models = [_stacked(performance.model) for performance in panel.performances]
        beside = list(map(_beside, panel.voice.beside))
        header = ["Measure", *beside, *models]
        rows = [line for row in panel.rows for line in _two_lines(row)]
        blank = [""] * len(beside)
        p_values = [
            line([_p_name(row.name), *blank, *map(_p_value, row.found)]) for row in panel.p_values
        ]
        parts = [escaped(each).replace("−", "$-$").rstrip(".") for each in details(panel)]
        yield _table(". ".join([caption, *parts, *remarks]), header, [rows, p_values])


def _matrices(report: Report) -> Iterator[str]:
    """Return a table per model, and several where groups or measures are too many for a page."""
    remarks = _remarks(report)
    by = escaped(report.by or "group")
    for matrix in shown_matrices(report):
        caption = ". ".join([f"Scores of {escaped(matrix.title(report.by))}", *remarks])
        tables = math.ceil(len(matrix.measures) / _ACROSS)
        across = math.ceil(len(matrix.measures) / tables)
        for at in range(0, len(matrix.measures), across):
            chosen = slice(at, at + across)
            names = [_label(verdict) for verdict in matrix.measures[chosen]]
            rows = [line(_of_group(matrix, row, chosen)) for row in matrix.rows]
            for down in range(0, len(rows), _DOWN):
                part = rows[down : down + _DOWN]
                yield _table(
                    caption,
                    [by, matrix.share_title.capitalize(), _p_name(matrix.p_title), *names],
                    [part],
                )


def _table(caption: str, header: Sequence[str], parts: Sequence[Sequence[str]]) -> str:
    body = "\n    \\midrule\n".join("\n".join(part) for part in parts)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{caption}.}}",
        r"  \footnotesize\setlength{\tabcolsep}{3pt}\setlength{\fboxsep}{1.5pt}",
        rf"  \begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"    \toprule",
        line(header),
        r"    \midrule",
        body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _remarks(report: Report) -> list[str]:
    """Return the remarks that all captions share."""
    signs = [
        f"${_MARKS[outcome]}$~{escaped(report.voice.says(outcome))}" for outcome in legend(report)
    ]
    dropped = [dropped_rows(report.dropped)] if report.dropped else []
    told = [escaped(note).rstrip(".") for note in (*notes(report), *dropped)]
    return ["Boxed: not beaten", *(["; ".join(signs)] if signs else []), *told]


def _two_lines(row: Row) -> Iterator[str]:
    """Return the scores, and close below them their intervals."""
    scores = map(_score, row.scores, row.verdicts)
    yield line([_label(row.first), *map(numeral, row.beside), *scores], end="[-2pt]")
    ends = (rf"\tiny {numeral(interval)}" if interval else "" for interval in row.intervals)
    yield line(["", *("" for _ in row.beside), *ends], end="[1pt]")


def _of_group(matrix: Matrix, row: GroupRow, chosen: slice) -> list[str]:
    group = escaped(str(row.performance.group))
    scores = map(_score, matrix.scores(row)[chosen], row.verdicts[chosen])
    return [group, row.share, _p_value(row.p_value), *scores]


def _label(verdict: Verdict) -> str:
    arrow = r"$\uparrow$" if verdict.direction is Direction.MAXIMIZE else r"$\downarrow$"
    return f"{escaped(verdict.measure)} {arrow}"


def _score(score: str, verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    mark = _MARKS.get(verdict.outcome)
    number = rf"\fbox{{{numeral(score)}}}" if verdict.fails else numeral(score)
    # Hang the mark outside the column, so that the numbers stay aligned.
    return f"{number}\\rlap{{${mark}$}}" if mark else number


def numeral(written: str) -> str:
    """Write a number, or an interval, that is formatted for people."""
    if written == UNDEFINED:
        return "--"
    return _FLOAT.sub(lambda found: _signed(found[0]), written).replace("–", "--")


def _signed(number: str) -> str:
    """Format one number: 1.2e-05 as a power of ten, and a minus sign that is as long as a plus."""
    return f"${_power(number)}$" if "e-" in number else number.replace("-", "$-$")


def _power(written: str) -> str:
    """Format 1.2e-05 as a power of ten."""
    digits, _, exponent = written.partition("e-")
    power = rf"{digits} \cdot 10^{{-{exponent.lstrip('0')}}}" if exponent.isdigit() else written
    return power.replace("< 1 \\cdot ", "< ").replace("≈", r"\approx")


def line(cells: Sequence[str], end: str = "") -> str:
    """Write a row of a table."""
    return f"    {' & '.join(cells)} \\\\{end}"


def _stacked(name: str) -> str:
    """Put each word of a name on its own line, because columns are narrow."""
    lines = r"\\".join(map(escaped, name.split()))
    return rf"\shortstack[r]{{{lines}}}"


def _beside(title: str) -> str:
    """Write the title of a column before the models: a word of ours, or the name of a model."""
    return "Baseline" if title == "baseline" else _stacked(title)


def escaped(text: str) -> str:
    """Write a text on one line, without commands."""
    return printable(text).translate(_SPECIAL)


def p_value(value: float, *, exact: bool, floor: float | None = None) -> str:
    """Write a p-value."""
    return f"${_power(probability(value, exact=exact, floor=floor))}$"


def _p_value(found: PValue) -> str:
    """Write a p-value of a table."""
    return p_value(found.value, exact=found.exact, floor=found.floor)


def _p_name(name: str) -> str:
    return "$p$" + escaped(name.removeprefix("p"))
