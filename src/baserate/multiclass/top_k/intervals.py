"""The confidence intervals of top-k accuracy: shares of hits, and of classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.clusters import cells_of, summed
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin, Proportion
from baserate.multiclass.intervals import difference_of_rates, ones_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.measures import TopKMeasure
    from baserate.multiclass.top_k.paired import TopJoint
    from baserate.multiclass.top_k.yardstick import TopYardstick

    Floats = NDArray[np.float64]


class TopKIntervals:
    """What top-k accuracy knows of its numbers."""

    def proportion(self, measure: TopKMeasure, observed: TopAnswers) -> Proportion:
        """Return the share of hits."""
        hits = observed.hits(measure.k)
        return Proportion(hits, observed.total - hits, lambda share: share)

    def score(self, measure: TopKMeasure, observed: TopAnswers) -> Statistic:
        """Return the share of hits, which is more than a proportion if rows are in clusters."""

        def sums(clusters: Sequence[TopAnswers]) -> tuple[Floats, Floats]:
            hits = np.array([each.hits(measure.k) for each in clusters])
            sizes = np.array([each.total for each in clusters], dtype=float)
            return np.column_stack([hits, sizes - hits]), sizes

        (counts,), _ = sums([observed])
        return Statistic(
            lambda sums: sums[..., 0] / sums.sum(axis=-1),
            counts,
            measure.interval,
            spares=np.eye(2),
            ends=(0.0, 1.0),
            of_clusters=sums,
        )

    def margin(self, yardstick: TopYardstick, observed: TopAnswers) -> Margin:
        """Return the share of hits less that of the most frequent classes.

        A class has one kind of row that is a hit and one that is not.
        """
        measure = yardstick.base.measure
        occurs, place = np.unique(observed.truth, return_inverse=True)
        size = occurs.size
        k, every = min(measure.k, size), np.arange(2 * size)
        kinds = 2 * place + observed.is_hit(measure.k)
        rows = np.bincount(kinds, observed.counts, 2 * size).astype(float)
        n = rows.reshape(size, 2).sum(axis=1)
        last = np.sort(n)[-k]
        # Classes that tie for the last place share it.
        kept = (n > last) + (n == last) * (k - (n > last).sum()) / (n == last).sum()
        # Sums are the hits, and how often each class occurs.
        at, to = np.append(every, every[1::2]), np.append(1 + every // 2, 0 * every[1::2])
        columns = ones_at(at, to, (2 * size, 1 + size))

        def chosen(sums: Floats) -> Floats:
            n = sums[..., 1:]
            best = np.partition(n, size - k, axis=-1)[..., size - k :].sum(axis=-1)
            return np.asarray((sums[..., 0] - best) / n.sum(axis=-1))

        def same(sums: Floats) -> Floats:
            n = sums[..., 1:]
            return np.asarray((sums[..., 0] - n @ kept) / n.sum(axis=-1))

        def of_clusters(clusters: Sequence[TopAnswers]) -> tuple[Floats, Floats]:
            (truth, counts), codes = cells_of(clusters, ("truth", "counts"))
            hits = np.concatenate([each.is_hit(measure.k) for each in clusters])
            return summed(codes, counts, columns[2 * np.searchsorted(occurs, truth) + hits])

        first, second = (
            Statistic(
                of,
                rows[rows > 0],
                measure.interval,
                columns=columns[rows > 0],
                spares=columns,
                ends=(-1.0, 1.0),
                of_clusters=of_clusters,
            )
            for of in (chosen, same)
        )
        return Margin(first, second)

    def difference(self, measure: TopKMeasure, joint: TopJoint) -> Statistic:
        """Return the second share of hits minus the first."""
        hits = joint.of(measure.k)
        right, total = hits.both + hits.first, joint.first.total
        found = difference_of_rates(lambda share: share, right, hits.first, hits.second, total)

        def of_clusters(clusters: Sequence[TopJoint]) -> tuple[Floats, Floats]:
            counts = np.array([each.of(measure.k) for each in clusters], dtype=float)
            return counts, counts.sum(axis=1)

        return replace(found, of_clusters=of_clusters)

    def contributions(self, observed: TopAnswers, clusters: Sequence[TopAnswers], k: int) -> Floats:
        """Return what each cluster adds to the association: hits, doubly centred."""
        shares = observed.true_counts / observed.total
        given = np.repeat(observed.answer_counts, k)
        said = np.bincount(observed.answers[:, :k].ravel(), given, shares.size) / observed.total
        return np.array(
            [
                each.hits(k)
                - each.true_counts @ said
                - each.answer_counts @ shares[each.answers[:, :k]].sum(axis=1)
                + each.total * (shares @ said)
                for each in clusters
            ]
        )


TOP_K_ANSWERS = TopKIntervals()
