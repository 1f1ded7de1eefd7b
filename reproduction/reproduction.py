"""Everything that the paper shows, computed, for the renderers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.demo import SEED
from reproduction import PAPER_MEASURES
from reproduction.experiment import run
from reproduction.g2 import example
from reproduction.splits import split_many
from reproduction.tables import tables
from reproduction.uci import uci_table

if TYPE_CHECKING:
    from baserate.report import Report
    from reproduction.g2 import Example
    from reproduction.splits import Splits
    from reproduction.table import Table

ABOUT_THE_SPLIT = (
    "The paper's figure shows one random split, and gives neither its seed nor what was done with "
    "the six patients who have a missing value. So it cannot be drawn again as it is."
)
# A model by Table 1, and the highest baselines by Table 4.
ABOUT_THE_MEASURES = (
    r"$F_1$ and TS always agree: $F_1 = 2 \text{TS} / (1 + \text{TS})$, for the baselines too."
)


@dataclass(frozen=True)
class Reproduction:
    """The paper's tables and figures.

    Parameters
    ----------
    tables
        Tables 1 to 4.
    uci
        The UCI table.
    g2
        The example in the discussion.
    cleveland
        The five models on one split, with all measures of the paper.
    splits
        The same models on many splits.
    """

    tables: tuple[Table, ...]
    uci: Table
    g2: Example
    cleveland: Report
    splits: Splits

    @property
    def about_the_split(self) -> str:
        """What the figure depends on, and the split shown here."""
        total = self.cleveland.performances[0].table.test_set.total
        return (
            f"{ABOUT_THE_SPLIT} Here is the split of seed {self.splits.seed}, with {total} "
            "patients in the test set and missing values filled in by the most frequent one."
        )


def reproduce(splits: int, seed: int = SEED) -> Reproduction:
    """Compute everything.

    Parameters
    ----------
    splits
        The number of splits on which the five models are judged.
    seed
        The seed of the first split, which is the figure's; the others count up from it.
    """
    return Reproduction(
        tables=tables(),
        uci=uci_table(),
        g2=example(),
        cleveland=run(seed, tuple(PAPER_MEASURES)),
        splits=split_many(splits, seed),
    )
