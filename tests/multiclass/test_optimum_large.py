"""Baselines of many classes and many observations."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from baserate.baselines.class_mix_search import class_baseline, greedy
from baserate.measures.classes import CLASS_MEASURES, get_class_measure
from baserate.observed.classes import ClassCounts


def _test_set(classes: int, total: int) -> ClassCounts:
    """Return classes of very different sizes, always the same."""
    shares = np.random.default_rng(5).dirichlet(np.full(classes, 0.7))
    sizes = [1 + int(share * (total - classes)) for share in shares.tolist()]
    sizes[0] += total - sum(sizes)
    return ClassCounts(dict(enumerate(sizes)))


LARGE = _test_set(1000, 10**9)


@pytest.mark.parametrize("key", [key for key in CLASS_MEASURES if key != "G-mean"])
def test_a_thousand_classes_have_certain_baselines(key: str) -> None:
    """With a billion observations, every measure that is not searched is exact."""
    base = class_baseline(LARGE, get_class_measure(key))
    assert base.max.exact
    assert base.min.exact
    assert sum(base.guesses.first) == LARGE.total
    assert base.min.value <= base.max.value
    assert base.reference


@pytest.mark.parametrize(("key", "total"), [("weighted F1", 10**15), ("weighted F0.5", 10**9)])
def test_no_swap_improves_weighted_f(key: str, total: int) -> None:
    """The last prediction of a class adds at least what one more of any other would add."""
    test_set = _test_set(200, total)
    base = class_baseline(test_set, get_class_measure(key))
    assert base.best.exact
    deck, weight = base.guesses.first, Fraction(1) if key.endswith("F1") else Fraction(1, 4)

    def part(n: int, m: int) -> Fraction:
        return Fraction(n * n * m) / (weight * n + m)

    pairs = list(zip(test_set.counts, deck, strict=True))
    next_one = max(part(n, m + 1) - part(n, m) for n, m in pairs)
    last_one = min(part(n, m) - part(n, m - 1) for n, m in pairs if m)
    assert next_one <= last_one
    assert (base.guesses.size > 1) == (next_one == last_one)


def test_a_large_jaccard_deck_follows_the_odds() -> None:
    """For large M, macro Jaccard's best deck is as its limit: shares in proportion to the odds."""
    n = (5 * 10**8, 3 * 10**8, 2 * 10**8)
    base = class_baseline(ClassCounts(dict(enumerate(n))), get_class_measure("macro Jaccard"))
    # π x / (π + x - π x) has the slope π² / (π + x(1 - π))²: equal where π + x(1 - π) = c π.
    odds = np.array([0.5 / 0.5, 0.3 / 0.7, 0.2 / 0.8])
    shares = odds / odds.sum()
    assert np.array(base.guesses.first) / 10**9 == pytest.approx(shares, abs=1e-8)


def test_classes_of_the_same_size_tie_at_any_size() -> None:
    """A thousand equal classes share a remainder in all ways."""
    n = dict.fromkeys(range(999), 10**6) | {"more": 10**6 + 1}
    base = class_baseline(ClassCounts(n), get_class_measure("macro Jaccard"))
    assert base.best.exact
    fewer = [k for k, count in enumerate(base.guesses.first) if count != 10**6]
    assert len(fewer) <= 2


@pytest.mark.parametrize("key", ["macro F1", "macro F0.5"])
def test_the_best_deck_of_macro_f_is_like_the_truth(key: str) -> None:
    """Its place is declared; the search for the best sum finds the same."""
    form = get_class_measure(key).form
    found = greedy(LARGE.counts, form.gain, linear=form.linear)
    assert found.exact
    assert list(found.guesses) == [LARGE.counts]


@pytest.mark.parametrize("key", ["macro Jaccard", "weighted F1"])
def test_one_class_has_one_deck(key: str) -> None:
    """However large it is."""
    best = class_baseline(ClassCounts({"a": 10**15}), get_class_measure(key)).best
    assert list(best.guesses) == [(10**15,)]
    assert best.value == 1
    assert best.exact


def test_a_comparison_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deck that was reached last is returned, as not certain."""
    monkeypatch.setattr("baserate.baselines.class_mix_search._ROUNDS", 0)
    base = class_baseline(_test_set(3, 1000), get_class_measure("weighted F1"))
    assert not base.best.exact
    assert sum(base.guesses.first) == 1000


def test_a_jaccard_deck_beyond_floats_says_so() -> None:
    """With 10¹⁵ observations neighbouring decks differ by less than rounding."""
    base = class_baseline(_test_set(3, 10**15), get_class_measure("macro Jaccard"))
    assert not base.best.exact
    assert sum(base.guesses.first) == 10**15


def test_nearly_equal_classes_of_a_large_test_set_may_tie() -> None:
    """Scores near 1 of constant decks differ by less than rounding there: not certain."""
    measure = get_class_measure("macro precision", zero_division=1)
    n = {k: 10**14 + k for k in range(4)}
    base = class_baseline(ClassCounts(n), measure)
    assert not base.best.exact
    assert class_baseline(ClassCounts({0: 10, 1: 9, 2: 9}), measure).best.exact
