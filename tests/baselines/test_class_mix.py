"""Best and worst guesses of several classes, and what every guess expects, against the oracle."""

from __future__ import annotations

import math
from math import comb
from typing import Any

import mpmath
import numpy as np
import pytest

import baserate as br
from baserate.baselines.class_expectation import (
    expected_score,
    gauss_rule,
)
from baserate.baselines.class_mix import MixSet, mixes_in_words
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes import CLASS_MEASURES
from enumeration import compositions


def _baseline(n: tuple[int, ...], measure: Any) -> Any:
    return br.baseline(br.BaseRate(dict(enumerate(n))), measure)


# --- Best guesses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "n", "best"),
    [
        ("macro Jaccard", (6, 4, 2), {(7, 4, 1), (7, 3, 2)}),  # sizes that differ may tie
        ("weighted Jaccard", (6, 2, 2), {(10, 0, 0), (9, 1, 0), (9, 0, 1)}),
        ("micro Jaccard", (40, 40, 20), {(50, 50, 0)}),  # convex: classes that tie are mixed
        ("micro Jaccard", (7, 7, 7), {(7, 7, 7)}),
        ("micro Jaccard", (6, 5, 5), {(16, 0, 0)}),
        ("G-mean", (8, 2, 2), {(2, 5, 5)}),  # rare classes are predicted more often
        ("weighted F1", (70, 20, 10), {(95, 5, 0)}),
        ("macro Jaccard", (70, 20, 10), {(86, 10, 4)}),
    ],
)
def test_best_mixes(key: str, n: tuple[int, ...], best: set[tuple[int, ...]]) -> None:
    """They are the best of all class mixes, and certain."""
    found = _baseline(n, key).best
    assert set(found.guesses) == best
    assert found.exact
    if sum(n) < 30:
        means = {
            m: expected_score(br.get_measure(key, task="multiclass"), n, m)
            for m in compositions(sum(n), len(n))
        }
        top = max(means.values())
        assert {m for m, mean in means.items() if mean > top - 1e-13} == best


def _test_set(classes: int, total: int) -> br.BaseRate:
    """Return classes of very different sizes, always the same."""
    shares = np.random.default_rng(5).dirichlet(np.full(classes, 0.7))
    sizes = [1 + int(share * (total - classes)) for share in shares.tolist()]
    sizes[0] += total - sum(sizes)
    return br.BaseRate(dict(enumerate(sizes)))


LARGE = _test_set(1000, 10**9)


@pytest.mark.parametrize("key", [key for key in CLASS_MEASURES if key != "G-mean"])
def test_a_thousand_classes_have_certain_baselines(key: str) -> None:
    """With a billion observations, every measure that is not searched is exact."""
    base: Any = br.baseline(LARGE, key)
    assert base.max.exact
    assert base.min.exact
    assert sum(base.guesses.first) == LARGE.total
    assert base.min.value <= base.max.value
    assert base.guess


# --- Searches -------------------------------------------------------------------------------------

SHARE = br.Measure.custom("share", lambda table: table.trace() / table.sum(), codomain=(0, 1))


@pytest.mark.parametrize(
    "n", [(3, 2, 1), (70, 20, 10), (30, 20, 10, 10, 10, 5, 5), (5 * 10**14, 10**14)]
)
def test_a_function_is_searched(n: tuple[int, ...]) -> None:
    """It finds what the formula of the same measure has; of few tables it is certain."""
    base, exact = _baseline(n, SHARE), _baseline(n, "accuracy")
    for found, expected in ((base.max, exact.max), (base.min, exact.min)):
        assert found.value == pytest.approx(expected.value)
        assert any(mix in expected.guesses for mix in found.guesses)
        assert found.exact == (n == (3, 2, 1))


def test_what_is_undefined_has_no_baseline() -> None:
    """A function without a score has none; some mixes may have none."""
    never = br.Measure.custom("never", lambda table: math.nan)
    for n in ((2, 1), (700, 200, 100)):
        with pytest.raises(UndefinedMeasureError, match="a mix whose every score is a number"):
            _baseline(n, never)
    precision = br.Measure.custom("precision", lambda table: table[0, 0] / table[:, 0].sum())
    base = _baseline((2, 1), precision)
    assert (0, 3) not in base.max.guesses
    assert base.max.value == pytest.approx(2 / 3)


