"""Write the page of a measure of numbers from its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import baserate as br
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.observed.numbers import Numbers
from written import display, math, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.measures.numbers_record import NumberMeasure

EXAMPLE = Numbers([1.0, 2, 3, 10, 100])
TEST_SETS = {"1, 2, 3, 10, 100": EXAMPLE, "1, 2, 3, 4": Numbers([1.0, 2, 3, 4])}
MEASURES = list(NUMBER_MEASURES.values())
_PREDICTED = math(r"\hat{y}_i")
LEGEND = (
    f"M observations; observation i has the true number {math('y_i')} and the prediction "
    f"{_PREDICTED}."
)


def file_of(measure: NumberMeasure) -> str:
    """Return the name of a page, without its suffix."""
    return measure.key.lower().replace(" ", "-").replace("@", "-at-")


def page(measure: NumberMeasure) -> str:
    """Return the page of a measure."""
    parts = [f"# {title(measure)}", measure.meaning, table(["", ""], facts(measure))]
    parts += ["## Formula", display(measure.definition), LEGEND]
    parts += ["## What comes for free", *_constants(measure)]
    parts += ["## Could it be luck?", _luck(measure)]
    parts += ["## When it misleads", measure.pitfall]
    return "\n\n".join(parts) + "\n"


def title(measure: NumberMeasure) -> str:
    """Return the key and the name of a measure, or one of them if it says both."""
    is_named = measure.key.casefold() in measure.name.casefold()
    return measure.name if is_named else f"{measure.key}: {measure.name}"


def facts(measure: NumberMeasure) -> list[list[str]]:
    """Return the facts that fit on one line each."""
    call = f"`{measure.sklearn}`" if measure.sklearn else "has no function for it"
    return [
        ["key", f"`{measure.key}`"],
        ["also called", ", ".join(measure.aliases) or "nothing else"],
        ["values", f"{measure.codomain}, {measure.direction.better} is better"],
        ["scikit-learn", call],
    ]


def _constants(measure: NumberMeasure) -> Iterator[str]:
    yield "What ignores its input predicts best with [a constant](../../ideas/constants.md)."
    rows = []
    for name, numbers in TEST_SETS.items():
        best = br.baseline(numbers, measure).best
        rows.append([name, best.said, f"**{best.value:.6g}**"])
    yield table(["truth", "best, to beat", "scores"], rows)


def _luck(measure: NumberMeasure) -> str:
    dealt = (
        "The p-value is the chance that the model's own predictions, dealt at random, do at least "
        "as well."
    )
    if measure.monotone:
        others = [each.key for each in MEASURES if each.monotone and each is not measure]
        return (
            f"{dealt} It is the permutation test of the correlation, and that of "
            f"{', '.join(others)} too."
        )
    return f"{dealt} `br.evaluate` and `br.p_value` compute it."
