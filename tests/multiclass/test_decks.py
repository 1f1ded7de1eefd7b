"""Sets of decks, which are exact although nobody lists them."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest

from baserate.baselines.class_mix import MixSet, mixes_in_words
from baserate.observed.classes import ClassCounts
from exact_tables import decks, small_test_sets

SMALL = [n for classes in (1, 2, 3, 4) for n in small_test_sets(5, classes)]


@pytest.mark.parametrize("n", SMALL, ids=str)
def test_sets_have_their_members(n: tuple[int, ...]) -> None:
    """Each set has the decks that its definition says, each once, and their number."""
    every = decks(n)
    sets = {
        MixSet.over(n): every,
        MixSet.over(n, least=1): [m for m in every if all(m)],
        MixSet.over(n, [0]): [m for m in every if not any(m[1:])],
        MixSet.leaving_one_out(n): [m for m in every if not all(m)],
    }
    for found, expected in sets.items():
        assert sorted(found) == sorted(expected)
        assert found.size == len(found) == len(expected)
        assert [m in found for m in every] == [m in expected for m in every]
        assert bool(found) == bool(expected)


def test_ties_fill_a_deck_up_in_all_ways() -> None:
    """With limits for each class; the earliest classes are filled first."""
    for base, more in product(product(range(2), repeat=3), product(range(4), repeat=3)):
        for total in range(sum(base), sum(base) + sum(more) + 1):
            found = MixSet.with_ties(base, more, total)
            expected = [
                m
                for m in product(*(range(b, b + e + 1) for b, e in zip(base, more, strict=True)))
                if sum(m) == total
            ]
            assert list(found) == expected[::-1]
            assert found.size == len(expected)


def test_no_set_is_too_large() -> None:
    """Sizes are whole numbers of any length, and the first deck comes at once."""
    n = (10**6,) * 1000
    every = MixSet.over(n)
    assert every.size == comb(10**9 + 999, 999)
    assert every.first == (10**9, *(0,) * 999)
    assert n in every
    assert str(every).endswith("…: 1,000 classes), …: about 10^6426 decks}")
    assert MixSet.leaving_one_out(n).size == every.size - comb(10**9 - 1, 999)
    tied = MixSet.with_ties((10**6 - 1,) * 1000, (1,) * 1000, 10**9 - 500)
    assert tied.size == comb(1000, 500)


def test_what_is_no_deck_is_not_a_member() -> None:
    """Whatever is asked for."""
    some = MixSet.of([(2, 1), (1, 2)])
    assert (2, 1) in some
    assert [2, 1] in some
    for other in ((3, 0), (2, 1, 0), (2,), "21", 3, None, b"\x02\x01"):
        assert other not in some
    assert (2, 1) not in MixSet(())


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (MixSet.of([(70, 20, 10)]), "MixSet({(70, 20, 10)})"),
        (MixSet.of([(2, 1), (1, 2)]), "MixSet({(2, 1), (1, 2)})"),
        (MixSet.over((70, 20, 10)), "MixSet({(100, 0, 0), …: 5,151 decks})"),
        (MixSet.leaving_one_out((3,)), "MixSet({})"),
    ],
)
def test_a_set_shows_its_first_decks(found: MixSet, said: str) -> None:
    """Few in full, and of many the first and their number."""
    assert repr(found) == said


COUNTS = ClassCounts({"a": 40, "b": 40, "c": 20})
MANY = ClassCounts(dict.fromkeys("abcdefghijk", 10))


@pytest.mark.parametrize(
    ("found", "counts", "said"),
    [
        (MixSet.over((40, 40, 20)), COUNTS, "any guess"),
        (MixSet.over((40, 40, 20), [2]), COUNTS, "always 'c'"),
        (MixSet.over((40, 40, 20), [0, 1]), COUNTS, "always 'a' or 'b'"),
        (
            MixSet.of([(100, 0, 0), (0, 0, 100)]),
            COUNTS,
            "always 'a' or 'c'",
        ),
        (MixSet.of([(40, 40, 20)]), COUNTS, "each class as often as it occurs"),
        (MixSet.over((40, 40, 20), least=1), COUNTS, "each class at least once"),
        (MixSet.of([(95, 5, 0)]), COUNTS, "95 'a', 5 'b' at random"),
        (MixSet.of([(95, 5, 0), (5, 95, 0)]), COUNTS, "for example 95 'a', 5 'b' at random"),
        (
            MixSet.of([(20, *(9,) * 10)]),
            MANY,
            "20 'a', 9 'b', 9 'c', 9 'd' … and 7 more at random",
        ),
        (
            MixSet.over((10,) * 11, range(6)),
            MANY,
            "always 'a', 'b', 'c', 'd' or 2 more",
        ),
        (MixSet.over((7,)), ClassCounts({"a": 7}), "always 'a'"),
    ],
)
def test_decks_are_said_in_words(found: MixSet, counts: ClassCounts, said: str) -> None:
    """For sentences such as "below the baseline 0.700 of always 'a'"."""
    assert mixes_in_words(found, counts) == said
