"""Baselines that are searched, and baselines as people read them."""

from __future__ import annotations

import math

import pytest

import baserate as br
from baserate.baselines.class_mix import MixSet, expected_score
from baserate.baselines.class_mix_search import class_baseline
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.classes import get_class_measure
from baserate.observed.classes import ClassCounts
from exact_tables import decks

ABC = ClassCounts({"a": 70, "b": 20, "c": 10})
SHARE = br.Measure.custom("share", lambda table: table.trace() / table.sum(), codomain=(0, 1))


def _counts(n: tuple[int, ...]) -> ClassCounts:
    return ClassCounts(dict(enumerate(n)))


def test_the_g_mean_likes_rare_classes() -> None:
    """The best deck of n = (8, 2, 2) is (2, 5, 5)."""
    base = class_baseline(_counts((8, 2, 2)), get_class_measure("G-mean"))
    assert base.best.value == pytest.approx(0.194, abs=5e-4)
    assert list(base.guesses) == [(2, 5, 5)]
    assert base.best.exact
    assert base.worst.value == 0
    assert base.worst.guesses == MixSet.leaving_one_out((8, 2, 2))


@pytest.mark.parametrize("n", [(12, 6, 6), (15, 10, 5), (30, 20)])
def test_the_search_for_the_g_mean_finds_the_best_deck(n: tuple[int, ...]) -> None:
    """Where it is not certain, it is still the best of all decks."""
    measure = get_class_measure("G-mean")
    base = class_baseline(_counts(n), measure)
    means = {m: expected_score(measure, n, m) for m in decks(n)}
    assert base.best.value == pytest.approx(max(means.values()), rel=1e-12)


def test_the_g_mean_of_a_large_test_set_is_near_the_uniform_deck() -> None:
    """All classes are found as often as they are predicted, and 1/K is the most of that."""
    base = class_baseline(_counts((7 * 10**8, 2 * 10**8, 10**8)), get_class_measure("G-mean"))
    assert base.best.value == pytest.approx(1 / 3, abs=1e-8)
    assert base.guesses.first == pytest.approx((10**9 / 3,) * 3, rel=1e-3)
    assert not base.best.exact


def test_the_search_finds_rare_classes_among_many() -> None:
    """The G-mean of a hundred classes: a rare class needs more predictions than a large one."""
    n = (2000, *(2,) * 50, *(40,) * 49)
    base = class_baseline(_counts(n), get_class_measure("G-mean"))
    large, rare, middle = (base.guesses.first[k] for k in (0, 1, 60))
    assert rare > middle > large


def test_a_function_of_few_tables_is_certain() -> None:
    """All decks are computed, and all their tables."""
    base = class_baseline(_counts((3, 2, 1)), SHARE)
    exact = class_baseline(_counts((3, 2, 1)), get_class_measure("accuracy"))
    for found, expected in ((base.max, exact.max), (base.min, exact.min)):
        assert found.value == pytest.approx(expected.value)
        assert set(found.guesses) == set(expected.guesses)
        assert found.exact


@pytest.mark.parametrize(
    "n", [(70, 20, 10), (700, 200, 100), (30, 20, 10, 10, 10, 5, 5), (5 * 10**14, 10**14)]
)
def test_a_function_of_many_tables_is_searched(n: tuple[int, ...]) -> None:
    """It finds what the formula of the same measure has, and says that it is not certain."""
    base = class_baseline(_counts(n), SHARE)
    exact = class_baseline(_counts(n), get_class_measure("accuracy"))
    for found, expected in ((base.max, exact.max), (base.min, exact.min)):
        assert found.value == pytest.approx(expected.value)
        assert any(deck in expected.guesses for deck in found.guesses)
        assert not found.exact


def test_a_search_climbs_to_decks_where_it_did_not_begin() -> None:
    """A function that is best at a deck far from all others."""
    aim = br.Measure.custom(
        "aim", lambda table: -abs(table[:, 0].sum() - 613) - abs(table[:, 1].sum() - 290)
    )
    best = class_baseline(_counts((500, 300, 200)), aim).best
    assert list(best.guesses) == [(613, 290, 97)]
    assert best.value == 0


def test_what_is_undefined_has_no_baseline() -> None:
    """For one class, and for a function without a score; some decks may have none."""
    with pytest.raises(UndefinedMeasureError, match=r"at least two classes \(got only 'a'\)"):
        class_baseline(ClassCounts({"a": 5}), get_class_measure("kappa"))
    never = br.Measure.custom("never", lambda table: math.nan)
    for n in ((2, 1), (700, 200, 100)):
        with pytest.raises(UndefinedMeasureError, match="a deck whose every score is a number"):
            class_baseline(_counts(n), never)
    precision = br.Measure.custom("precision", lambda table: table[0, 0] / table[:, 0].sum())
    base = class_baseline(_counts((2, 1)), precision)
    assert (0, 3) not in base.max.guesses
    assert base.max.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("key", "score", "who", "worst"),
    [
        ("accuracy", "0.700", "always 'a'", "0.100"),
        ("Hamming loss", "0.300", "always 'a'", "0.900"),
        ("macro F1", "0.333", "each class as often as it occurs", "0.061"),
        ("weighted F1", "0.580", "95 'a', 5 'b' at random", "0.018"),
        ("macro precision", "0.333", "each class at least once", "0.033"),
    ],
)
def test_a_baseline_is_a_sentence(key: str, score: str, who: str, worst: str) -> None:
    """It names the score, the decks that expect it, and the test set."""
    base = class_baseline(ABC, get_class_measure(key))
    assert base.guess == who
    assert str(base) == (
        f"{key} baseline {score} on {ABC.described}: {who}; the worst guess has {worst}"
    )


def test_a_baseline_of_any_guess_is_a_sentence() -> None:
    """It has no worst."""
    base = class_baseline(ABC, get_class_measure("kappa"))
    assert str(base) == f"kappa baseline 0.000 on {ABC.described}: any guess"


def test_what_is_not_certain_says_so() -> None:
    """At the end of its sentence."""
    assert str(class_baseline(ABC, SHARE)).endswith("; found by a search, and not certain")
