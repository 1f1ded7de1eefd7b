"""Random hypergeometric numbers of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

# numpy's generator takes fewer good ones, and fewer bad ones, than this.
_MOST = 10**9
# Beyond it, a number with a larger variance than this is a rounded normal one.
_LARGE = 1e4


def hypergeometric(good: Ints, bad: Ints, drawn: Ints, rng: np.random.Generator) -> Ints:
    """Return how many of the good ones are drawn, elementwise.

    With 10⁹ observations or more these are rounded normal numbers; or binomial ones if their
    variance is small, as then so few are drawn, or left, that it does not matter whether they are
    put back.

    Examples
    --------
    >>> three = np.array([3, 3])
    >>> hypergeometric(three, np.array([0, 0]), np.array([1, 2]), np.random.default_rng(0))
    array([1, 2])
    """
    if max(int(good.max()), int(bad.max())) < _MOST:
        return np.asarray(rng.hypergeometric(good, bad, drawn))
    total = good + bad
    share = good / total
    variance = drawn * share * (1 - share) * (total - drawn) / (total - 1)
    normal = np.rint(drawn * share + np.sqrt(variance) * rng.standard_normal(good.size))
    found = np.where(variance > _LARGE, normal, _binomial(good, bad, drawn, rng))
    return np.clip(found, np.maximum(drawn - bad, 0), np.minimum(good, drawn)).astype(np.int64)


def _binomial(good: Ints, bad: Ints, drawn: Ints, rng: np.random.Generator) -> Ints:
    """Draw with replacement, for each of the rarest kind: good, bad, drawn or left."""
    total = good + bad
    kinds = np.stack([good, bad, drawn, total - drawn])
    rarest = kinds.argmin(axis=0)
    chance = np.where(rarest < 2, drawn, good) / total
    found = rng.binomial(kinds.min(axis=0), np.clip(chance, 0, 1))
    return np.asarray(np.choose(rarest, [found, drawn - found, found, good - found]))
