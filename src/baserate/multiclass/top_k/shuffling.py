"""Random deals of a model's answers, from a fixed stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.board import Sets

    Ints = NDArray[np.int64]

# How many deals: with the observed one they are a round number. Fewer, if they have many cards.
_DEALS, _FEWEST, _CARDS = 99_999, 999, 30_000_000
# As many cards at a time as take some megabytes.
_AT_ONCE = 2**20
_SEED = 20_260_117


def shuffled_hits(sets: Sets) -> Ints:
    """Return the number of hits of random deals: always the same ones."""
    total = int(sets.n.sum())
    size = min(_DEALS, max(_FEWEST, _CARDS // total // 1000 * 1000 - 1))
    rng = np.random.default_rng(_SEED)
    kind = np.int16 if sets.n.size < 2**15 else np.int32
    truth = np.repeat(np.arange(sets.n.size, dtype=kind), sets.n)
    answers = np.repeat(sets.classes.astype(kind), sets.m, axis=0)
    chunk = max(1, _AT_ONCE // total)
    found = []
    for first in range(0, size, chunk):
        dealt = rng.permuted(np.tile(truth, (min(chunk, size - first), 1)), axis=1)
        # The classes of an answer differ: a row has one hit at most.
        hits = sum(np.count_nonzero(dealt == column, axis=1) for column in answers.T)
        found.append(np.asarray(hits, dtype=np.int64))
    return np.concatenate(found)
