"""The check that scores are probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown

if TYPE_CHECKING:
    from baserate.ranking.deck import ScoreDeck
    from baserate.ranking.scores import Scores


def require_probabilities(key: str, scores: Scores | ScoreDeck) -> None:
    """Raise unless all scores are from 0 to 1; they descend, so the ends tell.

    Examples
    --------
    >>> from baserate.ranking.scores import Scores
    >>> require_probabilities("Brier", Scores.of([0, 1], [-1.5, 2.0]))
    Traceback (most recent call last):
        ...
    baserate.exceptions.InvalidScoresError: y_score must be probabilities from 0 to 1 for Brier (got
    2.0); AUC and AP take any numbers
    """
    highest, lowest = float(scores.values[0]), float(scores.values[-1])
    if lowest >= 0 and highest <= 1:
        return
    got = highest if highest > 1 else lowest
    raise InvalidScoresError(
        f"must be probabilities from 0 to 1 for {key} (got {shown(got)}); AUC and AP take any "
        "numbers",
        parameter="y_score",
    )
