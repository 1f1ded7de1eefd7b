"""Scores, p-values and baselines of the whole catalogue, against all orders of a few rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from enumeration import DEFINED, of_counts, of_table, shuffled
from properties.enumerated import (
    KINDS,
    check_guesses,
    check_score_and_shuffles,
    check_swaps,
)

if TYPE_CHECKING:
    from enumeration import Score

# Functions of a user, of four counts and of a table.
COUNTED: dict[str, Any] = {
    "parity": lambda tp, fp, fn, tn: tp % 2,
    "step": lambda tp, fp, fn, tn: 1 if tp > fn else 0,
    "cost": lambda tp, fp, fn, tn: 5 * fn + fp,
    "ppv": lambda tp, fp, fn, tn: tp / (tp + fp),
    "odd": lambda tp, fp, fn, tn: ((tp - 2) ** 2 - fp * tn) / ((tp + 2 * fp) % 5),
}


def _worst_precision(table: Any) -> Any:
    return min(table[k][k] / sum(row[k] for row in table) for k in range(len(table)))


OWN = {
    **{("two classes", name): of_counts(each) for name, each in COUNTED.items()},
    ("several classes", "worst precision"): of_table(_worst_precision),
}
SAME_AS = {
    "weighted labels": "two classes",
    "weighted classes": "several classes",
    **{f"weighted {kind}": kind for kind in DEFINED},
}
CASES: dict[tuple[str, str], Score] = {
    (kind, key): score for kind in KINDS for key, score in DEFINED[SAME_AS.get(kind, kind)].items()
}
EVERY = pytest.mark.parametrize("case", [*CASES, *OWN], ids=": ".join)


def _measure(kind: str, key: str) -> Any:
    if key in COUNTED:
        return br.Measure.custom(key, COUNTED[key])
    if key == "worst precision":
        return br.Measure.custom(key, lambda table: _worst_precision(np.asarray(table).tolist()))
    name, _, choice = key.partition(" (")
    empty = {"": None, "1": 1, "nan": math.nan}[choice.partition(" ")[0]]
    task = KINDS[kind].task
    return (
        br.get_measure(name, task=task, zero_division=empty)
        if choice
        else br.get_measure(name, task=task)
    )


@EVERY
def test_scores_and_shuffles(case: tuple[str, str]) -> None:
    """Scores, null distributions and both p-values."""
    check_score_and_shuffles(KINDS[case[0]], _measure(*case), (CASES | OWN)[case])


@EVERY
def test_swaps(case: tuple[str, str]) -> None:
    """The p-value of the difference of two models."""
    if case[0].removeprefix("weighted ") != "class probabilities" or case[1] != "ECE":  # no sum
        check_swaps(KINDS[case[0]], _measure(*case), (CASES | OWN)[case])


@EVERY
def test_guesses(case: tuple[str, str]) -> None:
    """The best and the worst guess, and all guesses that are as good."""
    check_guesses(KINDS[case[0]], _measure(*case), (CASES | OWN)[case])


def test_the_whole_catalogue_is_enumerated() -> None:
    """Every measure has a definition, but for other numbers of those at the top."""
    families = {key.partition("@")[0] for keys in DEFINED.values() for key in keys}
    assert {key.partition("@")[0] for key in br.MEASURES} <= families | {"PT"}


def test_another_definition_is_noticed() -> None:
    """The comparison can fail."""
    wrong = DEFINED["two classes"]["PPV"]
    for check in (check_score_and_shuffles, check_swaps, check_guesses):
        with pytest.raises(AssertionError):
            check(KINDS["two classes"], br.get_measure("TPR"), wrong)
    assert shuffled(wrong, (1, 0), (0, 0), (1, 1)) is None
