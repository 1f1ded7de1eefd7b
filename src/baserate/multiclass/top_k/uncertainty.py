"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.confidence import limits_of_rate
from baserate.multiclass.top_k.paired import limits_of_gain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.measures import TopKMeasure
    from baserate.multiclass.top_k.optimum import TopBaseline
    from baserate.multiclass.top_k.yardstick import TopYardstick

    Ints = NDArray[np.int64]

# A constant answer is compared if it is best on this share of so many test sets; so many at most.
_SHARE, _TEST_SETS, _MOST = 0.02, 200, 8
_SEED = 381


@dataclass(frozen=True, eq=False)
class TopUncertainty:
    """The limits of scores and margins over test sets like this one.

    Parameters
    ----------
    answers
        What was observed.
    alpha
        How often a pair of limits may be wrong.

    Examples
    --------
    >>> from baserate.multiclass.top_k.answers import TopAnswers
    >>> from baserate.multiclass.top_k.measures import top_k_accuracy
    >>> scores = [[3, 2, 1], [0, 3, 2], [3, 0, 1]] * 4
    >>> answers = TopAnswers.of(["a", "b", "c"] * 4, scores)
    >>> known = TopUncertainty(answers, alpha=0.05)
    >>> [round(limit, 4) for limit in known.score(top_k_accuracy(2))]
    [0.7354, 1.0]
    """

    answers: TopAnswers
    alpha: float

    def score(self, measure: TopKMeasure) -> tuple[float, float]:
        """Return the limits of Clopper and Pearson."""
        hits = self.answers.hits(measure.k)
        return limits_of_rate(hits, self.answers.total - hits, self.alpha)

    def margin(self, yardstick: TopYardstick) -> tuple[float, float]:
        """Return the limits of how much better a score is than the baseline.

        A claim against the best of several constant answers is a claim against each of them, so
        each is compared, and the smallest limits count. The smallest of several upper limits is
        too small more often than each of them, so they are the farther away the more there are.
        """
        k = yardstick.base.measure.k
        is_hit, counts = self.answers.is_hit(k), self.answers.counts
        compared = self._constant_answers(yardstick.base)
        found = []
        for places in compared:
            is_right = np.isin(self.answers.truth, places)
            gained = int(counts[is_hit & ~is_right].sum())
            lost = int(counts[is_right & ~is_hit].sum())
            same = self.answers.total - gained - lost
            found.append(limits_of_gain(gained, lost, same, self.alpha, len(compared)))
        low, high = map(min, zip(*found, strict=True))
        score, best = self.answers.hits(k) / self.answers.total, yardstick.scale.best
        observed = yardstick.scale.advantage(score, best)
        return min(low, observed), max(high, observed)

    def _constant_answers(self, base: TopBaseline) -> list[tuple[int, ...]]:
        """Return the constant answers that may be best on test sets like this one, as places."""
        n, k = self.answers.true_counts, base.measure.k
        here = _most_frequent(n[np.newaxis], k)[0]
        rng = np.random.default_rng(_SEED)
        drawn = rng.multinomial(self.answers.total, n / self.answers.total, _TEST_SETS)
        often = Counter(_most_frequent(drawn, k))
        others = [
            each
            for each, count in often.most_common(_MOST)
            if each != here and count >= _SHARE * _TEST_SETS
        ]
        return [here, *others[: _MOST - 1]]


def _most_frequent(counts: Ints, k: int) -> list[tuple[int, ...]]:
    """Return the places of the most frequent classes of some test sets."""
    order = np.argsort(-counts, axis=1, kind="stable")[:, :k]
    return [tuple(each) for each in np.sort(order, axis=1).tolist()]
