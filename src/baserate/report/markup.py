r"""Format a document in Markdown, with GitHub's tables; in LaTeX, with booktabs; and in HTML."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidReportError
from baserate.formatting import UNDEFINED, number_format, printable, sanitize, shown
from baserate.report.document import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import Environment

    from baserate.report.document import Cell, Column, Document, Table

# Markdown.

# What is markup wherever it stands, a tag, an entity, and what stands at the edge of a word.
_MARKUP = re.compile(
    r"[\\`\[|$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|[*~](?=\S)|(?<=\S)[*~]|(?<![^\W_])_|_(?![^\W_])"
)
# What makes a line something other than a sentence: a list, a rule, a heading or a quotation.
_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+*](?:[\s-]|$)|#{1,6}(?:\s|$)|>))")


def render_markdown(document: Document) -> str:
    """Return the answer, the tables, and what to do next, in Markdown."""
    mark, headline, second = document.answer
    tables = [*document.tables, *document.groups]
    tables += [document.every] if document.kind == "difference" else []
    steps = (
        (step.mark, (f"**{escaped(step.who)}:** " if step.who else "") + line_of(step.said))
        for step in document.steps
    )
    bullets = [
        *(" ".join(filter(None, ("-", *step))) for step in steps),
        *(f"- {line_of(note)}" for note in document.notes),
    ]
    blocks = [
        f"**{mark} {line_of(headline)}**",
        *map(line_of, (second, " ".join(document.facts))),
        *(_markdown_table(table, document) for table in tables),
        "\n".join(bullets),
        "   ".join(" ".join(pair) for pair in document.legend),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _markdown_table(table: Table, document: Document) -> str:
    heads = [
        " ".join(filter(None, (escaped(column.over), escaped(column.full))))
        for column in table.columns
    ]
    rows = [
        [_markdown_cell(cell, table.columns[place], place) for place, cell in enumerate(row.cells)]
        for row in table.rows
    ]
    is_titled = table.only_marks or len({each.title for each in document.tables}) > 1
    title = [line_of(table.title), ""] if is_titled and table.title else []
    more = ["", f"… and {table.more:,} more"] if table.more > 0 else []
    texts = [column.is_text for column in table.columns]
    return "\n".join([*title, markdown_lines(heads, texts, rows), *more])


def markdown_lines(
    heads: Sequence[str], texts: Sequence[bool], rows: Sequence[Sequence[str]]
) -> str:
    """Return the lines of a table; columns of texts are aligned left."""
    sides = [":---" if is_text else "---:" for is_text in texts]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, sides, *rows))


def _markdown_cell(cell: Cell, column: Column, place: int) -> str:
    if column.over:
        return cell.mark
    text = f"{cell.mark} {escaped(cell.text)}".strip()
    is_beside = cell.small and place and "(" not in cell.small
    return f"{text} ({escaped(cell.small)})" if is_beside else text


def escaped(text: str) -> str:
    """Return a text on one line, with a backslash before what would be markup inside a line."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(printable(text).split()))


def line_of(text: str) -> str:
    """Return a text as a line of its own: it cannot become a list or a heading."""
    return _START.sub(r"\1\\", escaped(text))


# LaTeX.

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "*": r"\(*\)", "[": "{[}", "]": "{]}", "θ": r"\(\theta\)", "−": "$-$", "≈": r"$\approx$",
    }
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?[\d.,]+(?:e-\d+)?")
_NUMERIC = re.compile(rf"[<≈ ]*{_NUMBER.pattern}(?: (?:to|and) {_NUMBER.pattern})?%?")
# How many columns and rows of a table fit on a page, and how many tables LaTeX can hold back.
_ACROSS, _DOWN, _BATCH = 8, 40, 12
_SIGNS = {"✓": "", "~": r"^{\sim}", "✗": r"^{\times}", "–": r"^{\circ}"}


def render_latex(document: Document) -> str:
    """Return a table environment per test set, and per model if there are groups, in LaTeX."""
    said = filter(None, document.answer[1:])
    chosen = [*document.tables, *document.groups]
    if document.kind == "difference" and document.every.rows:
        chosen.append(document.every)
    tables = [_latex_table(part, document) for table in chosen for part in _pages(table)]
    batches = ("\n".join(tables[at : at + _BATCH]) for at in range(0, len(tables), _BATCH))
    return "".join(f"% {printable(text)}\n" for text in said) + "\n\\clearpage\n".join(batches)


def _pages(table: Table) -> Iterator[Table]:
    """Divide a table into parts that fit on a page."""
    fixed = sum(not column.over for column in table.columns) if table.only_marks else 1
    others = range(fixed, len(table.columns))
    across = _ACROSS if table.only_marks else len(others)
    count = math.ceil(len(others) / across)
    size = math.ceil(len(others) / count) if count else 1
    for at in range(0, len(others), size):
        kept = [*range(fixed), *others[at : at + size]]
        rows = [Row(tuple(row.cells[place] for place in kept), row.kind) for row in table.rows]
        columns = tuple(table.columns[place] for place in kept)
        for down in range(0, len(rows), _DOWN):
            yield replace(table, columns=columns, rows=tuple(rows[down : down + _DOWN]))


