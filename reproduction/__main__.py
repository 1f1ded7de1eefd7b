"""`make paper`: compute the paper's tables and figures, and write them as HTML, LaTeX and PNG."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.html import render_html
from reproduction.latex import render_latex
from reproduction.pictures import pictures
from reproduction.reproduction import reproduce

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDTH = 100


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute everything, write it to a folder, and print how often models fall below."""
    asked = _parser().parse_args(arguments)
    asked.output.mkdir(parents=True, exist_ok=True)  # fail before the work begins
    found = reproduce(asked.splits, asked.seed)
    drawn = pictures(found)
    page, document = render_html(found, drawn), render_latex(found)
    files = {"index.html": page.encode(), "paper.tex": document.encode(), **drawn}
    for name, content in files.items():
        (asked.output / name).write_bytes(content)
    print(f"{asked.output} has {', '.join(files)}.")
    for sentence in found.splits.answer:
        print(textwrap.fill(sentence, _WIDTH))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reproduction", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/paper"), metavar="FOLDER")
    parser.add_argument("--splits", type=_at_least(1), default=200, metavar="N")
    parser.add_argument("--seed", type=_at_least(0), default=0, metavar="N")
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    """Return a parser for a whole number of at least this size."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"must be at least {least} (got {text})")
        return int(text)

    return number


if __name__ == "__main__":
    main()
