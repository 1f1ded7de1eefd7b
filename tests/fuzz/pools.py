"""Pools of hostile arguments."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 3, 7, 0.5, 0.1, -0.0, 1e-300, 5e-324, 1e308, 2**31, 2**53 + 1, 2**64, 10**15),
    *(10**15 + 1, 10**50, 10**400, -(10**400), 10**5000, math.nan, math.inf, -math.inf),
    *(Decimal("0.5"), Decimal(3), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")),
    *(Decimal("1e400"), Fraction(1, 3), Fraction(2), Fraction(10**400, 3), True, False),
    *(np.int8(1), np.uint64(2**64 - 1), np.float16(0.1), np.float32(0.7), np.float64("nan")),
    *(np.longdouble(0.5), np.bool_(True), np.array(1), np.complex128(1), 1j),
]

TEXTS: list[str] = [
    *("", " ", "0", "1", "nan", "None", "F1", "f1", "MCC", "fe1", "f1e400", "tree", "(missing)"),
    *("a\nb", "a\r\nb", "a\tb", "a\0b", "\x1b[31mred\x1b[0m", "\x07", "\u202eevil\u202c", "\u200b"),
    *("::error title=pwned::x", "a\n::error::x", "<script>alert(1)</script>", "\\end{document}"),
    *("=1+1", "|pipe|", "`code`", "{{ 1 }}", "%s %d {}", "naïve θ* 漢字 🎲", "e\u0301", "\ud800"),
    *("x" * 5000, "a," * 300, '"quoted"', "it's", "#3", "./nowhere", "~$p.csv", "~nobody/x", "-"),
    "--help",
]

ODD: list[Any] = [
    *(None, object(), Ellipsis, NotImplemented, b"", b"1", b"\xff", (), [], {}, set(), range(3)),
    *([[0, 1], [1]], [[0, 1], [1, 0]], {"a": 1}, {None: [0, 1]}, {1: [0, 1], "1": [1, 0]}),
    *(len, br.BaseRate, br.ConfusionMatrix(), br.BaseRate(positives=1, total=2), pd.NA, pd.NaT),
    *(np.empty((0,)), np.empty((2, 0)), np.zeros((2, 2)), np.array(None), np.array([[1], [0]])),
    *(np.array([1, [2]], dtype=object), np.zeros(2, dtype="V4"), np.array(["NaT"], "M8[ns]")),
    *(pd.DataFrame(), pd.DataFrame({"y": [0, 1], 3: [1, 0]}), pl.DataFrame(), pa.table({})),
    *(pd.Series([], dtype=float), pl.Series([None, None]), pa.array([None]), dt.date(2026, 1, 1)),
]

PAIRS: list[tuple[Any, Any]] = [
    *((1, 0), (1, 0), (1, 0), (True, False), (1, -1), (1.0, 0.0), ("ill", "well"), (b"a", b"b")),
    *((2, 1), (2**53 + 1, 2**53), (10**400, 0), (math.inf, 0.0), (Decimal("0.1"), Decimal(0))),
    *((Fraction(1, 3), Fraction(2, 3)), ("1", "0"), ("a\0", "a"), ("\ud800", "x"), ((1,), (2,))),
    *((dt.date(2026, 1, 1), dt.date(2025, 1, 1)), (1, "0"), ("yes", "no"), ("", " ")),
]

INTRUDERS: list[Any] = [
    *(None, math.nan, pd.NA, pd.NaT, Decimal("sNaN"), 2, -1, "maybe", 0.5, [1], np.array(1)),
    object(),
]


def _objects(values: list[Any]) -> Any:
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector


def _for_polars(values: Any) -> Any:
    """Return the values that polars can hold: it panics at a decimal NaN."""
    if "NaN" in repr(values):
        raise ValueError("not for polars")
    return values


CONTAINERS: list[Callable[[list[Any]], Any]] = [
    list,
    tuple,
    np.asarray,
    _objects,
    lambda values: np.ma.array(np.asarray(values), mask=[False] * len(values)),
    lambda values: pd.Series(values, index=[7] * len(values)),
    lambda values: pd.Series(values, dtype="category"),
    lambda values: pd.Series(values).convert_dtypes(),
    pd.Index,
    lambda values: pl.Series(_for_polars(values), strict=False),
    lambda values: pl.Series(list(map(int, values)), dtype=pl.Int128),
    pa.array,
    lambda values: pa.chunked_array([values]),
    lambda values: pa.array(values).dictionary_encode(),
    iter,
    lambda values: np.asarray(values)[::2],
    lambda values: np.asarray(values).reshape(-1, 1),
    lambda values: values[:-1],
    lambda values: dict(enumerate(values)),
]


class Pool:
    """Draw arguments: mostly sane ones, so that calls get far, and some hostile ones.

    Parameters
    ----------
    random
        The random generator: the same seed draws the same arguments.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.drawn: list[Any] = []

    def of(self, values: Sequence[Any]) -> Any:
        """Draw one of these values."""
        return self._noted(self.random.choice(values))

    def sometimes(self, sane: Any, hostile: Callable[[], Any], chance: float = 0.25) -> Any:
        """Draw something hostile now and then."""
        return hostile() if self.random.random() < chance else self._noted(sane)

    def anything(self) -> Any:
        """Draw a number, a text, or something odd."""
        return self.of(self.random.choice([NUMBERS, TEXTS, ODD]))

    def number(self, *sane: Any) -> Any:
        """Draw a number, mostly one of these."""
        return self.sometimes(self.random.choice(sane), self._number_or_odd)

    def text(self, *sane: str) -> Any:
        """Draw a text, mostly one of these."""
        return self.sometimes(self.random.choice(sane), lambda: self.of([*TEXTS, *TEXTS, *ODD]))

    def count(self) -> Any:
        """Draw a number of observations."""
        return self.number(*range(8), 40, 303, 10_007, 10**9, 10**15)

    def base_rate(self) -> Any:
        """Draw a test set."""
        total = self.random.choice([1, 2, 3, 10, 57, 303, 10_007, 10**9, 10**15])
        positives = self.random.choice([0, 1, total // 3, total - 1, total])
        sane = br.BaseRate(positives=positives, total=total)
        return self.sometimes(sane, lambda: self.of([self.table(), self.labels(), self.anything()]))

    def table(self) -> br.ConfusionMatrix:
        """Draw a confusion table."""
        size = self.random.choice([3, 30, 300, 10**6, 10**14])
        cells = {name: self.random.randint(0, size) for name in ("tp", "fp", "fn", "tn")}
        return self._noted(br.ConfusionMatrix(**cells))

    def measure(self) -> Any:
        """Draw a measure or its name."""
        sane = self.random.choice(
            [*TWO_CLASS_MEASURES, *TWO_CLASS_MEASURES.values(), "F0.5", "F2", "fbeta"]
        )
        return self.sometimes(sane, self.anything, 0.15)

    def classes(self, size: int = 0) -> Any:
        """Draw labels of several classes, in some container."""
        kinds = [("a", "b", "c"), (0, 1, 2), (1, 2.5, "x"), (True, 2, 3), (None, "a", "b", "c")]
        return self.labels(self.of(kinds), size)

    def class_counts(self) -> br.BaseRate:
        """Draw a test set of several classes."""
        size = self.random.choice([3, 30, 10**6, 10**12])
        return self._noted(br.BaseRate({each: self.random.randint(1, size) for each in "abcd"}))

    def matrix(self) -> br.ConfusionMatrix:
        """Draw a confusion matrix of three classes."""
        size = self.random.choice([3, 30, 10**6, 10**12])
        rows = [[self.random.randint(0, size) for _ in range(3)] for _ in range(3)]
        return self._noted(br.ConfusionMatrix(rows))

    def custom(self) -> Any:
        """Draw a custom measure."""
        return br.Measure.custom("mine", self.of(FUNCTIONS))

    def pair(self) -> tuple[Any, Any]:
        """Draw a positive and a negative label."""
        return self.of(PAIRS)

    def labels(self, pair: tuple[Any, ...] = (1, 0), size: int = 0) -> Any:
        """Draw labels, in some container."""
        size = size or self.random.choice([1, 2, 7, 40])
        values = self.random.choices(pair, k=size)
        if self.random.random() < 0.15:
            values[self.random.randrange(size)] = self.of(INTRUDERS)
        sane = self.random.choice([list, np.asarray, _objects])
        make = self.sometimes(sane, lambda: self.random.choice(CONTAINERS), 0.3)
        try:
            return self._noted(make(values))
        except Exception:  # not every library can hold every label
            return self._noted(values)

    def frame(self, pair: tuple[Any, Any]) -> Any:
        """Draw a data frame with the columns y, tree, knn and region."""
        size = self.random.choice([1, 2, 7, 40])
        columns = {name: self.random.choices(pair, k=size) for name in ("y", "tree", "knn")} | {
            "region": self.random.choices(["n", "s", None], k=size)
        }
        if self.random.random() < 0.15:
            columns["tree"][0] = self.of(INTRUDERS)
        make = self.random.choice(FRAMES)
        try:
            return self._noted(make(columns))
        except Exception:  # not every library can hold every label
            return self._noted(pd.DataFrame(columns, dtype=object))

    def scores(self, size: int) -> Any:
        """Draw scores of a classifier."""
        values = [self.random.choice([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]) for _ in range(size)]
        if self.random.random() < 0.15:
            values[0] = self.of(NUMBERS)
        return self.sometimes(values, lambda: self.of([np.asarray(values), self.anything()]))

    def _number_or_odd(self) -> Any:
        return self.of(self.random.choice([NUMBERS, NUMBERS, NUMBERS, TEXTS, ODD]))

    def _noted(self, value: Any) -> Any:
        self.drawn.append(value)
        return value


# What an error must not print.
BIG: list[Any] = [
    *(list(range(5000)), ["x" * 50 + str(place) for place in range(5000)], tuple(range(5000))),
    *("F1" * 5000, {str(place): place for place in range(5000)}, set(range(5000)), 7**5000),
    *([list(range(5000))] * 2, np.arange(5000.0), np.zeros((70, 70)), np.array([object()] * 5000)),
    *(
        pd.Series(range(5000)),
        pd.Series([2, 3, 4, 5]),
        pl.Series(range(5000)),
        pa.array(range(5000)),
    ),
    *(["x" * 5000, "y" * 5000, "z" * 5000], ["x" * 5000] * 3),
    *(
        make({str(k): range(90) for k in range(300)})
        for make in (pd.DataFrame, pl.DataFrame, pa.table)
    ),
]


class BigPool(Pool):
    """Draw sane arguments, and one in five that is much too long."""

    def sometimes(self, sane: Any, *_: Any) -> Any:
        """Draw something long now and then."""
        return self.of(BIG if self.random.random() < 0.2 else [sane])

    def labels(self, pair: tuple[Any, ...] = (1, 0), size: int = 0) -> Any:
        """Draw labels, or something long in their place."""
        return self.sometimes(super().labels(pair, size))


FRAMES: list[Callable[[dict[str, list[Any]]], Any]] = [
    pd.DataFrame,
    lambda columns: pd.DataFrame(columns).convert_dtypes(),
    lambda columns: pd.DataFrame(columns).astype("category"),
    lambda columns: pl.DataFrame(_for_polars(columns), strict=False),
    lambda columns: pl.LazyFrame(_for_polars(columns), strict=False),
    pa.table,
    lambda columns: _relation(pa.table(columns)),
    lambda columns: columns,
]


def _relation(table: Any) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(table)


def _raising(*_: Any) -> float:
    raise RuntimeError("out of coffee")


FUNCTIONS: list[Any] = [
    lambda tp, fp, fn, tn: tp - fp,
    lambda tp, fp, fn, tn: tp / (tp + fp),
    lambda tp, fp, fn, tn: math.sqrt(tp) - fn**0.5,
    lambda tp, fp, fn, tn: 2.0**tp,
    lambda tp, fp, fn, tn: 10**400,
    lambda tp, fp, fn, tn: math.nan,
    lambda tp, fp, fn, tn: math.inf if tp else 0,
    lambda tp, fp, fn, tn: "text",
    lambda tp, fp, fn, tn: None,
    lambda tp, fp, fn, tn: [tp, fp],
    lambda tp, fp, fn, tn: 1j,
    lambda tp, fp, fn, tn: Decimal("sNaN"),
    lambda tp, fp, fn, tn: round(tp / (fp + 1), 1),
    lambda tp, fp: tp,
    lambda: 1,
    _raising,
    len,
    None,
    "F1",
]
