"""The p-values of a table: whose they are, and whether they are exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.formatting import in_words, printable, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.verdicts.verdict import Verdict

# The most letters of the names of measures in a title; the others are in a note.
_LONG = 20


@dataclass(frozen=True)
class PValue:
    """A p-value, whether it is exact, and the smallest that its method can tell.

    Examples
    --------
    >>> str(PValue(0.0123)), str(PValue(2.5e-4, exact=False)), str(PValue(math.nan, exact=False))
    ('0.012', '≈ 2.5e-04', '–')
    """

    value: float
    exact: bool = True
    floor: float | None = None

    @classmethod
    def of(cls, verdict: Verdict | None) -> PValue:
        """Return the p-value of a verdict; none if there is no verdict."""
        if verdict is None:
            return cls(math.nan)
        return cls(verdict.p_adjusted, verdict.exact, verdict.p_floor)

    def __str__(self) -> str:
        return probability(self.value, exact=self.exact, floor=self.floor)


@dataclass(frozen=True)
class PValueRow:
    """The p-values of all models, by one or more measures that share them.

    Parameters
    ----------
    measures
        The measures.
    of_all
        Whether the table has no other measures.
    found
        The p-value of each model.
    """

    measures: tuple[str, ...]
    of_all: bool
    found: tuple[PValue, ...]

    @property
    def name(self) -> str:
        """Its title: whose p-value it is, if it is not that of all measures."""
        return title(self.measures, of_all=self.of_all)

    @property
    def note(self) -> str:
        """All measures that share it, if its title does not name them."""
        named = [printable(measure) for measure in self.measures]
        is_named = self.of_all or self.name.endswith(in_words(named))
        return "" if is_named else f"{in_words(named)} share a p-value."


def title(measures: Sequence[str], *, of_all: bool) -> str:
    """Return the title of a p-value that some measures share.

    Examples
    --------
    >>> title(["AUC"], of_all=False), title(["ACC", "BACC", "PPV", "F1", "MCC"], of_all=False)
    ('p-value of AUC', 'p-value of ACC and 4 more')
    """
    if of_all:
        return "p-value"
    named = [printable(measure) for measure in measures]
    whole = in_words(named)
    if len(named) > 1 and len(whole) > _LONG:
        whole = f"{named[0]} and {len(named) - 1} more"
    return f"p-value of {whole}"
