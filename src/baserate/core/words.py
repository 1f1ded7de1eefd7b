"""The words of a task, for sentences that every task shares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """How a task speaks of its best guess and of chance.

    Parameters
    ----------
    best
        What the best guess is, for a reader who does not know it.
    shared_p
        Which test the p-value is, and which measures share it.
    remedy
        What to look for in a model that learned something and does not beat the best guess.
    suspect
        What to look for in a model that does worse than chance.
    """

    best: str
    shared_p: str
    remedy: str
    suspect: str = "swapped labels"
