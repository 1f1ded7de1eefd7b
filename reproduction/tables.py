"""Tables 1 to 4 of the paper, from the records of the measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.measures.two_classes import get_measure
from baserate.measures.two_classes_record import ALWAYS, EVERYWHERE, NEVER
from baserate.observed.labels import BaseRate
from reproduction import PAPER_MEASURES
from reproduction.errata import errata_of, marked
from reproduction.table import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.core.measure import Codomain, Formula
    from baserate.measures.two_classes_record import Extreme, TwoClassMeasure

NOTHING = "–"
# The paper's symbols for measures whose keys differ from ours.
_SYMBOLS = {
    "F1": r"F_\beta",
    "ACC": r"\text{Acc}",
    "BACC": r"\text{BAcc}",
    "KAPPA": r"\kappa",
    "G2": r"\text{G}^{(2)}",
}
_SIGNS = (("P̂", r"\hat{P}"), ("N̂", r"\hat{N}"), ("·", r" \cdot "))
_MOST_NAMES = 2
# The requirements with a column in Table 2.
_COLUMNS = {"P": "P > 0", "N": "N > 0", "P̂": "P̂ > 0", "N̂": "N̂ > 0"}
# A test set large enough to show which draws each measure allows.
_TOTAL = 5


def tables() -> tuple[Table, ...]:
    """Return the four tables."""
    return definitions(), requirements(), expectations(), baselines()


def symbol(key: str) -> str:
    """Return a measure as the paper writes it."""
    return f"${_letter(key)}$"


def _letter(key: str) -> str:
    return _SYMBOLS.get(key, rf"\text{{{key}}}")


def definitions() -> Table:
    """Return Table 1: definitions and codomains."""
    return Table(
        name="Table 1",
        caption="Definitions and codomains of the measures.",
        header=("Measure", "Also called", "Definition", "Codomain"),
        rows=tuple(_definition(measure) for measure in _with_prevalence_threshold()),
        errata=errata_of("Table 1"),
    )


def _with_prevalence_threshold() -> Iterator[TwoClassMeasure]:
    """Yield the measures of Table 1, the only table with PT: before TS."""
    for measure in PAPER_MEASURES.values():
        if measure.key == "TS":
            yield get_measure("PT")
        yield measure


def _definition(measure: TwoClassMeasure) -> tuple[Cell, ...]:
    key, letter = measure.key, _letter(measure.key)
    # The table is about any β; F1 is one case, with its own names.
    is_f = key == "F1"
    return (
        Cell(rf"$F_\beta$ score (${letter}$)" if is_f else f"{measure.name} (${letter}$)"),
        Cell("" if is_f else _other_names(measure)),
        marked("Table 1", key, "definition", f"${letter} = {measure.definition.latex}$"),
        Cell(_codomain(measure.codomain)),
    )


def _other_names(measure: TwoClassMeasure) -> str:
    """Return the first names that people, not programs, use for it."""
    names = [name for name in measure.aliases if name.isascii() and "_" not in name]
    return ", ".join(names[:_MOST_NAMES])


def _codomain(codomain: Codomain) -> str:
    if math.isinf(codomain.upper):
        return r"$\{0, 1, 2, \dots\}$"
    # In braces, the minus of -1 is a sign, not an operator.
    return f"$[{{{codomain.lower:g}}}, {codomain.upper:g}]$"


def requirements() -> Table:
    """Return Table 2: what must not be zero, grouped by measures with the same requirements."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for measure in PAPER_MEASURES.values():
        needs = tuple(requirement.text for requirement in measure.requirements)
        alike.setdefault(needs, []).append(measure.key)
    return Table(
        name="Table 2",
        caption="What must hold for a measure to be defined; always $M > 0$.",
        header=("Measures", *(f"${_latex(column)}$" for column in _COLUMNS), "Together"),
        rows=tuple(_requirement(keys, needs) for needs, keys in alike.items()),
        errata=errata_of("Table 2"),
    )


def _requirement(keys: list[str], needs: tuple[str, ...]) -> tuple[Cell, ...]:
    others = [need for need in needs if need not in _COLUMNS.values()]
    columns = {column: "$> 0$" * (need in needs) for column, need in _COLUMNS.items()}
    columns["together"] = ", ".join(f"${_latex(need)}$" for need in others)
    return (
        Cell(", ".join(map(symbol, keys))),
        *(_of_any(keys, column, text or NOTHING) for column, text in columns.items()),
    )


