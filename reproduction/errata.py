"""The errata of docs/errata.md about tables, and their cells."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.table import Cell


@dataclass(frozen=True)
class Erratum:
    """An entry of docs/errata.md.

    Parameters
    ----------
    number
        Its number in docs/errata.md.
    table
        The table it is about.
    sentence
        Its sentence, with LaTeX between dollar signs.
    keys, columns
        The rows and columns of its cells; empty if it is about the text.
    corrected
        Whether the library's value in these cells differs from the paper's.
    """

    number: int
    table: str
    sentence: str
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    corrected: bool = True


_ARGUMENTS = ("argmax", "argmin")

ERRATA = {
    erratum.number: erratum
    for erratum in (
        Erratum(
            1,
            "Table 4",
            "Both brackets are printed the wrong way round. Appendix A.16 has them right.",
            ("ACC",),
            _ARGUMENTS,
        ),
        Erratum(
            2,
            "Table 4",
            "The case $P = 1$ is missing. Appendix A.23 derives it.",
            ("TS",),
            ("argmax",),
        ),
        Erratum(
            3,
            "Table 2",
            r"No requirement is printed, but $\kappa$ is 0/0 if $P = \hat{P} = 0$ or "
            r"$P = \hat{P} = M$.",
            ("KAPPA",),
            ("together",),
        ),
        Erratum(
            4,
            "Table 4",
            "Only the case $P = M$ is printed, in a footnote. The case $P = 0$ is missing.",
            ("KAPPA",),
            _ARGUMENTS,
        ),
        Erratum(
            5,
            "Table 4",
            "If there is nothing to count, every draw expects 0. One end is printed for each "
            "extreme.",
            ("TP", "TN", "FN", "FP"),
            _ARGUMENTS,
        ),
        Erratum(
            6,
            "Table 4",
            "For $M = 1$ no draw is allowed, and there is no baseline.",
            ("MK",),
            ("max", "min"),
            corrected=False,
        ),
        Erratum(
            7,
            "Table 1",
            r"This form is 1/0 if $\text{TP} = 0$. The other tables, and the library, have the "
            r"reduced form $(1+\beta^2) \text{TP} / (\beta^2 P + \hat{P})$, which is 0 there.",
            ("F1",),
            ("definition",),
            corrected=False,
        ),
        Erratum(
            8,
            "Table 2",
            r"TS is also defined for $P = 0$ if $\hat{P} > 0$. The requirement is kept.",
            ("TS",),
            ("P",),
            corrected=False,
        ),
        Erratum(
            9,
            "UCI table",
            "The rows FN and FP are swapped in all eight columns, with 672 for 762 in one cell. "
            "The maximum of FN is $P$ and that of FP is $M - P$ (Table 4).",
            ("FN", "FP"),
        ),
        Erratum(
            10,
            "UCI table",
            r"The text of Sec. 4 gives 0.629 as the $F_1$ baseline of Bank Marketing. That is "
            "Cleveland Heart Disease's. The table is right.",
        ),
        Erratum(
            11,
            "UCI table",
            r"The maxima of $\text{G}^{(2)}$ round to the printed 0.5, and none of them is 1/2.",
            ("G2",),
            corrected=False,
        ),
        Erratum(
            12,
            "UCI table",
            "The table has maxima throughout. Of these measures the maximum is the worst draw. "
            "What a model has to beat is the minimum.",
            ("FN", "FP", "FNR", "FPR", "FDR", "FOR"),
            ("measure",),
            corrected=False,
        ),
    )
}


def errata_of(table: str) -> tuple[int, ...]:
    """Return the numbers of the errata about a table."""
    return tuple(erratum.number for erratum in ERRATA.values() if erratum.table == table)


def marked(table: str, key: str, column: str, text: str) -> Cell:
    """Return a cell, with its erratum if there is one."""
    for erratum in ERRATA.values():
        if erratum.table == table and key in erratum.keys and column in erratum.columns:
            return Cell(text, erratum.number, erratum.corrected)
    return Cell(text)
