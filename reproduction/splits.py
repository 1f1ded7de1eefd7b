"""The Cleveland experiment on many random splits: how often a model falls below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.demo import SEED
from baserate.formatting import in_words
from baserate.progress import watched
from reproduction.experiment import run
from reproduction.table import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.report import Report

# The measures for which the paper finds two models below the baseline (Sec. 4), and those models.
BELOW_BY = ("F1", "FM", "TS")
BELOW_IN_THE_PAPER = ("decision tree", "k-nearest neighbours")


@dataclass(frozen=True)
class Splits:
    """The results of the five models on many splits.

    Parameters
    ----------
    seed
        The seed of the first split; the others count up from it.
    reports
        One report per split.
    """

    seed: int
    reports: tuple[Report, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return self.reports[0].models

    def margins(self, model: str, measure: str) -> NDArray[np.float64]:
        """Return how far the score is above the baseline of its own test set, per split."""
        return np.array([report[model, measure].margin for report in self.reports])

    def below(self, model: str, measure: str) -> int:
        """Return the number of splits in which a model is below the baseline."""
        return int(np.sum(self.margins(model, measure) < 0))

    def below_all(self, *models: str) -> int:
        """Count the splits in which all these models are below, for all three measures."""
        margins = [self.margins(model, measure) for model in models for measure in BELOW_BY]
        return int(np.sum(np.all(np.array(margins) < 0, axis=0)))

    @property
    def table(self) -> Table:
        """How often each model falls below."""
        return Table(
            name="Cleveland Heart Disease, many splits",
            caption=f"In how many of {len(self.reports)} random splits a model is below the "
            "Dutch Draw baseline of its test set.",
            header=("Model", "$F_1$", "FM", "TS", "All three"),
            rows=tuple(self._row(model) for model in self.models),
        )

    def _row(self, model: str) -> tuple[Cell, ...]:
        counts = [*(self.below(model, measure) for measure in BELOW_BY), self.below_all(model)]
        return Cell(model), *(Cell(f"{count} ({self.share(count)})") for count in counts)

    def share(self, count: int) -> str:
        """Format a number of splits as a share of all."""
        return f"{count / len(self.reports):.1%}"

    @property
    def answer(self) -> tuple[str, ...]:
        """How often each model falls below, in sentences."""
        both = self.share(self.below_all(*BELOW_IN_THE_PAPER))
        others = (model for model in self.models if model not in BELOW_IN_THE_PAPER)
        counts = "; ".join(map(self._counts, (*BELOW_IN_THE_PAPER, *others)))
        splits = f"{len(self.reports)} random split{'s' * (len(self.reports) > 1)}"
        return (
            f"Over {splits}, models fall below the baselines of {in_words(BELOW_BY)}: {counts}.",
            f"In {both}, {in_words(BELOW_IN_THE_PAPER)} are both below all three, as in the paper.",
        )

    def _counts(self, model: str) -> str:
        shares = [self.share(self.below(model, measure)) for measure in BELOW_BY]
        return f"{model} in {in_words(shares)}"


def split_many(splits: int, seed: int = SEED) -> Splits:
    """Fit and judge the five models on many splits.

    Parameters
    ----------
    splits
        The number of splits.
    seed
        The seed of the first split; the others count up from it.
    """
    parts = watched(_reports(splits, seed), splits, "fitting", "splits", lambda _: 1)
    return Splits(seed, tuple(parts))


def _reports(splits: int, seed: int) -> Iterator[Report]:
    from threadpoolctl import threadpool_limits

    # On data this small, threads take longer to start than to work.
    with threadpool_limits(1):
        for each in range(seed, seed + splits):
            yield run(each, BELOW_BY)
