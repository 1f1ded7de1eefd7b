"""Decks in words, for sentences about a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.formatting import shown
from baserate.multiclass.optimum.decks import DeckSet

if TYPE_CHECKING:
    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.optimum.decks import Deck

# The most classes that are named.
_MOST_NAMED = 4


def decks_in_words(decks: DeckSet, test_set: ClassCounts) -> str:
    """Return some decks on a test set in words.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> counts = ClassCounts({"a": 40, "b": 40, "c": 20})
    >>> print(decks_in_words(DeckSet.over(counts.counts, [0, 1]), counts))
    always 'a' or 'b'
    >>> print(decks_in_words(DeckSet.of([(90, 10, 0)]), counts))
    90 'a', 10 'b' at random
    """
    n, every = test_set.counts, DeckSet.over(test_set.counts)
    if decks.size == every.size > 1:
        return "any guess"
    classes = decks.classes
    if _has_constants(decks, n, classes):
        return f"always {_or([shown(test_set.labels[k]) for k in classes])}"
    if decks.size == 1 and n in decks:
        return "each class as often as it occurs"
    at_least_once = DeckSet.over(n, least=1)
    if decks.size == at_least_once.size and at_least_once.first in decks:
        return "each class at least once"
    such_as = "" if decks.size == 1 else "for example "
    return f"{such_as}{_counts(decks.first, test_set)} at random"


def _has_constants(decks: DeckSet, n: Deck, classes: tuple[int, ...]) -> bool:
    """Return whether each class of some decks may as well be predicted alone."""
    total = sum(n)
    return all(tuple(total if j == k else 0 for j in range(len(n))) in decks for k in classes)


def _or(names: list[str]) -> str:
    named = names if len(names) <= _MOST_NAMED else names[:_MOST_NAMED]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(named)} or {len(names) - _MOST_NAMED:,} more"
    return " or ".join(named)


def _counts(deck: Deck, test_set: ClassCounts) -> str:
    """Return how often each class is predicted; those that never are do not count."""
    named = [
        f"{count:,} {shown(label)}"
        for label, count in zip(test_set.labels, deck, strict=True)
        if count
    ]
    more = f" … and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more
