"""Imports go one way through the packages of the library."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tools import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = ROOT / "src" / "baserate"
# Each package may import those above it, and none on its own line.
ORDER = (
    ("formatting",),
    ("exceptions",),
    ("arguments", "progress"),
    ("records",),
    ("core",),
    ("intervals",),
    ("data", "datasets"),
    ("observed",),
    ("null",),
    ("paired", "task"),
    ("measures",),
    ("baselines",),
    ("multiple_choice", "kinds"),
    ("verdicts",),
    ("report",),
    ("evaluation",),
    ("sklearn",),
    ("plots", "demo"),
    ("cli",),
    ("public",),
    ("__main__", "__init__"),
)
# Labels are kinds of their own; scores may be cut to labels, and all but numbers may be weighted.
KINDS = (("two_classes", "classes", "numbers"), ("scores",), ("class_scores",), ("weighted",))
FILES = sorted(SOURCE.rglob("*.py"))


def _module(path: Path) -> tuple[str, ...]:
    return path.relative_to(SOURCE).with_suffix("").parts


def _imported(tree: ast.Module) -> set[tuple[str, ...]]:
    """Return the library's modules that a module imports, also inside functions and for types.

    Code after ``if __name__ == "__main__"`` does not count.
    """
    found = set()
    body = [each for each in tree.body if "__main__" not in ast.unparse(each)]
    doors = set(_doors(tree))
    for node in ast.walk(ast.Module(body, [])):
        if node in doors:
            continue
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name == "baserate" and isinstance(node, ast.ImportFrom):
                found |= {(alias.name,) for alias in node.names}
            elif name.startswith("baserate."):
                found.add(tuple(name.split(".")[1:]))
    return found


def _doors(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield imports against the flow: for pictures of results, measures of users, and types."""
    for node in ast.walk(tree):
        is_door = isinstance(node, ast.FunctionDef) and node.name in ("plot", "custom")
        if is_door or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            for each in ast.walk(node):
                if isinstance(each, ast.ImportFrom) and str(each.module).startswith(
                    ("baserate.plots", "baserate.measures.custom")
                ):
                    yield each


def _place(order: tuple[tuple[str, ...], ...], room: str) -> int:
    return next(place for place, rooms in enumerate(order) if room in rooms)


def _kind(name: str) -> str:
    """Return which kind a module is part of, such as ``classes`` for ``classes_null``."""
    rooms = (room for rooms in KINDS for room in rooms)
    return max((room for room in rooms if name.startswith(room)), key=len)


def _violations(module: tuple[str, ...], tree: ast.Module) -> list[str]:
    wrong = []
    for other in _imported(tree):
        if other == ("__version__",):
            continue
        order, here, there = ORDER, module[0], other[0]
        if here == there == "kinds" and len(module) > 1 and len(other) > 1:
            order, here, there = KINDS, _kind(module[1]), _kind(other[1])
        if here != there and _place(order, there) >= _place(order, here):
            wrong.append(".".join(other))
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(_module(path)))
def test_imports_go_one_way(path: Path) -> None:
    """A module imports only its own package and those before it."""
    assert _violations(_module(path), ast.parse(path.read_text(encoding="utf-8"))) == []


def test_the_law_can_fail() -> None:
    """The test notices an import the other way, even inside a function."""
    tree = ast.parse("def f():\n    from baserate.report import Report\n")
    assert _violations(("core", "measure"), tree) == ["report"]
    assert _violations(("cli", "check"), tree) == []
    door = "def plot():\n    from baserate.plots.strips import ReportDisplay\n"
    assert _violations(("report", "collection"), ast.parse(door)) == []
    other = door.replace("plot()", "render()")
    assert _violations(("report", "collection"), ast.parse(other)) == ["plots.strips"]
