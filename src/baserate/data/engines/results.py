"""What an aggregation found, as the counts of models and of pairs of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.data.engines.codes import Code
from baserate.data.groups import ordered_groups
from baserate.data.labels import FourCounts
from baserate.data.models import Both

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.data.engines.aggregation import Tally
    from baserate.data.groups import Group
    from baserate.data.models import Counts


def _places(tally: Tally) -> tuple[Group | None, ...]:
    """Return the whole test set and its groups, in order."""
    return (None, *ordered_groups({group for group, *_ in tally.cells if group is not None}))


def both_of(
    tally: Tally, models: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> dict[tuple[str, str], dict[Group | None, Both]]:
    """Return how often both models of each pair say positive, as a whole and in each group."""
    places = _places(tally)
    tallies = {pair: {group: [0, 0] for group in places} for pair in pairs}
    for (group, pair, truth), count in tally.both.items():
        for place in {None, group}:
            tallies[pair][place][truth is not Code.POSITIVE] += count
    return {
        (models[one], models[other]): {group: Both(*each) for group, each in counts.items()}
        for (one, other), counts in tallies.items()
    }


def counts_of(tally: Tally, models: Sequence[str]) -> Counts:
    """Return the four counts of each model, as a whole and in each group."""
    tallies = {(name, group): [0, 0, 0, 0] for name in models for group in _places(tally)}
    for (group, model, truth, code), count in tally.cells.items():
        cell = 2 * (truth is Code.POSITIVE) + (code is Code.POSITIVE)
        for place in {None, group}:
            tallies[models[model], place][cell] += count
    counts: Counts = {name: {} for name in models}
    for (name, group), (tn, fp, fn, tp) in tallies.items():
        counts[name][group] = FourCounts(tp, fp, fn, tn)
    return counts
