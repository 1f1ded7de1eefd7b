"""The UCI table: the highest baselines of eight data sets, next to the printed values."""

from __future__ import annotations

from dataclasses import dataclass

from baserate.baselines.dutch_draw import baseline
from baserate.observed.labels import BaseRate
from reproduction import PAPER_MEASURES
from reproduction.errata import ERRATA, errata_of, marked
from reproduction.table import Cell, Table
from reproduction.tables import symbol

NAME = "UCI table"
# The number of positives and the total of each data set.
DATA_SETS = {
    "Adult": (11687, 48842),
    "Bank Marketing": (5289, 45211),
    "Banknote Authentication": (610, 1372),
    "Cleveland Heart Disease": (139, 303),
    "Haberman's Survival": (81, 306),
    "LSVT Voice Rehabilitation": (42, 126),
    "Occupancy Detection": (4750, 20560),
    "Wisconsin Cancer (Diagnostic)": (212, 569),
}
# The table as printed, with its errors; one row per measure.
PRINTED = {
    "TP": "11687 5289 610 139 81 42 4750 212",
    "TN": "37155 39922 762 164 225 84 15810 357",
    "FN": "37155 39922 672 164 225 84 15810 357",
    "FP": "11687 5289 610 139 81 42 4750 212",
    "TPR": "1 1 1 1 1 1 1 1",
    "TNR": "1 1 1 1 1 1 1 1",
    "FNR": "1 1 1 1 1 1 1 1",
    "FPR": "1 1 1 1 1 1 1 1",
    "PPV": "0.239 0.117 0.445 0.459 0.265 0.333 0.231 0.373",
    "NPV": "0.761 0.883 0.555 0.541 0.735 0.667 0.769 0.627",
    "FDR": "0.761 0.883 0.555 0.541 0.735 0.667 0.769 0.627",
    "FOR": "0.239 0.117 0.445 0.459 0.265 0.333 0.231 0.373",
    "F1": "0.386 0.209 0.616 0.629 0.419 0.5 0.375 0.543",
    "J": "0 0 0 0 0 0 0 0",
    "MK": "0 0 0 0 0 0 0 0",
    "ACC": "0.761 0.883 0.555 0.541 0.735 0.667 0.769 0.627",
    "BACC": "0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5",
    "MCC": "0 0 0 0 0 0 0 0",
    "KAPPA": "0 0 0 0 0 0 0 0",
    "FM": "0.489 0.342 0.667 0.677 0.514 0.577 0.481 0.61",
    "G2": "0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5",
    "TS": "0.239 0.117 0.445 0.459 0.265 0.333 0.231 0.373",
}
# As many decimals as the paper prints, and enough to show that G2's maxima are not 1/2.
_DECIMALS, _MORE_DECIMALS = 3, 6


@dataclass(frozen=True)
class UciCell:
    """A baseline, and the paper's printed value.

    Parameters
    ----------
    key
        The measure.
    data_set
        The name of the data set.
    printed
        The printed value.
    value
        The highest expected score of any draw.
    """

    key: str
    data_set: str
    printed: str
    value: float

    @property
    def differs(self) -> bool:
        """Whether the printed value differs, to as many decimals as it has."""
        return round(self.value, _DECIMALS) != float(self.printed)

    @property
    def erratum(self) -> int | None:
        """The number of the erratum that explains the cell, if there is one."""
        about = (each for each in ERRATA.values() if each.table == NAME and not each.columns)
        return next((each.number for each in about if self.key in each.keys), None)

    @property
    def cell(self) -> Cell:
        """The cell of the table."""
        decimals = _MORE_DECIMALS if self.erratum and not self.differs else _DECIMALS
        written = f"{round(self.value, decimals):.{decimals}f}".rstrip("0").rstrip(".")
        return Cell(written, self.erratum, self.differs)


def cells() -> tuple[UciCell, ...]:
    """Return every cell, row by row."""
    return tuple(
        UciCell(key, name, printed, _highest(key, *size))
        for key, row in PRINTED.items()
        for (name, size), printed in zip(DATA_SETS.items(), row.split(), strict=True)
    )


def _highest(key: str, positives: int, total: int) -> float:
    return baseline(BaseRate(positives=positives, total=total), key).max.value


def uci_table() -> Table:
    """Return the table, with the printed values below each row that has an erratum."""
    found = cells()
    by_key = {key: [cell for cell in found if cell.key == key] for key in PAPER_MEASURES}
    return Table(
        name=NAME,
        caption="The highest Dutch Draw baseline of eight data sets, from $P$ and $M$ alone.",
        header=("Measure", *DATA_SETS),
        rows=tuple(row for key, row_cells in by_key.items() for row in _rows(key, row_cells)),
        errata=errata_of(NAME),
    )


def _rows(key: str, row: list[UciCell]) -> list[tuple[Cell, ...]]:
    letter = "$F_1$" if key == "F1" else symbol(key)
    computed = (marked(NAME, key, "measure", letter), *(cell.cell for cell in row))
    if not any(cell.erratum for cell in row):
        return [computed]
    printed = ("printed", *(cell.printed for cell in row))
    return [computed, tuple(Cell(text, quoted=True) for text in printed)]
