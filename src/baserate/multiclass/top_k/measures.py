"""Top-k accuracy, one measure for each k, and its names."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from baserate.core.catalogue import Catalogue, unknown_measure
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.measure import AnyMeasure
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import shown
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.support.arguments import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable

# "top-3 accuracy", "top 3 acc", "top_3_accuracy_score" and "accuracy@3". The word is needed: labels
# may be "top 3".
_NAME = re.compile(
    r"top[\s_-]*(?P<k>\d{1,9})[\s_-]*(?:accuracy|acc)(?:[\s_-]*score)?"
    r"|(?:accuracy|acc)[\s_-]*@[\s_-]*(?P<k_last>\d{1,9})"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopKMeasure(AnyMeasure[TopAnswers]):
    """Top-k accuracy for one k; get it with `get_measure("top-3 accuracy")`.

    This is one measure, the share of hits, and not a family of them: its score, its law, its limits
    and its swaps count hits. So another direction is refused.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As for every measure.
    k
        How many classes are answered.

    Examples
    --------
    >>> import baserate as br
    >>> br.get_measure("top-3 accuracy").k
    3
    """

    k: int

    def __post_init__(self) -> None:
        if self.direction is not Direction.MAXIMIZE:
            raise InvalidMeasureError(
                f"{self.key} must have the direction 'maximize' (got "
                f"{shown(self.direction.value)}): hits are counted, and more of them are better"
            )

    @property
    def monotone(self) -> bool:
        """False: every k has a p-value of its own."""
        return False

    def score(self, table: TopAnswers, undefined: float = math.nan) -> float:  # noqa: ARG002
        """Score the answers of a model.

        Parameters
        ----------
        table
            The model's answers.
        undefined
            What to return if there is no score, which does not happen.

        Examples
        --------
        >>> scores = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
        >>> round(top_k_accuracy(2).score(TopAnswers.of(["a", "b", "c"], scores)), 3)
        0.667
        """
        if not isinstance(table, TopAnswers):
            raise InvalidMeasureError(
                f"{self.key} must be given TopAnswers to score (got {type(table).__name__}); "
                f"pass TopAnswers.of(y_true, scores, k={self.k})"
            )
        return self.score_or_reason(table)[0]

    def score_or_reason(self, observed: TopAnswers) -> tuple[float, str]:
        """Return the score of some answers; there always is one."""
        if self.k not in observed.ks:
            known = " and ".join(map(str, observed.ks))
            raise InvalidMeasureError(
                f"{self.key} must be given the top {self.k} classes (got the top {known}); count "
                f"the answers again with TopAnswers.of(y_true, scores, k={self.k})"
            )
        return observed.hits(self.k) / observed.total, ""

    def __reduce__(self) -> tuple[Callable[[int], TopKMeasure], tuple[int]]:
        """Pickle a measure by its k."""
        return top_k_accuracy, (self.k,)


def top_k_accuracy(k: int) -> TopKMeasure:
    """Return top-k accuracy for a k; the same record every time.

    Examples
    --------
    >>> top_k_accuracy(5)
    <Measure top-5 accuracy: Top-5 Accuracy>
    """
    size = whole_number("k", k)
    if size < 1:
        raise InvalidMeasureError(
            f"must be at least 1 (got {size}): it is how many classes are answered", parameter="k"
        )
    return _made(size)


@cache
def _made(k: int) -> TopKMeasure:
    default = ("top_k_accuracy", "top_k_accuracy_score", "top-k accuracy") if k == 2 else ()
    return TopKMeasure(
        key=f"top-{k} accuracy",
        name=f"Top-{k} Accuracy",
        aliases=(f"top_{k}_accuracy", f"accuracy@{k}", *default),
        meaning=(
            f"The fraction of observations whose true class is among the {k} with the highest "
            "scores."
            if k > 1
            else "The fraction of observations whose true class has the highest score."
        ),
        pitfall=(
            "Always answering the most frequent classes is often right, and the more often the "
            "more classes are answered."
        ),
        sklearn=SklearnCall("top_k_accuracy_score", {"k": k}, argument="y_score"),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        k=k,
    )


TOP_K_MEASURES = Catalogue(__name__, "TOP_K_MEASURES", [top_k_accuracy(2)])
"""Top-k accuracy as scikit-learn has it unless told otherwise: k is 2. Names know every k."""


def get_top_k(name: str | TopKMeasure) -> TopKMeasure:
    """Return top-k accuracy by any of its names.

    Examples
    --------
    >>> get_top_k("top_k_accuracy").k, get_top_k("Top 5 accuracy").k
    (2, 5)
    """
    if isinstance(name, TopKMeasure):
        return name
    found = TOP_K_MEASURES.named(name) if isinstance(name, str) else None
    if found is not None:
        return found
    plain = unicodedata.normalize("NFKC", name).casefold().strip() if isinstance(name, str) else ""
    matched = _NAME.fullmatch(plain)
    if matched is None:
        advice = "write 'top-3 accuracy', with any number"
        raise unknown_measure(name, " of the highest scores", (), advice)
    return top_k_accuracy(int(matched["k"] or matched["k_last"]))
