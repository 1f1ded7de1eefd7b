"""Counting labels of several classes, in every form that labels have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.metrics import confusion_matrix
from timing import Comparison

from baserate import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSES = 10
GOAL = "≤ 1/30"
# Forms of integers.
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "int64": lambda codes: codes,
    "int32": lambda codes: codes.astype(np.int32),
    "uint8": lambda codes: codes.astype(np.uint8),
    "float64": lambda codes: codes.astype(float),
    "int64, far apart": lambda codes: codes * 10**15,
}
# Forms of text. scikit-learn takes minutes for ten million of some of them.
TEXTS: dict[str, Callable[[Any], Any]] = {
    "array of text": lambda texts: texts,
    "array of objects": lambda texts: np.array([*map(str, np.unique(texts))], dtype=object)[
        np.unique(texts, return_inverse=True)[1]
    ],
    "array of objects, each its own": lambda texts: texts.astype(object),
    "list of text, each its own": lambda texts: texts.tolist(),
    "list of text": lambda texts: TEXTS["array of objects"](texts).tolist(),
    "pandas text": pd.Series,
    "pandas categories": lambda texts: pd.Series(pd.Categorical(texts)),
    "polars text": pl.Series,
    "polars categories": lambda texts: pl.Series(texts).cast(pl.Categorical),
    "pyarrow text": pa.array,
    "pyarrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
}


def counting_classes(*, quick: bool) -> list[Comparison]:
    """One table of ten classes, from each form of labels."""
    rows = 10**6 if quick else 10**7
    truth, predicted = _codes(rows)
    found = [
        _comparison(f"{rows:,} labels of {CLASSES} classes, {name}", form(truth), form(predicted))
        for name, form in NUMBERS.items()
    ]
    few = 10**5 if quick else 10**6
    names = np.array([f"class {number}" for number in range(CLASSES)])
    texts = [names[codes] for codes in _codes(few)]
    return found + [
        _comparison(f"{few:,} labels of {CLASSES} classes, {name}", *map(form, texts))
        for name, form in TEXTS.items()
    ]


def _codes(rows: int) -> tuple[Any, Any]:
    """Return classes, and predictions that are right for seven rows in ten."""
    rng = np.random.default_rng(0)
    truth, other = rng.integers(0, CLASSES, (2, rows))
    return truth, np.where(rng.random(rows) < 0.7, truth, other)


def _comparison(task: str, truth: Any, predicted: Any) -> Comparison:
    return Comparison(
        task,
        "scikit-learn, confusion_matrix",
        lambda: ConfusionMatrix.of(truth, predicted),
        lambda: confusion_matrix(truth, predicted),
        goal=GOAL,
        rounds=3,
    )
