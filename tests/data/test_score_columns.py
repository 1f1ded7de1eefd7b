"""Scores of any library and precision are counted as a loop over the rows counts them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate.core.observed import Rows
from baserate.data.numbers import read_scores, score_vector
from baserate.data.score_counts import ScoreCounts, count_by_score, joined, read_score_rows
from baserate.exceptions import InvalidScoresError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXTREME = [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e308, -1e308, 0.5, -0.5, 1.0, 1 / 3]
PRECISIONS = (np.float64, np.float32, np.float16)


def _by_loop(truth: Sequence[bool], scores: Sequence[float]) -> list[tuple[float, int, int]]:
    """Return each distinct score, descending, with its positives and its negatives."""
    counts: dict[float, list[int]] = {}
    for is_positive, score in zip(truth, scores, strict=True):
        counts.setdefault(score + 0.0, [0, 0])[not is_positive] += 1
    return [(each, counts[each][0], counts[each][1]) for each in sorted(counts, reverse=True)]


def _rows(counts: ScoreCounts) -> list[tuple[float, int, int]]:
    return list(zip(*(each.tolist() for each in counts[:3]), strict=True))


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.sampled_from(EXTREME) | st.floats(allow_nan=False)), min_size=1
    ),
    kind=st.sampled_from(PRECISIONS),
)
def test_counts_of_each_score(rows: list[tuple[bool, float]], kind: Any) -> None:
    """Every distinct score has its positives and negatives, whatever its sign and size."""
    truth = np.array([each for each, _ in rows])
    with np.errstate(over="ignore"):
        scores = np.array([each for _, each in rows]).astype(kind)
    found = count_by_score(truth, scores)
    assert found.values.dtype == kind
    assert _rows(found) == _by_loop(truth.tolist(), scores.tolist())


# Containers.

SCORES = [0.25, 0.75, 0.5, 0.25]
CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "float32": lambda each: np.array(each, dtype=np.float32),
    "float16": lambda each: np.array(each, dtype=np.float16),
    "long double": lambda each: np.array(each, dtype=np.longdouble),
    "objects": lambda each: np.array(each, dtype=object),
    "decimals": lambda each: [Decimal(x) for x in each],
    "masked": np.ma.array,
    "pandas": pd.Series,
    "pandas nullable": lambda each: pd.Series(each, dtype="Float64"),
    "pandas categories": lambda each: pd.Series(each, dtype="category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda each: pa.chunked_array([each[:1], each[1:]]),
}
WITH_MISSING: dict[str, Any] = {
    "nan": [0.25, np.nan, 0.5],
    "None": [0.25, None, 0.5],
    "masked": np.ma.array([0.25, 9.0, 0.5], mask=[False, True, False]),
    "pandas nullable": pd.Series([0.25, None, 0.5], dtype="Float64"),
    "pandas objects": pd.Series([0.25, pd.NA, 0.5], dtype=object),
    "pandas arrow": pd.Series([0.25, None, 0.5], dtype="double[pyarrow]"),
    "polars": pl.Series([0.25, None, 0.5]),
    "pyarrow": pa.array([0.25, None, 0.5]),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name: str) -> None:
    """Scores are floats whatever holds them; short floats keep their precision."""
    found = score_vector(CONTAINERS[name](SCORES), 4)
    assert found.dtype.kind == "f"
    assert found.itemsize == {"float32": 4, "polars float32": 4, "float16": 2}.get(name, 8)
    assert found.tolist() == SCORES


@pytest.mark.parametrize("name", WITH_MISSING)
def test_missing_scores(name: str) -> None:
    """A missing score is an error that says where, or drops the row for all models."""
    y_true, others = [1, 0, 1], [0.1, 0.2, 0.3]
    models = {"a": others, "b": WITH_MISSING[name]}
    with pytest.raises(
        InvalidScoresError,
        match=r"model 'b' must not have missing values \(got 1, the first at position 1\); fill "
        "them, or leave those rows out with missing='drop'",
    ):
        read_score_rows(y_true, models, Rows())
    rows = read_score_rows(y_true, models, Rows(["u", "v", "u"], drop=True))
    assert rows.dropped == 1
    assert rows.truth.tolist() == [True, True]
    assert {each: rows.models[each].tolist() for each in "ab"} == {
        "a": [0.1, 0.3], "b": [0.25, 0.5],
    }  # fmt: skip
    assert rows.groups is not None
    assert (rows.groups.names, rows.groups.codes.tolist()) == (("u",), [0, 0])


# A type of pyarrow that no other library has.
UNREADABLE = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([0.5, 0.2])] * 2)


@pytest.mark.parametrize(
    ("scores", "got"),
    [
        (["ill", "well"], "text such as 'ill'"),
        (np.array(["0.5", "0.7"]), "text such as '0.5'"),
        (["0.5", 0.7], "text such as '0.5'"),
        (pd.Series(["a", "b"]), "text such as 'a'"),
        (pd.Series(["a", "b"], dtype="category"), "text such as 'a'"),
        (pl.Series(["a", "b"]), "text such as 'a'"),
        (pa.array(["a", "b"]), "text such as 'a'"),
        ([1 + 2j, 0j], "values such as (1+2j)"),
        (np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), "an array of type datetime64"),
        ([{}, {}], "values such as {}"),
        ([[0.1], [0.2, 0.3]], "other values"),
        (UNREADABLE, "other values"),
    ],
)
def test_labels_in_the_place_of_scores(scores: Any, got: str) -> None:
    """Text is never read as numbers; the error says which measures take what."""
    with pytest.raises(InvalidScoresError) as error:
        read_scores("model 'm'", scores)
    said = str(error.value)
    assert said.startswith(f"model 'm' must be numbers such as probabilities (got {got}")
    assert "AUC, AP, Brier and log loss take scores; F1, MCC and other" in said


# Bins.


def test_bins_that_overlap_are_one() -> None:
    """Rounding may make two bins reach into each other: then they are one."""
    low, high = np.array([0.1, 0.5, 0.45, 0.9]), np.array([0.2, 0.7, 0.6, 0.9])
    found = joined(low, high, np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8]))
    assert found.values.tolist() == pytest.approx([0.9, 0.575, 0.15])
    assert found.widths is not None
    assert found.widths.tolist() == pytest.approx([0.0, 0.25, 0.1])
    assert found.positives.tolist() == [4, 5, 1]
    exact = joined(np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0]), *np.ones((2, 3), int))
    assert exact.widths is None
    assert _rows(exact) == [(2.0, 1, 1), (1.0, 2, 2)]
