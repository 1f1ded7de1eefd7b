"""Mutants: copies of a module with one small change."""

from __future__ import annotations

import ast
import difflib
import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from coverage_of_tests import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

# The kernels: what computes a number, and neither reads data nor says a sentence.
_KERNELS = """
core/multiple_testing.py core/baseline.py paired.py
observed/best_constants.py
null/*.py intervals/*.py measures/*.py baselines/*.py
multiple_choice.py
kinds/*_null.py kinds/*_intervals.py
"""
MODULES = tuple(
    path.relative_to(SOURCE).as_posix()
    for pattern in _KERNELS.split()
    for path in sorted(SOURCE.glob(pattern))
    if path.stem != "__init__"
)
# One or two changes of each kind per place: exchange + and -, or * and /; move or reverse a bound;
# add 1 to a constant, or subtract it. Other arithmetic (%, <<, ^) would die with these, and every
# | here is an annotation.
_ARITHMETIC = "Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Mul|FloorDiv_Div"
_BOUNDS = (
    "LtE_Lt|LtE_Gt|Lt_LtE|Lt_GtE|GtE_Gt|GtE_Lt|Gt_GtE|Gt_LtE|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is"
)
_LEFT_OUT = re.compile(
    rf"core/Replace(BinaryOperator_(?!({_ARITHMETIC})$)|ComparisonOperator_(?!({_BOUNDS})$)"
    "|UnaryOperator_(?!(USub_UAdd|Delete_Not)$))"
)


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Parameters
    ----------
    module
        The path of the module, below the package.
    operator
        The kind of change.
    code
        The changed module.
    before, after
        The lines that differ.
    within
        The function, class or constant that is changed.
    number
        The index among identical changes in one place.
    lines
        The lines of the original that are changed.
    """

    module: str
    operator: str
    code: str
    before: str = ""
    after: str = ""
    within: str = ""
    number: int = 0
    lines: tuple[int, ...] = ()

    @property
    def kind(self) -> tuple[str, str, str]:
        """Where and how it is changed; explanations refer to this."""
        return self.module, self.within, self.operator

    @property
    def name(self) -> str:
        """What identifies it, even if other lines of the module change."""
        return json.dumps([*self.kind, self.before, self.after, self.number])


def unchanged(module: str) -> Mutant:
    """Return an unchanged module, which must pass all tests."""
    original = (SOURCE / module).read_text(encoding="utf-8")
    return Mutant(module, "nothing", original)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module, each once, in a random order that is always the same."""
    original = unchanged(module).code
    seen, numbers = {original}, Counter[tuple[str, ...]]()
    tree = ast.parse(original)
    places = list(_places(original))
    random.Random(module).shuffle(places)  # noqa: S311
    for name, occurrence in places:
        code = mutate_code(original, get_operator(name)(), occurrence)
        lines = _lines(original, code)
        if code not in seen and not lines[0].startswith("if TYPE_CHECKING"):
            seen.add(code)
            place = _place(original, code)
            change = (*lines, _within(tree, place))
            numbers[change] += 1
            yield Mutant(
                *(module, name.removeprefix("core/"), code, *change, numbers[change]),
                _statement(tree, place),
            )


def _places(original: str) -> Iterator[tuple[str, int]]:
    """Yield each kind of change, with the number of each place where it can be made."""
    nodes = list(ast_nodes(get_ast(original)))
    for name in operator_names():
        kind = get_operator(name)
        if not (_LEFT_OUT.match(name) or kind.arguments()):
            operator = kind()
            found = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from ((name, occurrence) for occurrence in range(found))


def _place(original: str, code: str) -> int:
    """Return the number of the first line that differs."""
    pairs = zip(original.splitlines(), code.splitlines(), strict=False)
    return next(line for line, (old, new) in enumerate(pairs, 1) if old != new)


def _statement(tree: ast.AST, line: int) -> tuple[int, ...]:
    """Return the lines of the smallest statement at a line: coverage knows it by its first."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            last = line if hasattr(node, "body") else node.end_lineno or line
            found = range(node.lineno, last + 1)
    return tuple(found)


def _within(tree: ast.AST, line: int, outer: str = "") -> str:
    """Return the innermost function or class at a line, or the constant defined there."""
    for node in ast.iter_child_nodes(tree):
        decorators = getattr(node, "decorator_list", [])
        first = min(
            (each.lineno for each in (node, *decorators) if hasattr(each, "lineno")), default=0
        )
        if not first <= line <= getattr(node, "end_lineno", 0):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}" if outer else node.name
            return _within(node, line, name)
        if not outer and isinstance(node, ast.Assign):
            return ast.unparse(node.targets[0])
    return outer or "module"


def _lines(original: str, code: str) -> tuple[str, str]:
    """Return the lines that differ, before and after."""
    diff = difflib.unified_diff(original.splitlines(), code.splitlines(), n=0)
    lines = list(diff)[3:]  # skip the file names and the position
    before, after = (
        "\n".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return before.strip(), after.strip()
