"""The paper's own example: what comes for free on the Cleveland Heart Disease data."""

from __future__ import annotations

from baserate.base_rate import BaseRate
from baserate.baseline import Baseline, baseline
from baserate.measures.catalogue import MEASURES

CLEVELAND = BaseRate(positives=139, total=303)
_HEADER = ("measure", "", "best", "lowest", "highest", "best draw: θ*")


def main() -> None:
    """Print the baselines of the Cleveland example as a table."""
    print(
        "Cleveland Heart Disease: 139 of 303 patients are ill.\n"
        "What a model that has learned nothing can expect, at best:\n"
    )
    rows = [_row(baseline(CLEVELAND, key)) for key in MEASURES]
    widths = [max(map(len, column)) for column in zip(_HEADER, *rows, strict=True)]
    for row in (_HEADER, tuple("─" * width for width in widths), *rows):
        print(_aligned(row, widths))
    print(
        "\n↑ higher is better, ↓ lower is better; θ* is the fraction predicted positive.\n"
        "A model is worth something where it beats the column “best”. Next: README.md."
    )


def _row(base: Baseline) -> tuple[str, ...]:
    numbers = (_number(optimum.value) for optimum in (base.best, base.min, base.max))
    theta_stars = str(base.best.theta_stars)
    return (base.measure.key, base.measure.direction.arrow, *numbers, theta_stars)


def _number(value: float) -> str:
    # Five decimals, so that G2's 0.49999 does not pass for one half.
    return f"{value:.0f}      " if value.is_integer() else f"{value:.5f}"


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        f"{cell:>{width}}" if 2 <= index <= 4 else f"{cell:<{width}}"
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


if __name__ == "__main__":
    main()
