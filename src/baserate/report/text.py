"""Format a document for a terminal."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from baserate.formatting import sanitize
from baserate.report.alignment import KEPT, WIDTH, aligned, display_width, folded, shortened, width
from baserate.report.document import AHEAD, GUESS_AT, PERFECT_AT, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.report.document import Cell, Document, Table

# The most rows of a table, and the most tables, to print; read a larger report as HTML.
_MOST_ROWS, _MOST_TABLES = 40, 12
# The most rows of a picture, and its width with that of the names before it.
_MOST_STRIPS, _STRIP, _NAME = 12, 32, 22
# A name is cut to the longest, and to the shortest if the others then fit on the line.
_LONGEST, _SHORTEST = 26, 20
_MORE = "(more: to_html)"
_DOTS = {"✓": "●", "~": "○", "✗": "✗"}


def render(document: Document) -> str:
    """Return the answer, the tables, and what to do next."""
    blocks = [_answer(document), *_tables(document)]
    said = [
        folded(f"{step.mark or '·'} {_step(step.who, step.said)}", "  ") for step in document.steps
    ]
    said += [folded(f"· {note}", "  ") for note in (document.guesses, *document.notes) if note]
    legend = "   ".join(" ".join(pair) for pair in document.legend)
    ending = f"{legend}   {_MORE}"
    if display_width(ending) > WIDTH:
        ending = f"{legend}\n{_MORE}"
    is_shown = document.tables or document.groups or document.strips
    parts = [*blocks, "\n".join(said), ending if is_shown else ""]
    return sanitize("\n\n".join(filter(None, parts)))


def _answer(document: Document) -> str:
    mark, headline, second = document.answer
    facts = " ".join(document.facts)
    return "\n".join(
        [
            folded(f"{mark} {headline}", "  "),
            *(folded(f"  {each}", "  ") for each in (second, facts) if each),
        ]
    )


def _step(who: str, said: str) -> str:
    return f"{who}: {said}" if who else said


def _tables(document: Document) -> Iterator[str]:
    for table in document.tables[:_MOST_TABLES]:
        titled = [table.title, ""] if len({each.title for each in document.tables}) > 1 else []
        yield "\n".join([*titled, *_block(table), *_more(table.more)])
    if len(document.tables) > _MOST_TABLES:
        yield f"… and {len(document.tables) - _MOST_TABLES} more tables"
    every = document.every
    has_groups = sum(column.is_text for column in every.columns) > 4
    is_told = document.tables and (not has_groups or document.tables[0].columns[0].title != "Model")
    if document.kind == "difference" and every.rows and not is_told:
        yield from _limited(_plain(every), len(every.rows) + every.more)
    for table in document.groups[:_MOST_TABLES]:
        for model, part in _by_model(table):
            title = f"{model}: {table.title.lower()}"
            yield from _limited(_block(part), len(table.rows) + table.more, title)
    if len(document.groups) > _MOST_TABLES:
        yield f"… and {len(document.groups) - _MOST_TABLES} more models"
    if document.kind == "verdict" and document.strips and not document.groups:
        yield from _pictures(document.strips[0], document.ends)


def _by_model(table: Table) -> Iterator[tuple[str, Table]]:
    """Divide a table of marks into one per model."""
    heads = table.columns
    for model in dict.fromkeys(column.over for column in heads if column.over):
        number = [at for at, column in enumerate(heads) if not (column.over or column.is_text)]
        kept = [0, *number, *(at for at, column in enumerate(heads) if column.over == model)]
        rows = [_without_words(row, kept) for row in table.rows]
        yield (
            model,
            replace(table, columns=tuple(heads[at] for at in kept), rows=tuple(rows)),
        )


def _without_words(row: Row, kept: list[int]) -> Row:
    cells = [row.cells[at] for at in kept]
    if row.kind == "dim":
        cells[0] = replace(cells[0], text=f"{cells[0].text} (too small)")
    return Row(tuple(cells), row.kind)


def _limited(lines: list[str], rows: int, title: str = "") -> Iterator[str]:
    """Yield the first lines of a table, and say how many rows are left out."""
    heads = len(lines) - min(rows, len(lines) - 1)
    shown = lines[: max(heads, 1) + _MOST_ROWS]
    yield "\n".join([*([title, ""] if title else []), *shown, *_more(rows - _MOST_ROWS)])


def _more(left: int) -> list[str]:
    return [f"… and {left:,} more"] if left > 0 else []


def _plain(table: Table) -> list[str]:
    """Return the columns of differences that fit: who over whom, by how much, and the scores."""
    *names, verdict, scores, number, ends, p, _ = range(len(table.columns))
    places = [*names[2:], number, ends, p, scores]
    lines = [[f"first{KEPT}over{KEPT}second", *(_kept(table.columns[at].title) for at in places)]]
    for row in table.rows[: _MOST_ROWS + 1]:
        cells = [row.cells[at].text for at in places]
        cells[places.index(number)] = f"{row.cells[verdict].mark} {row.cells[number].text}"
        lines.append([f"{row.cells[0].text} over {row.cells[1].text}", *cells])
    columns = [list(column) for column in zip(*lines, strict=True)]
    if sum(map(width, columns)) > WIDTH:
        columns = columns[:-1]
    left = range(len(names) - 1)
    return list(aligned(columns[:1], columns[1:], left=left))


def _kept(title: str) -> str:
    return title.lower().replace(" ", KEPT).replace("ci", "CI")


def _block(table: Table) -> list[str]:
    """Return the lines of a table of scores or of marks."""
    heads = [_head(table, place) for place in range(len(table.columns))]
    lines = [
        [_cell(cell, table, place) for place, cell in enumerate(row.cells)] for row in table.rows
    ]
    columns = [list(column) for column in zip(heads, *lines, strict=True)]
    # What stands beside the measures is left out before a line is broken, and names are cut.
    names = min(max(map(display_width, columns[0])), _LONGEST)
    if table.columns[-1].title in ("p-value", AHEAD) and _room(columns) < min(names, _SHORTEST):
        columns = columns[:-1]
    room = min(max(_room(columns), _SHORTEST), _LONGEST)
    columns[0] = [shortened(name, room) for name in columns[0]]
    return list(aligned(columns[:1], columns[1:], left=[0]))


def _room(columns: list[list[str]]) -> int:
    """Return how wide the first column may be."""
    return WIDTH - sum(map(width, columns[1:]))


def _head(table: Table, place: int) -> str:
    column = table.columns[place]
    if not place:
        return "" if table.columns[0].title in ("Model", "Measure") else column.title.lower()
    return column.title


def _cell(cell: Cell, table: Table, place: int) -> str:
    if table.columns[place].over:
        return cell.mark
    return cell.text.lower() if cell.text == "Best guess" else cell.marked


def _pictures(table: Table, ends: tuple[str, str]) -> Iterator[str]:
    """Draw the first column of strips, or all rows if there is one column."""
    rows = [row for row in table.rows if row.cells[1].strip is not None][:_MOST_STRIPS]
    if not rows:
        return
    title = (
        table.columns[1].title
        if len(table.columns) > 1 and table.columns[0].title == "Model"
        else ""
    )
    guess, perfect = _at(GUESS_AT), _at(PERFECT_AT)
    head = f"{shortened(title, _NAME):<{_NAME}}"
    words = shortened(ends[0], 2 * guess)
    before = " " * max(guess - len(words) // 2, 0)
    line = f"{head}{before}{words}"
    line += " " * (_NAME + perfect + 1 - len("perfect") - len(line)) + "perfect"
    beside = [f"  {row.cells[1].small}" if title else "" for row in rows]
    line += "   margin, interval" if title else ""
    lines = [
        f"{_padded(row)}{drawn(row.cells[1])}{more}" for row, more in zip(rows, beside, strict=True)
    ]
    yield "\n".join([line, *lines])


def _padded(row: Row) -> str:
    name = shortened(row.cells[0].text, _NAME - 1)
    return name + " " * (_NAME - display_width(name))


def drawn(cell: Cell) -> str:
    """Draw a strip: the score and its interval between the best guess and a perfect score."""
    strip = cell.strip
    assert strip is not None  # noqa: S101
    guess, perfect = _at(GUESS_AT), _at(PERFECT_AT)
    line = ["░"] * guess + ["│"] + [" "] * (perfect - guess - 1) + ["┊"]
    if not math.isnan(strip.low):
        for place in range(_at(strip.low), _at(strip.high) + 1):
            if place != guess:
                line[place] = "━"
    line[_at(strip.at)] = "◂" if strip.is_off else _DOTS.get(cell.mark, "●")
    return "".join(line)


def _at(percent: float) -> int:
    return round(percent / 100 * (_STRIP - 1))
