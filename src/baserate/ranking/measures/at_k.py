"""Measures of the k highest scores by name, whatever k is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from baserate.core.catalogue import folded
from baserate.ranking.measures.gain import ndcg
from baserate.ranking.measures.top import lift_at, precision_at, recall_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.ranking.measures.record import ScoreMeasure

_MAKERS: dict[str, Callable[[int], ScoreMeasure]] = {
    "precision": precision_at,
    "recall": recall_at,
    "lift": lift_at,
    "ndcg": ndcg,
}
# A folded name: the word may be before k or, after "top", behind it.
_NAME = re.compile(r"(?P<word>[a-z]+?)(?:at|score)*(?P<k>[1-9][0-9]{0,14})")
_TOP = re.compile(r"top(?P<k>[1-9][0-9]{0,14})(?P<word>[a-z]+)")


def measure_at_k(name: str) -> ScoreMeasure | None:
    """Return the measure of the k highest scores that has a name; None if there is none.

    Examples
    --------
    >>> measure_at_k("precision@10"), measure_at_k("NDCG at 5"), measure_at_k("AUC")
    (<Measure precision@10: Precision at 10>, \
<Measure NDCG@5: Normalised Discounted Cumulative Gain at 5>, None)
    """
    plain = folded(name)
    if not re.search("at|top", plain):  # R2 is no recall
        return None
    found = _NAME.fullmatch(plain) or _TOP.fullmatch(plain)
    if found is None:
        return None
    made = [make(int(found["k"])) for make in _MAKERS.values()]
    names = {folded(each): one for one in made for each in (one.key, one.name, *one.aliases)}
    return names.get(plain)
