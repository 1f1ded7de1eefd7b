"""Where a row stands, what it is called and what is beside it say nothing about a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given

from front_door import gain, verdict, verdicts, verdicts_by_group
from properties.agreement import (
    EVERYTHING,
    ROUNDING,
    SIDE_BY_SIDE,
    assert_agree,
    by_parts,
    few_examples,
)
from properties.kinds import (
    KINDS,
    Kind,
    Rows,
    Sketch,
    classes,
    labels,
    numbers,
    ranked,
    shares,
    sketches,
)

if TYPE_CHECKING:
    import baserate as br
    from front_door import Gain

OF_NUMBERS = [name for name, kind in KINDS.items() if kind.make is numbers]
OF_CLASSES = [name for name, kind in KINDS.items() if kind.make is classes]
OF_SHARES = [name for name, kind in KINDS.items() if kind.make is shares]
WITH_NAMES = [name for name in KINDS if name not in OF_NUMBERS]
UNWEIGHTED = [name for name, kind in KINDS.items() if not kind.weighted]

RESAMPLED = "several classes are resampled in the order of their names"
SIDES = ("y_true", "first")
# The other way round in the alphabet.
NAMES = np.array(["zebra", "mouse", "ant"])


def _judged(kind: Kind, rows: Rows) -> br.Verdict:
    return verdict(rows.y_true, rows.first, kind.measure, **kind.asked(rows))


def _compared(kind: Kind, rows: Rows) -> Gain:
    return gain(rows.y_true, rows.first, rows.second, kind.measure, **kind.asked(rows))


def _shuffled(rows: Rows, sketch: Sketch) -> Rows:
    return rows.at(np.random.default_rng([sketch.seed, 2]).permutation(sketch.rows))


@pytest.mark.parametrize("name", KINDS)
@given(sketch=sketches)
@example(sketch=Sketch(rows=24, seed=1, signal=0.5, share=0.5, levels=1000))
@few_examples
def test_order_of_rows(name: str, sketch: Sketch) -> None:
    """Rows in another order have the same verdict and comparison, to the last digit.

    But the last digits of a sum of numbers, whose p-values and claims are the same.
    """
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    other = _shuffled(rows, sketch)
    digits = 1e-12 if name in OF_NUMBERS else 0
    assert_agree(_judged(kind, other), _judged(kind, rows), EVERYTHING, digits)
    assert_agree(_compared(kind, other), _compared(kind, rows), SIDE_BY_SIDE, digits)


def _renamed(kind: Kind, rows: Rows) -> tuple[Any, Any, dict[str, Any]]:
    """Return the truth, the first predictions and the options, with names for classes."""
    options, truth = kind.asked(rows), NAMES[rows.y_true]
    if kind.make is classes:
        return truth, NAMES[rows.first], options
    if kind.make in (shares, ranked):
        return truth, pd.DataFrame(rows.first[:, ::-1], columns=NAMES[::-1]), options
    predicted = NAMES[rows.first] if kind.make is labels else rows.first
    return truth, predicted, options | {"pos_label": NAMES[1]}


@by_parts(
    WITH_NAMES,
    ("score", "scale", "p-value", "intervals"),
    {(name, "intervals"): RESAMPLED for name in [*OF_CLASSES, "top-k"]},
)
@given(sketch=sketches)
@example(sketch=Sketch(rows=16, seed=5, signal=0.5, share=0.5, levels=1000))
@example(sketch=Sketch(rows=16, seed=21, signal=0.5, share=0.5, levels=4))
@example(sketch=Sketch(rows=48, seed=0, signal=0.0, share=0.5, levels=4))
@few_examples
def test_names_of_classes(name: str, facts: list[str], sketch: Sketch) -> None:
    """Classes that are called something else have the same verdict."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    truth, predicted, options = _renamed(kind, rows)
    found = verdict(truth, predicted, kind.measure, **options)
    assert_agree(found, _judged(kind, rows), facts, ROUNDING)


@pytest.mark.parametrize("name", KINDS)
@given(sketch=sketches)
@few_examples
def test_models_beside_it(name: str, sketch: Sketch) -> None:
    """A model under another name, after another model, has the verdict that it has alone."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    models = {"zebra": rows.second, "ant": rows.first}
    together = verdicts(rows.y_true, models, [kind.measure], **kind.asked(rows))
    assert_agree(together["ant", kind.measure], _judged(kind, rows), EVERYTHING)


@pytest.mark.parametrize("name", UNWEIGHTED)
@given(sketch=sketches)
@few_examples
def test_every_row_twice(name: str, sketch: Sketch) -> None:
    """Rows that are there twice are rows of weight 2, in a verdict and in a comparison."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    twice = rows.at(np.repeat(np.arange(sketch.rows), 2))
    options = kind.options | {"sample_weight": [2] * sketch.rows, "weights": "frequency"}
    found = verdict(rows.y_true, rows.first, kind.measure, **options)
    assert_agree(found, _judged(kind, twice), EVERYTHING)
    compared = gain(rows.y_true, rows.first, rows.second, kind.measure, **options)
    assert_agree(compared, _compared(kind, twice), SIDE_BY_SIDE)


@pytest.mark.parametrize("name", KINDS)
def test_a_group_has_the_numbers_that_it_has_alone(name: str) -> None:
    """What is found of many groups at once is what is found of each."""
    kind = KINDS[name]
    sketches = [Sketch(24, seed, 0.5, 0.5, 12) for seed in range(3)]
    parts = [kind.rows(sketch) for sketch in sketches]
    weights = [part.weights for part in parts if part.weights is not None]
    options = kind.options
    if weights:
        options = options | {"sample_weight": np.concatenate(weights), "weights": "importance"}
    truth, said = (np.concatenate([getattr(part, side) for part in parts]) for side in SIDES)
    by = np.repeat(range(3), 24)
    together = verdicts_by_group(truth, said, kind.measure, by=by, **options)
    for group, part in enumerate(parts):
        assert_agree(together[group], _judged(kind, part), EVERYTHING, ROUNDING)
