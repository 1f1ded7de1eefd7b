"""Counting labels of every type and stride; only two classes pass."""

from __future__ import annotations

import tracemalloc
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.data.words import PIECE
from baserate.exceptions import InvalidLabelsError, TooManyClassesError

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@pytest.mark.parametrize("dtype", ["int8", "int64", "float64"])
def test_minus_one_and_one(dtype: str) -> None:
    """-1/1 are counted like 0/1."""
    truth, prediction = _labels(seed=2)
    signed = [np.where(mask, 1, -1).astype(dtype) for mask in (truth, prediction)]
    assert br.Confusion.of(*signed) == _expected(truth, prediction)


def test_mixed_types() -> None:
    """Truth and prediction may be stored differently."""
    truth, prediction = _labels(seed=3)
    expected = _expected(truth, prediction)
    assert br.Confusion.of(truth, prediction.astype(float)) == expected
    assert br.Confusion.of(truth.astype(np.int8), prediction) == expected
    assert br.Confusion.of(truth.astype(np.int64), prediction.astype(np.uint8)) == expected


def test_other_positive_labels() -> None:
    """pos_label may be either value, including the lower one and a fraction."""
    truth, prediction = _labels(seed=4)
    flipped = _expected(~truth, ~prediction)
    assert br.Confusion.of(truth, prediction, pos_label=False) == flipped
    assert br.Confusion.of(truth.astype(int), prediction.astype(int), pos_label=0) == flipped
    halves = [np.where(mask, 2.5, 0.5) for mask in (truth, prediction)]
    assert br.Confusion.of(*halves, pos_label=2.5) == _expected(truth, prediction)


def _strays() -> Iterator[Any]:
    """Every stray label of every type at every place; by default one at each place, in turn."""
    dtypes = ("int8", "int32", "int64", "uint8", "float32", "float64")
    places = product((0, PIECE - 1, PIECE, LONG - 1), (0, 1))
    for (kind, dtype), (place, (position, column)) in product(enumerate(dtypes), enumerate(places)):
        for number, stray in enumerate((2, 127, 3) if dtype == "uint8" else (2, -1, 3, 127)):
            is_due = number == (kind + place + place // 4) % (3 if dtype == "uint8" else 4)
            marks = () if is_due else (pytest.mark.exhaustive,)
            yield pytest.param(dtype, position, column, stray, marks=marks)


@pytest.mark.parametrize(("dtype", "position", "column", "stray"), [*_strays()])
def test_a_third_class_anywhere(dtype: str, position: int, column: int, stray: int) -> None:
    """One stray label among half a million is found, wherever it is."""
    columns = [mask.astype(dtype) for mask in _labels(seed=5)]
    columns[column][position] = stray
    with pytest.raises(InvalidLabelsError, match="at most two classes"):
        br.Confusion.of(*columns)


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


@pytest.mark.parametrize("position", [0, PIECE + 5, LONG - 1])
def test_a_missing_value_anywhere(position: int) -> None:
    """One nan among half a million is found, with its position."""
    truth, prediction = (mask.astype(float) for mask in _labels(seed=6))
    prediction[position] = np.nan
    with pytest.raises(InvalidLabelsError, match=f"y_pred .* first at position {position}"):
        br.Confusion.of(truth, prediction)


def test_bits_do_not_cancel() -> None:
    """Values whose bits or sums look like zeros and ones are not mistaken for them."""
    for strays in ([3, -1], [2, -2], [256, 1], [2**32, 1], [-(2**63), 1]):
        labels = np.zeros(1000, dtype=np.int64)
        labels[[5, 700]] = strays
        with pytest.raises(InvalidLabelsError):
            br.BaseRate.of(labels)


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


def test_memory_mapped_labels(tmp_path: object) -> None:
    """A memory-mapped array is an array."""
    truth, prediction = _labels(seed=8)
    path = tmp_path / "truth.npy"  # type: ignore[operator]
    np.save(path, truth.astype(np.int8))
    mapped = np.load(path, mmap_mode="r")
    assert br.Confusion.of(mapped, prediction) == _expected(truth, prediction)
