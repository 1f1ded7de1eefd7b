"""The example in the discussion: G2 on ten observations, nine of them positive."""

from __future__ import annotations

from dataclasses import dataclass

from baserate.baselines.dutch_draw import baseline
from baserate.baselines.expectation import expected_score
from baserate.observed.labels import BaseRate
from reproduction.table import Cell, Table
from reproduction.tables import NOTHING

RATE = BaseRate(positives=9, total=10)
# The paper's values for some numbers of positive predictions.
PRINTED = {1: r"\frac{3}{10}", 2: r"\frac{4\sqrt{2}}{15}", 9: r"\frac{1}{10}"}


@dataclass(frozen=True)
class Example:
    """The expected score of each draw, and the best of them.

    Parameters
    ----------
    scores
        The expected score for each number of positive predictions.
    best
        The numbers of positive predictions that attain the maximum.
    """

    scores: tuple[float, ...]
    best: tuple[int, ...]

    @property
    def table(self) -> Table:
        """The example as a table."""
        return Table(
            name="The example of the discussion",
            caption=r"The expected $\text{G}^{(2)}$ for $P = 9$ and $M = 10$. The best draw is "
            rf"none of $0$, $\frac{{1}}{{M}}$, $\frac{{M-1}}{{M}}$ and $1$: it is "
            rf"$\theta^* = {', '.join(map(_theta, self.best))}$.",
            header=(r"$\theta^*$", "Expected score", "In the paper", ""),
            rows=tuple(self._row(*each) for each in enumerate(self.scores)),
        )

    def _row(self, count: int, score: float) -> tuple[Cell, ...]:
        printed = f"${PRINTED[count]}$" if count in PRINTED else NOTHING
        remark = "the maximum" if count in self.best else ""
        return Cell(f"${_theta(count)}$"), Cell(f"{score:.6f}"), Cell(printed), Cell(remark)


def example() -> Example:
    """Return the example."""
    thetas = [count / RATE.total for count in range(RATE.total + 1)]
    best = baseline(RATE, "G2").best.guesses.counts
    return Example(
        scores=tuple(expected_score(RATE, "G2", thetas).tolist()),
        best=tuple(count for part in best for count in part),
    )


def _theta(count: int) -> str:
    return rf"\frac{{{count}}}{{{RATE.total}}}"
