"""Counting labels of every type and stride; only two classes pass."""

from __future__ import annotations

import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.data.words import PIECE
from baserate.exceptions import InvalidLabelsError, TooManyClassesError

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


def _expected(truth: np.ndarray, prediction: np.ndarray) -> br.Confusion:
    return br.Confusion(
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
    assert br.Confusion.of(*stored) == _expected(truth, prediction)
    assert br.BaseRate.of(stored[0]).positives == truth.sum()


def test_other_positive_labels() -> None:
    """pos_label may be either value, including the lower one and a fraction."""
    truth, prediction = _labels(seed=4)
    flipped = _expected(~truth, ~prediction)
    assert br.Confusion.of(truth, prediction, pos_label=False) == flipped
    assert br.Confusion.of(truth.astype(int), prediction.astype(int), pos_label=0) == flipped
    halves = [np.where(mask, 2.5, 0.5) for mask in (truth, prediction)]
    assert br.Confusion.of(*halves, pos_label=2.5) == _expected(truth, prediction)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("position", [0, PIECE - 1, PIECE, LONG - 1])
def test_a_third_class_anywhere(dtype: str, position: int) -> None:
    """One stray label among many is found, in either column, and so is nan with its position."""
    for column, stray in ((0, 2), (1, 3), (1, 127)):
        columns = [mask.astype(dtype) for mask in _labels(seed=5)]
        columns[column][position] = stray
        with pytest.raises(InvalidLabelsError, match="at most two classes"):
            br.Confusion.of(*columns)
    if dtype.startswith("float"):
        columns[1][position] = np.nan
        with pytest.raises(InvalidLabelsError, match=f"y_pred .* first at position {position}"):
            br.Confusion.of(*columns)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float64"])
def test_signs_and_mixed_types(dtype: str) -> None:
    """-1/1 are counted like 0/1, and truth and prediction may be stored differently."""
    truth, prediction = _labels(seed=2)
    signed = [np.where(mask, 1, -1).astype(dtype) for mask in (truth, prediction)]
    assert br.Confusion.of(*signed) == _expected(truth, prediction)
    assert br.Confusion.of(truth, prediction.astype(dtype)) == _expected(truth, prediction)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "U2", object])
def test_one_class_against_the_rest(dtype: Any) -> None:
    """With a positive class, all others are one, whatever the type; it must occur somewhere."""
    rng = np.random.default_rng(9)
    numbers = rng.integers(0, 7, (2, LONG))
    truth, prediction = (np.arange(0, 70, 10).astype(dtype)[each] for each in numbers)
    positive = truth[numbers[0] == 3][:1].tolist()[0]
    expected = _expected(*(each == 3 for each in numbers))
    assert br.Confusion.of(truth, prediction, positive) == expected
    assert br.BaseRate.of(truth, positive).positives == (numbers[0] == 3).sum()
    absent = "7" if isinstance(positive, str) else 7
    with pytest.raises(InvalidLabelsError, match="pos_label must be one of the classes"):
        br.Confusion.of(truth, prediction, absent)


def test_where_the_third_class_is() -> None:
    """The error names the place of the first label of a third class, in either column."""
    for make in (np.array, list, lambda labels: np.array(labels, dtype=object)):
        truth, prediction = make([5, 5, 0, 5]), make([0, 5, 9, 7])
        with pytest.raises(TooManyClassesError, match="the third is 9 at position 2 of y_pred"):
            br.Confusion.of(truth, prediction)
        with pytest.raises(TooManyClassesError, match="the third is 0 at position 3 of y_true"):
            br.BaseRate.of(make([5, 7, 5, 0, 9]))


def test_zero_in_one_column_and_minus_one_in_the_other() -> None:
    """0/1 and -1/1 do not mix, even if each column alone is valid."""
    truth = np.array([0, 1] * 1000)
    with pytest.raises(InvalidLabelsError, match="y_true and y_pred"):
        br.Confusion.of(truth, np.where(truth, 1, -1))


@given(
    truth=st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=1, max_size=12),
    pos_label=st.sampled_from([None, 0, 1, 2]),
)
def test_counting_at_once_agrees_with_looking_closely(
    truth: list[int], pos_label: int | None
) -> None:
    """Numbers counted in one pass and objects counted one by one agree, also on errors."""
    outcomes = []
    for labels in (np.array(truth), np.array(truth, dtype=object)):
        try:
            outcomes.append(br.BaseRate.of(labels, pos_label))
        except InvalidLabelsError as error:
            outcomes.append(str(error).partition("(got")[0])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_nothing_as_long_as_the_labels_is_allocated(dtype: str) -> None:
    """Four million labels are counted in less than four megabytes."""
    truth, prediction = (mask.astype(dtype) for mask in _labels(seed=7, size=2**22))
    tracemalloc.start()
    br.Confusion.of(truth, prediction)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20
