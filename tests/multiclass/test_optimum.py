"""The best and the worst decks, against all decks of the oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import comb

import pytest

from baserate.baselines.class_mix import expected_score
from baserate.baselines.class_mix_search import class_baseline
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes import get_class_measure
from baserate.observed.classes import ClassCounts
from class_measures import measure_of
from exact_tables import DEFINITIONS, decks, extremes, small_test_sets


def _counts(n: tuple[int, ...]) -> ClassCounts:
    return ClassCounts(dict(enumerate(n)))


def _compare(key: str, n: tuple[int, ...]) -> None:
    expected = extremes(key, n)
    if expected is None:
        with pytest.raises(UndefinedMeasureError, match="at least two classes"):
            class_baseline(_counts(n), measure_of(key))
        return
    base = class_baseline(_counts(n), measure_of(key))
    for found, exact in zip((base.max, base.min), expected, strict=True):
        assert found.value == pytest.approx(float(exact.value), rel=1e-12, abs=1e-15)
        assert set(found.guesses) == exact.guesses
        assert found.guesses.size == len(exact.guesses)
        assert found.exact


SAMPLE = [
    *small_test_sets(2, 1),
    *small_test_sets(6, 2)[::3],
    *small_test_sets(6, 3)[::4],
    *small_test_sets(6, 4)[::5],
]


@pytest.mark.parametrize("key", DEFINITIONS)
def test_small_baselines_agree_with_the_oracle(key: str) -> None:
    """The same values, and exactly the same decks."""
    for n in SAMPLE:
        _compare(key, n)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", DEFINITIONS)
@pytest.mark.parametrize("classes", [1, 2, 3, 4])
def test_all_small_baselines_agree_with_the_oracle(key: str, classes: int) -> None:
    """Every n with M ≤ 7 and K ≤ 4."""
    for n in small_test_sets(7, classes):
        _compare(key, n)


@pytest.mark.parametrize(
    ("key", "value", "deck"),
    [
        ("accuracy", 0.7, (100, 0, 0)),
        ("macro F1", 1 / 3, (70, 20, 10)),
        ("macro F2", 1 / 3, (70, 20, 10)),
        ("weighted F1", 0.580, (95, 5, 0)),
        ("macro Jaccard", 0.245, (86, 10, 4)),
        ("micro Jaccard", 0.7 / 1.3, (100, 0, 0)),
    ],
)
def test_the_numbers_of_seventy_twenty_and_ten(
    key: str, value: float, deck: tuple[int, ...]
) -> None:
    """The best decks of several measures on n = (70, 20, 10)."""
    best = class_baseline(_counts((70, 20, 10)), get_class_measure(key)).best
    assert best.value == pytest.approx(value, abs=5e-4)
    assert list(best.guesses) == [deck]


def test_classes_that_never_occur_are_left_out() -> None:
    """They are never right, and a deck has one number per class that occurs."""
    base = class_baseline(ClassCounts({"a": 3, "b": 0, "c": 1}), get_class_measure("accuracy"))
    assert base.test_set.labels == ("a", "c")
    assert list(base.guesses) == [(4, 0)]


def _weighted_f1_is_best_for_one_class(n: tuple[int, ...]) -> bool:
    """For every other class, n_k² / (n_k + 1) ≤ n_1³ / ((n_1 + M - 1)(n_1 + M))."""
    first, total = max(n), sum(n)
    others = sorted(n)[:-1]
    bound = Fraction(first**3, (first + total - 1) * (first + total))
    return all(Fraction(k**2, k + 1) <= bound for k in others)


def test_always_one_class_is_rarely_best_for_weighted_f1() -> None:
    """The paper expects that one class is best: it is under a condition, checked on all decks."""
    outcomes = set()
    for n in [n for c in (2, 3) for n in small_test_sets(12, c)] + [(70, 20, 10), (90, 7, 3)]:
        best = class_baseline(_counts(n), get_class_measure("weighted F1")).best
        total = sum(n)
        is_constant = any(total in deck for deck in best.guesses)
        assert is_constant == _weighted_f1_is_best_for_one_class(n)
        outcomes.add(is_constant)
    assert outcomes == {True, False}


@pytest.mark.parametrize("key", ["macro F1", "macro Jaccard", "weighted Jaccard", "weighted F2"])
@pytest.mark.parametrize("n", [(14, 10, 6), (24, 5, 1), (10, 10, 10), (28, 1, 1)])
def test_greedy_decks_are_the_best_of_all(key: str, n: tuple[int, ...]) -> None:
    """Of all 496 decks of 30 predictions, by their expected scores."""
    measure = get_class_measure(key)
    means = {m: expected_score(measure, n, m) for m in decks(n)}
    highest, lowest = max(means.values()), min(means.values())
    base = class_baseline(_counts(n), measure)
    for found, end in ((base.max, highest), (base.min, lowest)):
        assert found.value == pytest.approx(end, rel=1e-14)
        assert set(found.guesses) == {m for m, mean in means.items() if abs(mean - end) < 1e-13}


def test_expected_jaccard_is_concave_in_the_predictions() -> None:
    """One more prediction of a class adds less, the more there are: all n with M ≤ 12."""
    measure = get_class_measure("macro Jaccard")
    for total in range(2, 13):
        for n in range(1, total):
            pair = (n, total - n)
            # Of two classes, the first one's part: what is left when the second is constant.
            parts = [
                Fraction(0),
                *(_part(n, m, total) for m in range(1, total + 1)),
            ]
            steps = [after - before for before, after in pairwise(parts)]
            assert all(after <= before for before, after in pairwise(steps))
            other = [Fraction(0), *(_part(total - n, m, total) for m in range(1, total + 1))]
            for m in range(total + 1):
                found = expected_score(measure, pair, (m, total - m))
                assert found == pytest.approx(float(parts[m] + other[total - m]) / 2, rel=1e-13)


def _part(n: int, m: int, total: int) -> Fraction:
    hits = range(max(0, n + m - total), min(n, m) + 1)
    return sum(
        (
            Fraction(comb(n, h) * comb(total - n, m - h) * h, comb(total, m) * (n + m - h))
            for h in hits
        ),
        Fraction(0),
    )


@pytest.mark.parametrize(
    ("key", "n", "tied"),
    [
        ("macro Jaccard", (6, 4, 2), {(7, 4, 1), (7, 3, 2)}),
        ("weighted Jaccard", (6, 2, 2), {(10, 0, 0), (9, 1, 0), (9, 0, 1)}),
    ],
)
def test_classes_of_different_size_may_tie(
    key: str, n: tuple[int, ...], tied: set[tuple[int, ...]]
) -> None:
    """In fractions, over all decks."""
    weights = n if key.startswith("weighted") else (1,) * len(n)
    means = {
        m: sum(w * _part(a, b, sum(n)) for w, a, b in zip(weights, n, m, strict=True))
        for m in decks(n)
    }
    assert {m for m, mean in means.items() if mean == max(means.values())} == tied
    best = class_baseline(_counts(n), get_class_measure(key)).best
    assert set(best.guesses) == tied
    assert best.exact


def test_micro_jaccard_mixes_classes_that_tie() -> None:
    """It is convex in the right answers: the same mean with more spread is better."""
    base = class_baseline(_counts((40, 40, 20)), get_class_measure("micro Jaccard"))
    assert list(base.guesses) == [(50, 50, 0)]
    assert base.best.value > 0.4 / 1.6
    assert list(base.worst.guesses) == [(0, 0, 100)]
    uneven = class_baseline(_counts((7, 7, 7)), get_class_measure("micro Jaccard"))
    assert list(uneven.guesses) == [(7, 7, 7)]
    assert (
        class_baseline(_counts((5, 5)), get_class_measure("micro Jaccard")).worst.guesses.size == 2
    )


def test_classes_that_differ_by_one_are_not_mixed() -> None:
    """One more observation outweighs the spread: all decks of n = (k + 1, k) and (k + 1, k, k)."""
    measure = get_class_measure("micro Jaccard")
    for k, extra in product((1, 2, 5, 9), (0, 1)):
        n = (k + 1, *(k,) * (1 + extra))
        means = {m: expected_score(measure, n, m) for m in decks(n)}
        best = max(means, key=means.__getitem__)
        assert best == (sum(n), *(0,) * (1 + extra))
        assert list(class_baseline(_counts(n), measure).guesses) == [best]
