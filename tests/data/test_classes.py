"""Labels of any number of classes become tables, whatever holds them."""

from __future__ import annotations

import datetime as dt
import math
import tracemalloc
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from baserate.core.observed import Rows
from baserate.data.cells import MOST_WORDS, PIECE
from baserate.data.labels import CountedLabels, count_column, count_labels
from baserate.exceptions import InvalidLabelsError, InvalidPredictionsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TEXTS = ["", "a", "class b", "é", "naïve long label", "\u4e2d\u6587\u4e2d\u6587", "🦊 fox", "z"]
KINDS: dict[str, Sequence[Any]] = {
    "small integers": range(5),
    "negative integers": [-7, -1, 0, 3, 90],
    "wide integers": [-(2**63), -1, 0, 2**40, 2**63 - 1],
    "floats": [-2.0, -0.0, 0.5, 1.0, math.inf],
    "booleans": [False, True],
    "texts": TEXTS,
    "dates": [dt.date(2024, month, 1) for month in range(1, 6)],
    "mixed": [0, "0", 1.5, Decimal("2.5"), dt.date(2024, 1, 1)],
}


def _counted(
    y_true: Any, models: Mapping[str, Any], by: Any, pairs: Any = (), *, drop: bool = False
) -> CountedLabels:
    """Count models, and pairs of them."""
    keys = [*((name,) for name in models), *pairs]
    return count_labels(y_true, models, Rows(by, drop=drop), keys, several="always")


def _table(found: CountedLabels, name: str, group: Any = None) -> Any:
    """Return the table of a model in a group."""
    tables = found.tables(lambda *cells: cells)[name,]
    labels, truth, predicted, counts = tables[group]
    table = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(table, (truth, predicted), counts)
    return table


def _tables(found: CountedLabels, name: str) -> dict[Any, dict[tuple[Any, Any], int]]:
    """Return the tables of a model as counts of pairs of labels, without zeros."""
    tables: dict[Any, Any] = {}
    for group in (None, *found.groups):
        table = _table(found, name, group)
        tables[group] = {
            (found.labels[row], found.labels[column]): int(table[row, column])
            for row, column in zip(*np.nonzero(table), strict=True)
        }
    return tables


def _looped(truth: Sequence[Any], predicted: Sequence[Any], by: Sequence[Any] | None) -> Any:
    """Return the same from a plain loop."""
    counts: dict[Any, Counter[tuple[Any, Any]]] = {None: Counter()}
    for row, pair in enumerate(zip(truth, predicted, strict=True)):
        counts[None][pair] += 1
        if by is not None:
            counts.setdefault(by[row], Counter())[pair] += 1
    return counts


@st.composite
def _test_sets(draw: st.DrawFn) -> tuple[list[Any], list[Any], list[Any], list[str]]:
    kind = draw(st.sampled_from(sorted(KINDS)))
    label = st.sampled_from(list(KINDS[kind]))
    rows = draw(
        st.lists(st.tuples(label, label, label, st.sampled_from("xyz")), min_size=1, max_size=40)
    )
    # Fractions that are no true labels are scores, which are another test's.
    rows += [(label, label, label, "x") for label in KINDS[kind] if label in (0.5, 1.5, math.inf)]
    truth, one, other, by = (list(column) for column in zip(*rows, strict=True))
    return truth, one, other, by


def _as_given(labels: list[Any]) -> list[Any]:
    return labels


def _as_objects(labels: list[Any]) -> Any:
    column = np.empty(len(labels), dtype=object)
    column[:] = labels
    return column


@given(test_set=_test_sets(), form=st.sampled_from([_as_given, _as_objects, pd.Series]))
def test_any_labels_and_groups(
    test_set: tuple[list[Any], list[Any], list[Any], list[str]], form: Callable[[list[Any]], Any]
) -> None:
    """Tables of models, groups and pairs are those of a plain loop, for labels of every kind."""
    truth, one, other, by = test_set
    models = {"one": one, "other": other}
    formed = {name: form(labels) for name, labels in models.items()}
    found = _counted(form(truth), formed, by, [("one", "other")])
    assert found.dropped == 0
    assert set(found.labels) == {*truth, *one, *other}
    assert len(found.labels) == len(set(found.labels))
    for name, labels in models.items():
        assert _tables(found, name) == _looped(truth, labels, by)
    joint = found.tables(lambda _, *cells: [each.tolist() for each in cells])["one", "other"]
    assert list(joint) == [None, *sorted(set(by))]
    for group, (*columns, counts) in joint.items():
        triples = zip(truth, one, other, by, strict=True)
        expected = Counter(tuple(rest) for *rest, each in triples if group in (None, each))
        places = list(zip(*columns, strict=True))
        assert group is None or places == sorted(set(places))
        triple = [tuple(found.labels[each] for each in place) for place in places]
        summed: Counter[Any] = Counter()
        for place, count in zip(triple, counts, strict=True):
            summed[place] += count
        assert summed == expected


