"""The requirements of a measure: when it is defined (the paper's Table 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

from baserate.binary.confusion import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from baserate.binary.measures.margins import Margins
    from baserate.core.formula import Number


@dataclass(frozen=True)
class Requirement:
    """A denominator that must not be zero.

    It checks tables and draws, prints itself, and lists small tables that violate it, for tests and
    pages.

    Parameters
    ----------
    text
        The condition in the paper's symbols, such as ``"P > 0"``.
    counts
        The names of the counts that decide, such as ``"positives"``.
    denominator
        The quantity by which the measure divides.
    """

    text: str
    counts: tuple[str, ...]
    denominator: Callable[[Any], Number] = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def holds(self, margins: Margins | Confusion) -> bool:
        """Return whether the denominator is not zero."""
        return bool(self.denominator(margins) != 0)

    def evidence(self, margins: Margins | Confusion) -> str:
        """Return the deciding counts, for an error message."""
        return ", ".join(f"{count} = {getattr(margins, count)}" for count in self.counts)

    def violations(self) -> Iterator[Confusion]:
        """Yield every small table that violates the requirement."""
        for tp, fp, fn, tn in product(range(3), repeat=4):
            table = Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
            if table.total > 0 and not self.holds(table):
                yield table


# M > 0 always, says the caption of Table 2.
SOME_OBSERVATIONS = Requirement("M > 0", ("total",), lambda m: m.total)
SOME_POSITIVES = Requirement("P > 0", ("positives",), lambda m: m.positives)
SOME_NEGATIVES = Requirement("N > 0", ("negatives",), lambda m: m.negatives)
SOME_PREDICTED_POSITIVES = Requirement(
    "P̂ > 0", ("predicted_positives",), lambda m: m.predicted_positives
)
SOME_PREDICTED_NEGATIVES = Requirement(
    "N̂ > 0", ("predicted_negatives",), lambda m: m.predicted_negatives
)
# Table 2 requires nothing for κ, its appendix only P < M or N̂ > 0; P = P̂ = 0 is also 0/0.
CHANCE_CAN_ERR = Requirement(
    "P·N̂ + N·P̂ > 0",
    ("positives", "negatives", "predicted_positives", "predicted_negatives"),
    lambda m: m.positives * m.predicted_negatives + m.negatives * m.predicted_positives,
)
# A requirement on the table itself, which no choice of draw can meet: see PT's no_baseline.
RATES_DIFFER = Requirement(
    "TPR ≠ FPR",
    ("tp", "fp", "fn", "tn"),
    lambda table: table.tp * table.tn - table.fp * table.fn,
)
