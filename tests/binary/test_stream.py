"""Test sets that arrive in batches, in one process or many."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from pathlib import Path

pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20)


def _stream(*batches: list[tuple[int, int]]) -> br.ConfusionStream:
    stream = br.ConfusionStream()
    for batch in batches:
        stream.update([truth for truth, _ in batch], [prediction for _, prediction in batch])
    return stream


@given(st.lists(pairs, min_size=1, max_size=6))
def test_batches_are_the_whole(batches: list[list[tuple[int, int]]]) -> None:
    """However a test set is split, the table is that of the whole; the same for added tables."""
    whole = [pair for batch in batches for pair in batch]
    expected = br.Confusion.of(*zip(*whole, strict=True))
    assert _stream(*batches).table == expected
    tables = (br.Confusion.of(*zip(*batch, strict=True)) for batch in batches)
    assert sum(tables, br.Confusion()) == expected


@given(pairs, pairs, pairs)
def test_merging_is_a_commutative_monoid(
    a: list[tuple[int, int]], b: list[tuple[int, int]], c: list[tuple[int, int]]
) -> None:
    """Merging is associative and commutative, and an empty stream adds nothing."""
    first, second, third = _stream(a), _stream(b), _stream(c)
    assert first + second == second + first
    assert (first + second) + third == first + (second + third)
    assert first + br.ConfusionStream() == br.ConfusionStream() + first == first
    assert sum([first, second, third]) == _stream(a, b, c)
    assert pickle.loads(pickle.dumps(first)) == first


def _count(seed: int) -> br.ConfusionStream:
    rng = np.random.default_rng(seed)
    stream = br.ConfusionStream()
    for _ in range(5):
        truth = rng.random(1000) < 0.3
        stream.update(truth, truth ^ (rng.random(1000) < 0.1))
    return stream


def test_across_processes() -> None:
    """Real processes return streams, which are summed in order of arrival."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        merged = sum(pool.map(_count, range(4)))
    assert merged == sum(_count(seed) for seed in reversed(range(4)))
    assert merged.table.total == 20_000


def test_all_batches_have_the_same_classes() -> None:
    """A batch may have one class; a third class is an error, unless one is against the rest."""
    stream = br.ConfusionStream()
    stream.update([1, 1], [1, 1])
    stream.update([1, 0], [0, 0])
    with pytest.raises(InvalidLabelsError, match=r"same two classes \(got 0 and -1 beside"):
        stream.update([1, -1], [1, 1])
    assert stream.table == br.Confusion(tp=2, fn=1, tn=1)
    other = br.ConfusionStream()
    other.update([-1], [1])
    with pytest.raises(InvalidLabelsError, match="same two classes"):
        _ = stream + other
    words = br.ConfusionStream(pos_label="yes")
    words.update(["yes", "no"], ["yes", "yes"])
    words.update(["yes", "never"], ["yes", "perhaps"])  # all others are the rest
    assert words.table == br.Confusion(tp=2, fp=1, tn=1)
    with pytest.raises(InvalidLabelsError, match="same pos_label to add up"):
        _ = words + stream
    assert (br.ConfusionStream(pos_label="yes") + stream) == stream
    with pytest.raises(TypeError):
        _ = stream + 1  # type: ignore[operator]


def test_a_sum_is_a_stream_of_its_own() -> None:
    """Updating a sum does not change its parts."""
    part = _stream([(1, 1)])
    for total in (sum([part]), part + br.ConfusionStream(), br.ConfusionStream() + part):
        total.update([0], [0])
        assert part.table == br.Confusion(tp=1)


def test_memory_mapped_arrays(tmp_path: Path) -> None:
    """Arrays on disk are counted in pieces, without loading them."""
    rng = np.random.default_rng(0)
    size = 3_000_000
    columns = []
    for name in ("truth", "prediction"):
        column = np.memmap(tmp_path / name, dtype=np.int8, mode="w+", shape=(size,))
        column[:] = rng.random(size) < 0.4
        column.flush()
        columns.append(np.memmap(tmp_path / name, dtype=np.int8, mode="r", shape=(size,)))
    in_memory = [np.array(column) for column in columns]
    assert br.Confusion.of(*columns) == br.Confusion.of(*in_memory)
