"""Write the page of a measure of scores from its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import baserate as br
from baserate.kinds.scores import SCORE_MEASURES
from written import display, found_by, math, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.measures.scores import ScoreMeasure

EXAMPLE = br.BaseRate(positives=10, total=100)
TEST_SETS = [br.BaseRate(positives=2, total=20), EXAMPLE, br.BaseRate(positives=60, total=200)]
MEASURES = list(SCORE_MEASURES.values())
_RATE = math(r"\pi")
LEGEND = (
    f"M observations, P positive and N negative; {_RATE} = P/M. An observation has the truth "
    f"{math('y_i')}, 0 or 1, and the score {math('s_i')}, or the probability {math('p_i')}."
)


def file_of(measure: ScoreMeasure) -> str:
    """Return the name of a page, without its suffix."""
    return measure.key.lower().replace(" ", "-").replace("@", "-at-")


def page(measure: ScoreMeasure) -> str:
    """Return the page of a measure."""
    words = found_by(measure.key, measure.name, *measure.aliases)
    parts = [f"# {title(measure)}", words, measure.meaning, table(["", ""], facts(measure))]
    parts += ["## Formula", display(measure.definition), LEGEND]
    parts += ["## The best guess", *_guesses(measure)]
    parts += ["## Could it be chance?", _chance(measure)]
    parts += ["## When it misleads", measure.pitfall]
    return "\n\n".join(parts) + "\n"


def title(measure: ScoreMeasure) -> str:
    """Return the key and the name of a measure, or one of them if it says both."""
    is_named = measure.key.casefold() in measure.name.casefold()
    return measure.name if is_named else f"{measure.key}: {measure.name}"


def facts(measure: ScoreMeasure) -> list[list[str]]:
    """Return the facts that fit on one line each."""
    call = f"`{measure.sklearn}`" if measure.sklearn else "has no function for it"
    return [
        ["key", f"`{measure.key}`"],
        ["also called", ", ".join(measure.aliases) or "nothing else"],
        ["values", f"{measure.codomain}, {measure.direction.better} is better"],
        ["takes", "probabilities" if measure.probabilities else "scores: any numbers"],
        ["scikit-learn", call],
    ]


def _guesses(measure: ScoreMeasure) -> Iterator[str]:
    yield (
        "A guess [never looks at its input](../../ideas/rankings.md): which row gets which score "
        "is chance."
    )
    rows = [_row(measure, rate) for rate in TEST_SETS if not measure.missing(rate)]
    head = ["positives", "observations", "best, to beat", "expects", "worst", "expects"]
    yield table(head, rows)


def _row(measure: ScoreMeasure, rate: br.BaseRate) -> list[str]:
    base = br.baseline(rate, measure)
    best, worst = base.best, base.worst
    cells = [best.guesses, f"**{best.value:.6g}**", worst.guesses, f"{worst.value:.6g}"]
    return [str(rate.positives), str(rate.total), *cells]


def _chance(measure: ScoreMeasure) -> str:
    shuffled = (
        "The p-value is the chance that the model's own scores, shuffled, do at least as well."
    )
    if measure.monotone:
        others = [each.key for each in MEASURES if each.monotone and each is not measure]
        return (
            f"{shuffled} It is the test of Mann and Whitney, and that of {', '.join(others)} too."
        )
    return f"{shuffled} `br.evaluate` and `br.p_value` compute it."
