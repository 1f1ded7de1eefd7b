"""The baseline of a measure of several classes: the best and the worst deck."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.optimum import TwoEnds
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import number_format, shown
from baserate.multiclass.measures.place import Place
from baserate.multiclass.optimum.decks import DeckSet
from baserate.multiclass.optimum.places import declared
from baserate.multiclass.optimum.search import searched
from baserate.multiclass.optimum.words import decks_in_words

if TYPE_CHECKING:
    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.found import ClassOptimum


@dataclass(frozen=True)
class ClassBaseline(TwoEnds["ClassOptimum"]):
    """The score that comes for free on a test set of several classes, for one measure.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The classes that occur; decks have the order of its labels.
    max, min
        The largest and the smallest expected score of any deck.

    Examples
    --------
    >>> import baserate as br
    >>> base = br.baseline(br.ClassCounts({"a": 70, "b": 20, "c": 10}), "weighted F1")
    >>> base.reference, base.worst.decks
    ("95 'a', 5 'b' at random", DeckSet({(0, 0, 100)}))
    """

    measure: ClassMeasure
    test_set: ClassCounts
    max: ClassOptimum
    min: ClassOptimum

    @property
    def reference(self) -> str:
        """The best guess in a few words, such as "always 'a'"."""
        return decks_in_words(self.best.decks, self.test_set)

    def __str__(self) -> str:
        best, worst = self.best, self.worst
        write = number_format((best.value, worst.value))
        who = "what every deck expects"
        if best.decks.size != DeckSet.over(self.test_set.counts).size:
            who = f"what the best deck expects, {self.reference}"
            who += f"; the worst expects {write(worst.value)}"
        sure = "" if best.exact else "; found by a search, and not certain"
        return (
            f"{self.measure.key} baseline {write(best.value)}: {who} "
            f"({self.test_set.described}){sure}"
        )


def class_baseline(test_set: ClassCounts, measure: ClassMeasure) -> ClassBaseline:
    """Return the baseline of a measure of several classes: the score that comes for free.

    Parameters
    ----------
    test_set
        How often each class occurs. Those that never do are left out, as predicting them is never
        right.
    measure
        The measure.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> base = class_baseline(counts, get_class_measure("weighted F1"))
    >>> round(base.best.value, 3), base.best.decks, base.reference
    (0.58, DeckSet({(95, 5, 0)}), "95 'a', 5 'b' at random")
    >>> print(class_baseline(counts, get_class_measure("macro F1")))
    macro F1 baseline 0.333: what the best deck expects, each class as often as it occurs; the
    worst expects 0.061 (100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c')
    """
    known = test_set.occurring
    highest, lowest = (
        _optimum(measure, known, place, sign)
        for place, sign in ((measure.maximum, 1), (measure.minimum, -1))
    )
    return ClassBaseline(measure, known, max=highest, min=lowest)


def _optimum(measure: ClassMeasure, known: ClassCounts, place: Place, sign: int) -> ClassOptimum:
    if place is Place.SEARCH:
        return searched(measure, known.counts, sign)
    found = declared(measure, known.counts, place, sign)
    if math.isnan(found.value):
        raise UndefinedMeasureError.no_draw(
            measure.key, "at least two classes", f"only {shown(known.labels[0])}"
        )
    return found
