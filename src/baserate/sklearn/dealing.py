"""Decks for a number of rows: fractions turned into counts, and the nearest deck of a set."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.multiclass.optimum.decks import Box, Deck, DeckSet


def scaled_deck(deck: Sequence[int], rows: int) -> Deck:
    """Return a deck for another number of rows, by largest remainders; of equals, the first.

    Examples
    --------
    >>> scaled_deck((70, 20, 10), 100), scaled_deck((70, 20, 10), 8)
    ((70, 20, 10), (6, 1, 1))
    """
    return shared_out([Fraction(count) for count in deck], rows)


def shared_out(weights: Sequence[Fraction], rows: int, least: int = 0) -> Deck:
    """Share rows out in proportion to weights, by largest remainders; of equals, the first.

    Parameters
    ----------
    weights
        The weight of each class; their sum is positive.
    rows
        The number of rows.
    least
        How many a class with a weight has at least, if there are enough rows for all of them.
    """
    total = sum(weights)
    shares = [weight * rows / total for weight in weights]
    counts = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda k: counts[k] - shares[k])
    for k in by_remainder[: rows - sum(counts)]:
        counts[k] += 1
    for k, weight in enumerate(weights):
        if weight and counts[k] < least:
            most = max(range(len(counts)), key=lambda k: (counts[k], -k))
            if counts[most] > least:
                counts[most], counts[k] = counts[most] - 1, counts[k] + 1
    return tuple(counts)


def nearest_deck(decks: DeckSet, counts: Deck) -> Deck:
    """Return the deck nearest to the class counts, by the squares of the differences.

    Examples
    --------
    >>> from baserate.multiclass.optimum.decks import DeckSet
    >>> nearest_deck(DeckSet.over((70, 20, 10)), (70, 20, 10))
    (70, 20, 10)
    >>> nearest_deck(DeckSet.over((40, 40, 20), [0, 1]), (40, 40, 20))
    (50, 50, 0)
    """
    found = (_nearest_in(box, counts) for box in decks.boxes)
    return min(found, key=lambda deck: sum((a - b) ** 2 for a, b in zip(deck, counts, strict=True)))


def _nearest_in(box: Box, counts: Deck) -> Deck:
    """Return the nearest deck within limits: the counts, all moved by the same number."""

    def moved(step: int) -> Deck:
        limits = zip(box.low, counts, box.high, strict=True)
        return tuple(min(max(low, count + step), high) for low, count, high in limits)

    # Each sum is at most the total at the lower step, and more than that at the upper one.
    lower, upper = -box.total - 1, box.total + 1
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (middle, upper) if sum(moved(middle)) <= box.total else (lower, middle)
    deck, left = list(moved(lower)), box.total - sum(moved(lower))
    for k, next_count in enumerate(moved(lower + 1)):
        if left and next_count > deck[k]:
            deck[k], left = next_count, left - 1
    return tuple(deck)