def _latex_table(table: Table, document: Document) -> str:
    body = []
    for row in table.rows:
        body.append(_line([_latex_cell(cell, at, table) for at, cell in enumerate(row.cells)]))
        if any(cell.strip for cell in row.cells) and not table.only_marks:
            small = [rf"\tiny {_margin(cell)}" if cell.strip else "" for cell in row.cells]
            body[-1] += "[-2pt]"
            body.append(f"{_line(small)}[1pt]")
        if row.kind == "guess":
            body.insert(len(body) - (row is table.rows[-1]), r"    \midrule")
    sides = "".join("l" if column.is_text else "r" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(table, document)}.}}",
        r"  \footnotesize\setlength{\tabcolsep}{3pt}",
        rf"  \begin{{tabular}}{{{sides}}}",
        r"    \toprule",
        _line([_latex_head(column, place) for place, column in enumerate(table.columns)]),
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _margin(cell: Cell) -> str:
    """Write the margin and its interval."""
    number, _, ends = cell.small.partition(" ")
    return f"{_numeral(number)} ({_numeral(ends.strip('()'))})" if ends else _numeral(number)


def _caption(table: Table, document: Document) -> str:
    """Say what the table shows, what marks mean, and all that a reader must know."""
    told = [table.title or document.facts[0].rstrip(".")]
    if document.kind == "verdict" and table in document.tables and len(table.rows) > 1:
        told.append("Below each score: its margin and the interval of that")
    signs = [f"${_SIGNS[mark]}$~{_tex(words)}" for mark, words in document.legend if _SIGNS[mark]]
    notes = [_tex(note).rstrip(".") for note in (document.guesses, *document.notes) if note]
    return ". ".join([*map(_tex, told), "; ".join(signs), *notes])


def _latex_head(column: Column, place: int) -> str:
    """Put each word of a title on its own line, because columns are narrow."""
    words = " ".join(filter(None, (column.over, column.full))).split()
    if place == 0 or len(words) < 2:
        return _tex(column.full)
    lines = r"\\".join(map(_tex, words))
    return rf"\shortstack[r]{{{lines}}}"


def _latex_cell(cell: Cell, place: int, table: Table) -> str:
    if not place or table.columns[place].is_text:
        return _tex(cell.text)
    mark, text = _SIGNS.get(cell.mark, ""), _numeral(cell.text)
    # Hang the mark outside the column, so that the numbers stay aligned.
    return f"{text}\\rlap{{${mark}$}}" if mark else text


def _numeral(written: str) -> str:
    """Write a number, or an interval, that is formatted for people."""
    if written == UNDEFINED:
        return "--"
    if not _NUMERIC.fullmatch(written):
        return _tex(written)
    text = _NUMBER.sub(lambda found: _signed(found[0]), written)
    return text.replace("<", "$<$").replace("≈", r"$\approx$").replace("%", r"\%")


def _signed(number: str) -> str:
    """Format one number: 1.2e-05 as a power of ten, and a minus sign that is as long as a plus."""
    digits, _, exponent = number.partition("e-")
    if exponent:
        return rf"${digits} \cdot 10^{{-{exponent.lstrip('0')}}}$"
    return number.replace("-", "$-$").replace("+", "$+$")


def _tex(text: str) -> str:
    """Write a text on one line, without commands."""
    return printable(text).translate(_SPECIAL)


# HTML.

# More verdicts than these are folded, and a notebook shows fewer rows and steps.
_FOLDED, _FEW = 60, 12
_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")


def render_page(document: Document, title: str | None = None, notes: str | None = None) -> str:
    """Return an HTML page that loads no other resource."""
    for name, text in (("title", title), ("notes", notes)):
        if not isinstance(text, str | None):
            raise InvalidReportError(f"{name} must be text (got {shown(text)})")
    paragraphs = [part for part in re.split(r"\n\s*\n", notes or "") if part.strip()]
    facts = {"title": title or "", "paragraphs": paragraphs, "folded": _FOLDED}
    return _rendered("page.html", document, **facts)


def render_fragment(document: Document) -> str:
    """Return the answer, its tables and what to do next as HTML for a notebook."""
    return _rendered("fragment.html", document, few=_FEW)


def _rendered(template: str, document: Document, **facts: Any) -> str:
    from baserate import __version__

    found = environment().get_template(template)
    return sanitize(found.render(doc=document, version=__version__, **facts))


@cache
def environment(*folders: str) -> Environment:
    """Return an environment with templates in these folders, then in the report's own.

    Every value is escaped, and a missing one is an error.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader([*folders, f"{Path(__file__).parent}/templates"]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # The names of the marks, for classes of a style sheet.
    found.globals["name_of"] = {"✓": "ok", "~": "maybe", "✗": "no", "–": "na"}
    found.filters |= {
        "area": lambda value: number_format([value])(value),
        "known": lambda value: value is not None and not math.isnan(value),
        "minus": lambda text: _MINUS.sub("−", text),
        "pc": lambda value: f"{value:.4g}%",
    }
    return found
