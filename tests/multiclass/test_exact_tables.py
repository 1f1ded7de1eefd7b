"""The oracle of several classes against the dealing itself: all permutations."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import factorial

import pytest

from baserate.measures.classes import CLASS_MEASURES
from exact_tables import DEFINITIONS, compositions, dealt, decks, exact_law


def test_the_oracle_covers_the_catalogue() -> None:
    """Every measure has a textbook definition."""
    assert set(CLASS_MEASURES) <= set(DEFINITIONS)


@pytest.mark.parametrize("n", [(3, 2), (0, 4), (2, 2, 1), (1, 0, 3), (1, 1, 2, 1)])
def test_tables_are_as_likely_as_permutations_make_them(n: tuple[int, ...]) -> None:
    """The probability of a table is the share of the M! orders of the deck that give it."""
    classes = range(len(n))
    truth = [k for k in classes for _ in range(n[k])]
    for m in compositions(sum(n), len(n)):
        deck = [k for k in classes for _ in range(m[k])]
        seen: Counter = Counter()
        for order in permutations(deck):
            pairs = Counter(zip(truth, order, strict=True))
            seen[tuple(tuple(pairs[j, k] for k in classes) for j in classes)] += 1
        ways = factorial(sum(n))
        assert dealt(n, m) == {table: Fraction(count, ways) for table, count in seen.items()}


def test_decks_predict_classes_that_occur() -> None:
    """A reference has one deck per way to share M cards among the classes that occur."""
    assert decks((2, 0, 1)) == [(3, 0, 0), (2, 0, 1), (1, 0, 2), (0, 0, 3)]


def test_a_law_that_can_be_checked_by_hand() -> None:
    """Truths a, a, b and cards a, b, b: the a goes to an a in two of three deals."""
    law = exact_law("accuracy", (2, 1), (1, 2))
    assert law is not None
    assert law.scores == (Fraction(0), Fraction(2, 3))
    assert law.chances == (Fraction(1, 3), Fraction(2, 3))
    assert (law.mean, law.variance) == (Fraction(4, 9), Fraction(8, 81))
    assert (law.at_least(Fraction(2, 3)), law.at_most(Fraction(0))) == (
        Fraction(2, 3),
        Fraction(1, 3),
    )
    assert (law.quantile(Fraction(1, 3)), law.quantile(Fraction(1, 2))) == law.scores
