"""Where the extremes of an expected score are: which decks have them."""

from __future__ import annotations

import enum


class Place(enum.Enum):
    """Which decks have an extreme expected score. A deck is how often each class is predicted."""

    LARGEST_CLASS = "only the most frequent class is predicted, or several if they tie"
    LARGEST_CLASS_EVENLY = "only the most frequent class, or several that tie, evenly"
    SMALLEST_CLASS = "only the rarest class is predicted, or several if they tie"
    ONE_CLASS = "only one class is predicted"
    EVERYWHERE = "every deck"
    LIKE_TRUTH = "each class is predicted as often as it occurs"
    EVERY_CLASS = "each class is predicted at least once"
    A_CLASS_LEFT_OUT = "at least one class is never predicted"
    SUM = "searched: the expectation is a sum over the classes of concave functions"
    SEARCH = "searched"
