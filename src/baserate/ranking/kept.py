"""Results that are kept: computed once of the scores of a model."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.ranking.scores import Scores

    Given = ParamSpec("Given")
    Found = TypeVar("Found")
    Reading = Callable[Concatenate[Scores, Given], Found]

# More distinct scores than this are large: a cache should not keep them from being forgotten.
_LARGE = 10**5


def kept(most: int) -> Callable[[Reading[Given, Found]], Reading[Given, Found]]:
    """Keep the results of a function of scores.

    Large scores keep their own, which are forgotten with them; of others the last ones are kept.

    Parameters
    ----------
    most
        How many are kept.
    """

    def decorated(function: Reading[Given, Found]) -> Reading[Given, Found]:
        last = lru_cache(maxsize=most)(function)

        @wraps(function)
        def found(scores: Scores, /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
            if scores.values.size <= _LARGE:
                return last(scores, *args, **cast("Any", kwargs))
            key = (function, args, tuple(kwargs.items()))
            if key not in scores.kept:
                scores.kept[key] = function(scores, *args, **kwargs)
            result: Found = scores.kept[key]
            return result

        return found

    return decorated
