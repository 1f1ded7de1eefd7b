"""Write pages before a build, from the library's own facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a page, unless it is already there: an unchanged page is not built again."""
    if path.exists() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def found_by(*names: str) -> str:
    """Return the words by which the search finds a page."""
    entries = ", ".join(f"! {name}" for name in names if not {",", ";", "!"} & set(name))
    return f"```{{index}} {entries}\n```"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def math(latex: str) -> str:
    """Return a formula within a sentence."""
    return f"{{math}}`{latex}`"


def display(latex: str) -> str:
    """Return a formula on its own line."""
    return f"```{{math}}\n{latex}\n```"