def test_a_dictionary_with_a_value_twice() -> None:
    """The codes of an Arrow dictionary need not be different labels."""
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array(["a", "a", "b"]))
    found = _counted(twice, {"m": ["a", "b", "b", "b"]}, None, drop=True)
    assert (found.labels, found.dropped) == (("a", "b"), 1)
    assert _table(found, "m").tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("one", "other"), [("a", "b"), ("naïve long label", "another long label"), (TEXTS[5], TEXTS[6])]
)
def test_texts_that_come_late(one: str, other: str) -> None:
    """Of any length and script; one may come after the rows in which labels are looked for."""
    truth = [one, other] * PIECE + ["c"]
    predicted = [other, other] * PIECE + ["d"]
    for make in (list, np.array, _as_objects, pl.Series, pd.Series, pa.array):
        found = _counted(make(truth), {"m": make(predicted)}, None)
        assert _tables(found, "m") == _looped(truth, predicted, None)


def test_numbers_that_are_equal_are_one_class() -> None:
    """1, 1.0 and True are one class, as for Python and scikit-learn."""
    for truth, predicted in (([0, 1, 2], [0.0, 2.0, 1.0]), ([True, False], [0, 1])):
        found = _counted(np.array(truth), {"m": np.array(predicted)}, None)
        assert found.labels == tuple(sorted(truth))
        assert np.array_equal(_table(found, "m"), confusion_matrix(truth, predicted))
    large = _counted([2**53 + 1, 0], {"m": [float(2**53), 0.0]}, None)
    assert large.labels == (0, 2**53, 2**53 + 1)
    signed = _counted(np.array([0.0, -0.0, 1.0]), {"m": np.array([-0.0, 0.0, 1.0])}, None)
    assert _table(signed, "m").tolist() == [[2, 0], [0, 1]]


def test_many_classes_and_groups() -> None:
    """A thousand classes in 500 groups take 64 MB; their tables would take 8 GB together."""
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 1_000, (2, 200_000))
    predicted = np.where(rng.random(truth.size) < 0.9, truth, predicted)
    by = rng.integers(0, 500, truth.size)
    tracemalloc.start()
    found = _counted(truth, {"a": predicted, "b": truth}, by, [("a", "b")])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**26
    in_group = by == 77
    assert np.array_equal(
        _table(found, "a", 77),
        confusion_matrix(truth[in_group], predicted[in_group], labels=np.arange(1_000)),
    )
    assert np.array_equal(_table(found, "a"), confusion_matrix(truth, predicted))
    joint = found.tables(lambda *cells: cells)["a", "b"][77]
    assert joint[-1].sum() == in_group.sum()
    assert np.array_equal(joint[1], joint[3])


def test_more_labels_than_codes() -> None:
    """Labels beyond those that get codes are sorted instead, and counted all the same."""
    labels = np.arange(MOST_WORDS + 2) * 3
    assert count_column("y", labels) == dict.fromkeys(labels.tolist(), 1)
    texts = labels.astype("U9")
    assert len(count_column("y", texts)) == labels.size
    assert len(count_column("y", texts.tolist())) == labels.size
    by_group = _counted(labels % 3, {"m": labels % 3}, labels)
    assert len(by_group.groups) == labels.size


def test_categories_without_a_hash() -> None:
    """A dictionary of lists is read row by row: as groups they have names, as labels none."""
    lists = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([[1], [2]]))
    found = _counted([1, 0, 1], {"m": [1, 0, 0]}, lists)
    assert [_table(found, "m", group).sum() for group in (None, *found.groups)] == [3, 2, 1]
    with pytest.raises(InvalidLabelsError, match="y must hold plain values"):
        count_column("y", lists)


@pytest.mark.parametrize(
    "labels",
    [
        pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 0])] * 2),
        pa.array([2**62, 0], pa.timestamp("s")),  # a year that Python does not have
    ],
)
def test_types_that_their_own_library_cannot_convert(labels: Any) -> None:
    """What numpy and Python lack is an error of ours, for labels and for groups."""
    with pytest.raises(InvalidLabelsError, match="y must be a column of plain values"):
        count_column("y", labels)
    with pytest.raises(InvalidPredictionsError, match="by must be a column"):
        _counted([1, 0], {"m": [1, 0]}, labels)
