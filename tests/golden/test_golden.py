"""Results of public calls are what they were: see `net.py` for which fields may move."""

from __future__ import annotations

from typing import Any

import pytest

from golden.cases import CASES
from golden.net import broken, merged, moved, recorded, result

RECORDED = recorded()


def test_every_case_is_recorded_and_no_other() -> None:
    """`make golden` was run after a case was added or removed."""
    assert CASES.keys() == RECORDED.keys()
    assert len(CASES) >= 400


@pytest.mark.parametrize("title", CASES)
def test_result_is_the_recorded_one(title: str) -> None:
    """Same fields are the same, close ones are within their errors, and free ones are recorded."""
    new = result(CASES[title])
    assert not broken(RECORDED[title], new)
    assert not moved(RECORDED[title], new), "run `make golden`, and explain the diff in the commit"


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [
        ("score", 0.5, 0.5 + 1e-8),
        ("baseline", 0.5, "nan"),
        ("guesses", [1, [2, 3]], [1, [3, 2]]),
        ("p_value", [0.04, 0.0], [0.0400001, 0.0]),
        ("p_value", [0.04, 0.001], [0.045, 0.001]),
        ("sf", [[0.04, 0.0], [0.5, 0.0]], [[0.04, 0.0], [0.6, 0.0]]),
        ("score", 0.5, None),
    ],
)
def test_what_may_not_change_is_noticed(field: str, old: Any, new: Any) -> None:
    """A net that catches nothing would be worth nothing."""
    assert broken({"tree F1": {field: old}}, {"tree F1": {field: new}})


@pytest.mark.parametrize(
    ("field", "old", "new"), [("low", 0.1, 0.2), ("outcome", "clears", "unsure")]
)
def test_what_is_free_is_noticed_too(field: str, old: Any, new: Any) -> None:
    """A free field may change, and is not broken then; but it must be recorded."""
    assert moved({field: old}, {field: new})
    assert not broken({field: old}, {field: new})
    assert merged({field: old}, {field: new}) == {field: new}


def test_an_exact_p_value_stays_on_record() -> None:
    """Where a method becomes approximate, the exact value is still what it is compared with."""
    exact, approximate = {"p_value": [0.04, 0.0]}, {"p_value": [0.041, 0.002]}
    assert not broken(exact, approximate)
    assert merged(exact, approximate) == exact
    assert merged(approximate, exact) == exact