# --- Expectations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "drawn", "total"),
    [(700, 860, 1000), (3, 5 * 10**8, 10**9), (10**5, 10**14, 10**15)],
)
def test_gauss_agrees_with_fifty_digits(marked: int, drawn: int, total: int) -> None:
    """At any size: 1 / (t - h) = Σ h(h - 1)… / (t (t - 1)…), whose terms have a known mean."""
    pole = marked + drawn
    nodes, weights = gauss_rule(np.array([marked]), np.array([drawn]), total)
    found = float((weights / (pole - nodes)).sum())
    term, exact = mpmath.mpf(1) / pole, mpmath.mpf(0)
    for j in range(400):
        exact += term
        term *= mpmath.mpf(marked - j) * (drawn - j) / (mpmath.mpf(total - j) * (pole - j - 1))
    assert found == pytest.approx(float(exact), rel=1e-14)


# --- In words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "score", "who", "worst"),
    [
        ("accuracy", "0.700", "always 'a'", "0.100"),
        ("macro F1", "0.333", "each class as often as it occurs", "0.061"),
        ("weighted F1", "0.580", "95 'a', 5 'b' at random", "0.018"),
        ("macro precision", "0.333", "each class at least once", "0.033"),
    ],
)
def test_a_baseline_is_a_sentence(key: str, score: str, who: str, worst: str) -> None:
    """It names the score, the guess that expect it, and the test set."""
    base: Any = br.baseline(br.BaseRate({"a": 70, "b": 20, "c": 10}), key)
    assert base.guess == who
    assert str(base) == (
        f"{key} baseline {score} on {base.test_set.described}: {who}; the worst guess has {worst}"
    )


COUNTS = br.BaseRate({"a": 40, "b": 40, "c": 20})
MANY = br.BaseRate(dict.fromkeys("abcdefghijk", 10))


@pytest.mark.parametrize(
    ("found", "counts", "said"),
    [
        (MixSet.over((40, 40, 20)), COUNTS, "any guess"),
        (MixSet.over((40, 40, 20), [0, 1]), COUNTS, "always 'a' or 'b'"),
        (MixSet.of([(100, 0, 0), (0, 0, 100)]), COUNTS, "always 'a' or 'c'"),
        (MixSet.of([(95, 5, 0), (5, 95, 0)]), COUNTS, "for example 95 'a', 5 'b' at random"),
        (MixSet.of([(20, *[9] * 10)]), MANY, "20 'a', 9 'b', 9 'c', 9 'd' … and 7 more at random"),
        (MixSet.over((10,) * 11, range(6)), MANY, "always 'a', 'b', 'c', 'd' or 2 more"),
    ],
)
def test_mixes_are_said_in_words(found: MixSet, counts: br.BaseRate, said: str) -> None:
    """For sentences such as "below the baseline 0.700 of always 'a'"."""
    assert mixes_in_words(found, counts) == said


def test_no_set_is_too_large() -> None:
    """Sizes are whole numbers of any length, and the first mix comes at once."""
    n = (10**6,) * 1000
    every = MixSet.over(n)
    assert every.size == comb(10**9 + 999, 999)
    assert every.first == (10**9, *(0,) * 999)
    assert n in every
    assert str(every).endswith("…: 1,000 classes), …: about 10^6426 mixes}")
    assert MixSet.leaving_one_out(n).size == every.size - comb(10**9 - 1, 999)
    tied = MixSet.with_ties((10**6 - 1,) * 1000, (1,) * 1000, 10**9 - 500)
    assert tied.size == comb(1000, 500)
    assert repr(MixSet.of([(2, 1), (1, 2)])) == "MixSet({(2, 1), (1, 2)})"
    assert all(other not in MixSet.of([(2, 1)]) for other in ((3, 0), (2, 1, 0), "21", 3, None))
