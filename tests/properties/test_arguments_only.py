"""A result depends on its arguments only, and not on what was computed before."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np
import pytest

from front_door import verdict
from properties.agreement import EVERYTHING, assert_agree
from properties.kinds import KINDS, Sketch

if TYPE_CHECKING:
    import baserate as br

    Answers = dict[tuple[str, str], br.Verdict]

SKETCH = Sketch(rows=24, seed=5, signal=0.5, share=0.5, levels=12)
# A hundred rows with weights 1 to 5, and models with as many positive predictions each.
BITS = np.arange(100) % 2
WEIGHTS = 1.0 + np.arange(100) // 2 % 5
MANY_WEIGHTS = "many weighted labels, F1"
NAMES = [*KINDS, MANY_WEIGHTS]


def answers(in_which_order: int) -> Answers:
    """Judge two models on the same rows by every kind of prediction, forwards or backwards."""
    questions = [(name, model) for name in NAMES for model in ("first", "second")]
    return {(name, model): _answer(name, model) for name, model in questions[::in_which_order]}


def _answer(name: str, model: str) -> br.Verdict:
    if name == MANY_WEIGHTS:
        predicted = {"first": BITS, "second": 1 - BITS}[model]
        return verdict(BITS, predicted, "F1", sample_weight=WEIGHTS, weights="importance")
    kind, rows = KINDS[name], KINDS[name].rows(SKETCH)
    return verdict(rows.y_true, getattr(rows, model), kind.measure, **kind.asked(rows))


@pytest.fixture(scope="module")
def both_orders() -> tuple[Answers, Answers]:
    """The answers of this process and of a fresh one, which ask in opposite orders."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        backwards = process.submit(answers, -1)
        return answers(1), backwards.result()


@pytest.mark.parametrize("name", NAMES)
def test_what_was_asked_before(name: str, both_orders: tuple[Answers, Answers]) -> None:
    """Questions that are asked in the opposite order have the same answers, to the last digit."""
    forwards, backwards = both_orders
    for model in ("first", "second"):
        assert_agree(forwards[name, model], backwards[name, model], EVERYTHING)