def _of_any(keys: list[str], column: str, text: str) -> Cell:
    """Return a cell for several measures, with the erratum of any of them."""
    cells = [marked("Table 2", key, column, text) for key in keys]
    return next((cell for cell in cells if cell.erratum), cells[0])


def _latex(text: str) -> str:
    for sign, latex in _SIGNS:
        text = text.replace(sign, latex)
    return text


def expectations() -> Table:
    """Return Table 3: expectations, and the coefficients of TP."""
    return Table(
        name="Table 3",
        caption=r"Expectation of a measure under a draw, and $a$ and $b$ of "
        rf"$a \cdot \text{{TP}} + b$. “{NOTHING}”: no formula; the library computes it.",
        header=("Measure", "Expectation", "$a$", "$b$"),
        rows=tuple(_expectation(measure) for measure in PAPER_MEASURES.values()),
    )


def _expectation(measure: TwoClassMeasure) -> tuple[Cell, ...]:
    nonlinear = r"nonlinear in $\text{TP}$"
    return (
        Cell(symbol(measure.key)),
        Cell(_formula(measure.draw.expectation, NOTHING)),
        Cell(_formula(measure.draw.slope, nonlinear)),
        Cell(_formula(measure.draw.intercept, nonlinear)),
    )


def _formula(formula: Formula | None, otherwise: str) -> str:
    return otherwise if formula is None else f"${formula.latex}$"


def baselines() -> Table:
    """Return Table 4: the extremes of the expectation, and the θ* that attain them."""
    return Table(
        name="Table 4",
        caption="The Dutch Draw baseline: the highest and the lowest expectation, and the draws "
        rf"$\theta^*$ that attain them. “{NOTHING}”: no formula; the library computes it.",
        header=(
            "Measure",
            r"$\max$",
            r"$\Theta^*_{\max}$",
            r"$\min$",
            r"$\Theta^*_{\min}$",
        ),
        rows=tuple(_baseline(measure) for measure in PAPER_MEASURES.values()),
        errata=errata_of("Table 4"),
    )


def _baseline(measure: TwoClassMeasure) -> tuple[Cell, ...]:
    maximum, minimum = measure.draw.maximum, measure.draw.minimum
    texts = {
        "max": _value(maximum),
        "argmax": _places(measure, maximum),
        "min": _value(minimum),
        "argmin": _places(measure, minimum),
    }
    cells = (marked("Table 4", measure.key, *column) for column in texts.items())
    return Cell(symbol(measure.key)), *cells


def _value(extreme: Extreme | None) -> str:
    return _formula(None if extreme is None else extreme.value, NOTHING)


def _places(measure: TwoClassMeasure, extreme: Extreme | None) -> str:
    """Format where an extreme is attained, with its special cases."""
    if extreme is None:
        return NOTHING
    if extreme.place is EVERYWHERE:
        return "; ".join([_allowed(measure, 1), *_exceptions(measure)])
    if measure.draw.constant in (ALWAYS, NEVER):
        return f"${extreme.place.latex}$"
    everywhere = rf"{_allowed(measure, 1)} if ${measure.draw.constant.latex}$"
    return f"${extreme.place.latex}$; {everywhere}"


def _exceptions(measure: TwoClassMeasure) -> Iterator[str]:
    """Yield the one-class test sets on which a measure allows different draws."""
    for positives, condition in ((0, "P = 0"), (_TOTAL, "P = M")):
        allowed = _allowed(measure, positives)
        if allowed not in ("", _allowed(measure, 1)):
            yield f"{allowed} if ${condition}$"


def _allowed(measure: TwoClassMeasure, positives: int) -> str:
    """Format the draws that a measure allows on a test set; empty if there are none."""
    counts = measure.allowed(BaseRate(positives=positives, total=_TOTAL))
    missing = [str(end) for end, count in enumerate((0, _TOTAL)) if count not in counts]
    if not counts:
        return ""
    return rf"$\Theta^* \setminus \{{{', '.join(missing)}\}}$" if missing else r"$\Theta^*$"
