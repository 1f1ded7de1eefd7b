"""Random draws, and random counts of true positives, at any size."""

from __future__ import annotations

import math
import numbers
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import InvalidSampleError
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.binary.law.hypergeometric import Hypergeometric

    Counts = NDArray[np.int64]

# The most random values in one sample; a larger one raises before memory is allocated.
_MOST_RANDOM = 10**10
# numpy itself draws hypergeometric numbers from classes below this size.
_NUMPY_LIMIT = 10**9
# A law this narrow has few enough counts that matter to list them.
_NARROW = 12
# The ratio of uniforms needs the width 2√(2/e)·sd and a margin of 3 - 2√(3/e) (Stadlober 1990).
_WIDTH, _MARGIN = 2 * math.sqrt(2 / math.e), 3 - 2 * math.sqrt(3 / math.e)


def generator(rng: Any) -> np.random.Generator:
    """Return the generator that a user's seed stands for."""
    try:
        return np.random.default_rng(rng)
    except Exception:  # numpy takes many things, and so many things go wrong
        raise InvalidSampleError(
            "must be a whole number of at least 0, a numpy.random.Generator or None "
            f"(got {shown(rng)})",
            parameter="rng",
        ) from None


def sample_shape(size: Any) -> tuple[int, ...]:
    """Return the shape of a sample, or raise if it is not valid."""
    lengths = tuple(size) if isinstance(size, tuple | list) else (size,)
    are_counts = (isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in lengths)
    if not all(are_counts) or min(lengths, default=0) < 0:
        raise InvalidSampleError(
            f"must be a whole number of at least 0, a tuple of them or None (got {shown(size)})",
            parameter="size",
        )
    return tuple(map(int, lengths))


@contextmanager
def within_memory(size: int) -> Iterator[None]:
    """Raise our own error for a sample that does not fit in memory."""
    if size > _MOST_RANDOM:
        raise _too_large(size)
    try:
        yield
    except MemoryError:
        raise _too_large(size) from None


def _too_large(wanted: int) -> InvalidSampleError:
    return InvalidSampleError(
        f"a sample must fit in memory, and have at most {_MOST_RANDOM:,} values (got "
        f"{shown(wanted)}); ask for exact probabilities instead, as in "
        "DutchDraw(…).score('F1').cdf(0.5)"
    )


def random_sample(total: int, wanted: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which observations are drawn: every set of the wanted size is equally likely."""
    # Independent coins choose a uniform set of some size; removing or adding a uniform part keeps
    # it uniform. The coin's bias only has to be roughly right.
    bias = round(2**16 * (wanted / max(total, 1)))
    drawn: NDArray[np.bool_] = rng.integers(0, 2**16, total, dtype=np.uint16) < bias
    surplus = int(np.count_nonzero(drawn)) - wanted
    candidates = np.flatnonzero(drawn == (surplus > 0))
    drawn[rng.choice(candidates, abs(surplus), replace=False, shuffle=False)] = surplus < 0
    return drawn


def random_counts(
    law: Hypergeometric, rng: np.random.Generator, size: int | tuple[int, ...]
) -> Counts:
    """Return random numbers of true positives."""
    rate = law.base_rate
    if max(rate.positives, rate.negatives) < _NUMPY_LIMIT:
        drawn = law.predicted_positives
        return np.asarray(rng.hypergeometric(rate.positives, rate.negatives, drawn, size))
    sample = _inverted if math.sqrt(law.variance) < _NARROW else _rejected
    counts = np.empty(size, dtype=np.int64)
    counts.reshape(-1)[:] = sample(law, rng, counts.size)
    return counts


def _inverted(law: Hypergeometric, rng: np.random.Generator, size: int) -> Counts:
    """Look up uniform numbers in the cdf of the counts that matter."""
    reach = math.ceil(8.5 * _NARROW + 30)
    first, last = max(law.low, law.mode - reach), min(law.high, law.mode + reach)
    below = np.cumsum([law.pmf(tp) for tp in range(first, last + 1)])
    index = np.searchsorted(below, rng.random(size) * below[-1], side="right")
    return np.asarray(first + np.minimum(index, last - first), dtype=np.int64)


def _rejected(law: Hypergeometric, rng: np.random.Generator, size: int) -> Counts:
    """Draw by the ratio of uniforms, all numbers at once."""
    centre, sd = float(law.mean - law.mode), math.sqrt(law.variance)
    width = _WIDTH * math.sqrt(float(law.variance) + 0.5) + _MARGIN
    found = np.empty(0, dtype=np.int64)
    while found.size < size:
        u, v = rng.random((2, size - found.size + 16))
        u = np.maximum(u, 1e-300)
        steps = np.floor(centre + 0.5 + width * (v - 0.5) / u)
        # No cell is empty within 11 sd, and less than 10⁻²⁵ of the law is beyond.
        near = np.abs(steps) < 11 * sd
        u, steps = u[near], steps[near]
        accepted = 2 * np.log(u) <= law.log_ratio(law.mode, steps)
        found = np.append(found, steps[accepted].astype(np.int64))
    return law.mode + found[:size]
