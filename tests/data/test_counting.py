"""Counting labels of every type and stride; only two classes pass."""

from __future__ import annotations

import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.data.cells import PIECE
from baserate.exceptions import InvalidLabelsError

# Long enough for several pieces of every type, with a last one that is not full.
LONG = 2 * PIECE + 12_345
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64"]


@cache
def _labels(seed: int, size: int = LONG) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    masks = rng.random(size) < 0.3, rng.random(size) < 0.6
    for mask in masks:
        mask.flags.writeable = False
    return masks


def _expected(truth: np.ndarray, prediction: np.ndarray) -> br.ConfusionMatrix:
    return br.ConfusionMatrix(
        tp=int((truth & prediction).sum()),
        fp=int((~truth & prediction).sum()),
        fn=int((truth & ~prediction).sum()),
        tn=int((~truth & ~prediction).sum()),
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, 2, -1])
def test_every_type_and_stride(dtype: str, step: int) -> None:
    """The counts do not depend on how the labels are stored."""
    truth, prediction = _labels(seed=1)
    stored = [np.repeat(mask.astype(dtype), abs(step))[::step] for mask in (truth, prediction)]
    if step < 0:
        truth, prediction = truth[::-1], prediction[::-1]
    assert br.ConfusionMatrix.of(*stored) == _expected(truth, prediction)
    assert br.BaseRate.of(stored[0]).positives == truth.sum()


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("position", [0, PIECE - 1, PIECE, LONG - 1])
def test_a_third_class_anywhere(dtype: str, position: int) -> None:
    """One stray label among many is found, in either column, and so is nan with its position."""
    for column, stray in ((0, 2), (1, 3), (1, 127)):
        columns = [mask.astype(dtype) for mask in _labels(seed=5)]
        columns[column][position] = stray
        with pytest.raises(InvalidLabelsError, match="at most two classes"):
            br.ConfusionMatrix.of_positives(*columns)
    if dtype.startswith("float"):
        columns[1][position] = np.nan
        with pytest.raises(InvalidLabelsError, match=f"y_pred .* first at position {position}"):
            br.ConfusionMatrix.of(*columns)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "U2", object])
def test_one_class_against_the_rest(dtype: Any) -> None:
    """With a positive class, all others are one, whatever the type; it must occur somewhere."""
    rng = np.random.default_rng(9)
    numbers = rng.integers(0, 7, (2, LONG))
    truth, prediction = (np.arange(0, 70, 10).astype(dtype)[each] for each in numbers)
    positive = truth[numbers[0] == 3][:1].tolist()[0]
    expected = _expected(*(each == 3 for each in numbers))
    assert br.ConfusionMatrix.of(truth, prediction, positive) == expected
    assert br.BaseRate.of(truth, positive).positives == (numbers[0] == 3).sum()
    absent = "7" if isinstance(positive, str) else 7
    with pytest.raises(InvalidLabelsError, match="pos_label must be one of the classes"):
        br.ConfusionMatrix.of(truth, prediction, absent)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_nothing_as_long_as_the_labels_is_allocated(dtype: str) -> None:
    """Four million labels are counted in less than four megabytes."""
    truth, prediction = (mask.astype(dtype) for mask in _labels(seed=7, size=2**22))
    tracemalloc.start()
    br.ConfusionMatrix.of(truth, prediction)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20
