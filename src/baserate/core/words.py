"""The words of a task, for sentences that every task shares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """How a task speaks of references and of luck.

    Parameters
    ----------
    deck
        A prediction that never looks at its input, in one word.
    baseline
        What the baseline is called in the head of a table.
    best
        What the baseline is, for a reader who does not know it.
    null
        What luck is: the model's own predictions, dealt at random.
    shared_p
        Which test the p-value is, and which measures share it.
    remedy
        What to look for in a model that learned something and does not beat the baseline.
    suspect
        What to look for in a model that does worse than chance.
    knows
        All that a prediction knows that never looks at its input.
    has_worst
        Whether one of these is the worst; a constant can always be further off.
    """

    deck: str
    baseline: str
    best: str
    null: str
    shared_p: str
    remedy: str
    suspect: str = "swapped labels"
    knows: str = "how often each class occurs"
    has_worst: bool = True


OF_ANY_TASK = Words(
    deck="deck",
    baseline="baseline",
    best="The expected score of the best prediction that never looks at its input.",
    null="the same predictions dealt at random",
    shared_p="many measures share it",
    remedy="it may be wrong for this measure",
)
"""The words where no task is known, as in a report without verdicts."""
