"""Best and worst guesses of several classes, and what every guess expects, against the oracle."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb, factorial
from typing import Any

import mpmath
import numpy as np
import pytest

import baserate as br
import exact_tables
from baserate.baselines.class_expectation import (
    ROUGH,
    _of_total,
    expected_score,
    gauss_rule,
    is_exact,
)
from baserate.baselines.class_mix import MixSet, mixes_in_words
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes import CLASS_MEASURES
from class_measures import measure_of
from exact_tables import DEFINITIONS, compositions, dealt, extremes, mixes, small_test_sets


def _baseline(n: tuple[int, ...], measure: Any) -> Any:
    return br.baseline(br.ClassCounts(dict(enumerate(n))), measure)


# --- The oracle -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [(3, 2), (0, 4), (2, 2, 1), (1, 0, 3)])
def test_tables_are_as_likely_as_permutations_make_them(n: tuple[int, ...]) -> None:
    """The probability of a table is the share of the M! orders of the deck that give it."""
    assert set(CLASS_MEASURES) <= set(DEFINITIONS)
    classes = range(len(n))
    truth = [k for k in classes for _ in range(n[k])]
    for m in compositions(sum(n), len(n)):
        seen: Counter = Counter()
        for order in permutations([k for k in classes for _ in range(m[k])]):
            pairs = Counter(zip(truth, order, strict=True))
            seen[tuple(tuple(pairs[j, k] for k in classes) for j in classes)] += 1
        ways = factorial(sum(n))
        assert dealt(n, m) == {table: Fraction(count, ways) for table, count in seen.items()}


SAMPLE = [
    *small_test_sets(2, 1),
    *small_test_sets(6, 2)[::3],
    *small_test_sets(6, 3)[::5],
    *small_test_sets(6, 4)[::6],
]
# Classes that never occur, or are never predicted, are among these.
WITH_ABSENT = [n for classes in (1, 2, 3, 4) for n in small_test_sets(4, classes, each=False)][::6]


@pytest.mark.parametrize("key", DEFINITIONS)
def test_small_baselines_agree_with_the_oracle(key: str) -> None:
    """The same values, and exactly the same guesses."""
    for n in SAMPLE:
        expected = extremes(key, n)
        if expected is None:
            with pytest.raises(UndefinedMeasureError, match="at least two classes"):
                _baseline(n, measure_of(key))
            continue
        base = _baseline(n, measure_of(key))
        for found, exact in zip((base.max, base.min), expected, strict=True):
            assert found.value == pytest.approx(float(exact.value), rel=1e-12, abs=1e-15)
            assert set(found.guesses) == exact.guesses
            assert found.guesses.size == len(exact.guesses)
            assert all(deck in found.guesses for deck in exact.guesses)
            assert found.exact


@pytest.mark.parametrize("key", DEFINITIONS)
def test_small_mixes_agree_with_the_oracle(key: str) -> None:
    """Also where a deck has classes that never occur; no score is nan."""
    for n in WITH_ABSENT:
        for m in compositions(sum(n), len(n)):
            expected = exact_tables.expected_score(key, n, m)
            wanted = math.nan if expected is None else float(expected)
            found = expected_score(measure_of(key), n, m)
            assert found == pytest.approx(wanted, rel=1e-13, abs=1e-15, nan_ok=True)
            assert is_exact(measure_of(key), n, m)


# --- Best guesses ---------------------------------------------------------------------------------


def test_always_one_class_is_rarely_best_for_weighted_f1() -> None:
    """The paper expects that one class is best: it is under a condition, checked on all."""
    outcomes = set()
    for n in [n for c in (2, 3) for n in small_test_sets(10, c)] + [(70, 20, 10), (90, 7, 3)]:
        first, total = max(n), sum(n)
        bound = Fraction(first**3, (first + total - 1) * (first + total))
        expected = all(Fraction(k**2, k + 1) <= bound for k in sorted(n)[:-1])
        found = any(total in deck for deck in _baseline(n, "weighted F1").guesses)
        assert found == expected
        outcomes.add(found)
    assert outcomes == {True, False}


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
        means = {m: expected_score(br.get_measure(key, task="multiclass"), n, m) for m in mixes(n)}
        top = max(means.values())
        assert {m for m, mean in means.items() if mean > top - 1e-13} == best


def _test_set(classes: int, total: int) -> br.ClassCounts:
    """Return classes of very different sizes, always the same."""
    shares = np.random.default_rng(5).dirichlet(np.full(classes, 0.7))
    sizes = [1 + int(share * (total - classes)) for share in shares.tolist()]
    sizes[0] += total - sum(sizes)
    return br.ClassCounts(dict(enumerate(sizes)))


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


@pytest.mark.parametrize(("key", "total"), [("weighted F1", 10**15), ("weighted F0.5", 10**9)])
def test_no_swap_improves_weighted_f(key: str, total: int) -> None:
    """The last prediction of a class adds at least what one more of any other would add."""
    test_set = _test_set(200, total)
    best: Any = br.baseline(test_set, key).best
    weight = Fraction(1) if key.endswith("F1") else Fraction(1, 4)

    def part(n: int, m: int) -> Fraction:
        return Fraction(n * n * m) / (weight * n + m)

    pairs = list(zip(test_set.counts, best.guesses.first, strict=True))
    next_one = max(part(n, m + 1) - part(n, m) for n, m in pairs)
    last_one = min(part(n, m) - part(n, m - 1) for n, m in pairs if m)
    assert best.exact
    assert next_one <= last_one
    assert (best.guesses.size > 1) == (next_one == last_one)


def test_what_floats_cannot_tell_apart_is_not_certain() -> None:
    """With 10¹⁵ observations neighbouring mixes differ by less than rounding."""
    best: Any = br.baseline(_test_set(3, 10**15), "macro Jaccard").best
    assert not best.exact
    assert sum(best.guesses.first) == 10**15
    large: Any = _baseline((7 * 10**8, 2 * 10**8, 10**8), "G-mean").best
    assert large.value == pytest.approx(1 / 3, abs=1e-8)
    assert large.guesses.first == pytest.approx((10**9 / 3,) * 3, rel=1e-3)
    assert not large.exact


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
        assert any(deck in expected.guesses for deck in found.guesses)
        assert found.exact == (n == (3, 2, 1))


@pytest.mark.parametrize("n", [(12, 6, 6), (30, 20)])
def test_the_search_for_the_g_mean_finds_the_best_deck(n: tuple[int, ...]) -> None:
    """Where it is not certain, it is still the best of all class mixes."""
    measure = br.get_measure("G-mean", task="multiclass")
    means = [expected_score(measure, n, m) for m in mixes(n)]
    assert _baseline(n, "G-mean").best.value == pytest.approx(max(means), rel=1e-12)


def test_a_search_climbs_to_mixes_where_it_did_not_begin() -> None:
    """A function that is best at a deck far from all others."""
    aim = br.Measure.custom(
        "aim", lambda table: -abs(table[:, 0].sum() - 613) - abs(table[:, 1].sum() - 290)
    )
    assert list(_baseline((500, 300, 200), aim).guesses) == [(613, 290, 97)]


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


@pytest.mark.parametrize("key", ["kappa", "linear kappa", "quadratic kappa", "MCC"])
@pytest.mark.parametrize("n", [(10**15 - 1, 1), (7, 3), (10**9, 10**9 - 1, 5)])
def test_agreement_by_chance_is_zero(key: str, n: tuple[int, ...]) -> None:
    """Exactly, however little one of the classes occurs."""
    assert expected_score(br.get_measure(key, task="multiclass"), n, n) == 0


def test_any_function_has_an_expectation() -> None:
    """Of all tables if they are few, of some if they are many, of the expected one if M is huge."""
    share = br.Measure.custom("share", lambda table: table[0, 0] / table.sum())
    assert expected_score(share, (2, 2), (3, 1)) == pytest.approx(2 * 3 / 16)
    assert is_exact(share, (2, 2), (3, 1))
    many = (3_000, 4_000, 3_000)
    assert not is_exact(share, many, many)
    assert expected_score(share, many, many) == pytest.approx(0.09, abs=2e-3)
    assert expected_score(share, many, many, effort=ROUGH) == pytest.approx(0.09, abs=2e-3)
    huge = (3 * 10**14, 7 * 10**14)
    assert expected_score(share, huge, huge) == pytest.approx(0.09, rel=1e-12)


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
    base: Any = br.baseline(br.ClassCounts({"a": 70, "b": 20, "c": 10}), key)
    assert base.guess == who
    assert str(base) == (
        f"{key} baseline {score} on {base.test_set.described}: {who}; the worst guess has {worst}"
    )


COUNTS = br.ClassCounts({"a": 40, "b": 40, "c": 20})
MANY = br.ClassCounts(dict.fromkeys("abcdefghijk", 10))


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
def test_mixes_are_said_in_words(found: MixSet, counts: br.ClassCounts, said: str) -> None:
    """For sentences such as "below the baseline 0.700 of always 'a'"."""
    assert mixes_in_words(found, counts) == said


def test_no_set_is_too_large() -> None:
    """Sizes are whole numbers of any length, and the first deck comes at once."""
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


def test_searches_that_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that does not end is not certain, and rounding keeps every class."""
    monkeypatch.setattr("baserate.baselines.class_mix._ROUNDS", 0)
    best: Any = br.baseline(_test_set(3, 1000), "weighted F1").best
    assert not best.exact
    assert sum(best.guesses.first) == 1000
    assert _of_total(np.array([0.1] * 5 + [2.0, 2.0, 2.0, 2.0, 1.5]), 10) == (1,) * 10
    assert _of_total(np.array([1.0, 3.0]), 7) == (2, 5)
