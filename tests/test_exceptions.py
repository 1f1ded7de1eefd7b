"""An error knows what it is about, says so on one line, and survives a trip between processes."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.exceptions import BaserateError
from baserate.formatting import Term, setting, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = Path(br.__file__).parent
ERRORS = [
    error
    for error in map(br.exceptions.__dict__.__getitem__, br.exceptions.__all__)
    if issubclass(error, BaserateError)
]
COPIES = {"pickle": lambda error: pickle.loads(pickle.dumps(error)), "copy": copy.copy}
COPIES["deep copy"] = copy.deepcopy


def _in_capitals(term: Term) -> str:
    return term.name.upper() if term.value is None else f"{term.name.upper()} {term.value}"


@pytest.mark.parametrize(
    ("parameters", "subject"),
    [((), ""), (("a",), "a "), (("a", "b"), "a and b "), (("a", "b", "c"), "a, b and c ")],
)
def test_an_error_may_be_about_several(parameters: tuple[str, ...], subject: str) -> None:
    """They are listed as in a sentence, and the first is the parameter of the error."""
    error = BaserateError("must be different", parameter=parameters)
    assert str(error) == f"{subject}must be different"
    assert error.parameters == parameters
    assert error.parameter == (parameters[0] if parameters else "")


def test_names_can_be_spelled_in_another_way() -> None:
    """And nothing else changes, although the same word is in the text."""
    error = BaserateError(
        "must not be missing (got 'by'); say ", setting("missing", "drop"), parameter="by"
    )
    assert str(error) == "by must not be missing (got 'by'); say missing='drop'"
    assert error.said(_in_capitals) == "BY must not be missing (got 'by'); say MISSING drop"


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_is_the_same_error(copied: Callable[[BaserateError], BaserateError]) -> None:
    """Whichever way it travels, and whatever built-in it derives from."""
    for kind in ERRORS:
        _survives(kind, copied)


def _survives(kind: type[BaserateError], copied: Callable[[BaserateError], BaserateError]) -> None:
    plain = kind("no file 'a\nb'")
    error = kind("must be 1 or ", setting("b", "two"), parameter=("a", "b"))
    error.add_note("a note")
    for each in (plain, error):
        other = copied(each)
        assert type(other) is kind
        assert str(other) == str(each)
        assert other.args == each.args
        assert other.parameters == each.parameters
        assert other.said(_in_capitals) == each.said(_in_capitals)
    assert copied(error).__notes__ == ["a note"]


def _texts(module: Path) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    statements = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in statements:
            yield str(node.value)


def _names_an_option(text: str) -> bool:
    return re.search(r"(^|[^\w-])--[a-z]", text) is not None and " " in text


def test_only_the_command_line_speaks_of_options() -> None:
    """A user of the library has none."""
    assert _names_an_option("say --force")
    modules = [path for path in SOURCE.rglob("*.py") if "cli" not in path.relative_to(SOURCE).parts]
    assert not [text for path in modules for text in _texts(path) if _names_an_option(text)]
    assert any(
        _names_an_option(text) for path in (SOURCE / "cli").rglob("*.py") for text in _texts(path)
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("F1", "'F1'"),
        ([0, 1], "[0, 1]"),
        ([0, 1] * 500, "a list of 1,000 values"),
        (np.zeros(1000), "an array of 1,000 values"),
        (pd.Series([1, 0]), "a Series of 2 values"),
        (pd.Index(range(99)), "a RangeIndex of 99 values"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), "a DataFrame of 4 values"),
        ({"tree": np.zeros(1000)}, "a dict of 1 value"),
        ("x" * 1000, "'" + "x" * 79 + " …"),
    ],
)
def test_a_value_is_shown_in_few_words(value: object, text: str) -> None:
    """Many values by their number, on one line."""
    assert shown(value) == text
