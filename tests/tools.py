"""Helpers that several test files share."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import baserate as br

if TYPE_CHECKING:
    from baserate.observed.theta import ThetaSet

ROOT = Path(__file__).parent.parent
"""The root of the checkout."""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
"""The path of a real browser, if there is one."""
BROWSER_FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def members(theta_stars: ThetaSet) -> list[int]:
    """The P̂ of a set of θ*, as a list."""
    return [count for part in theta_stars.counts for count in part]


def tie(measure: br.Measure, largest: float) -> float:
    """How far apart two draws may be for a search to tie them; 0 if nothing is searched."""
    optima = (measure.draw.maximum or measure.draw.gain, measure.draw.minimum)
    return 0 if all(optima) else 64 * sys.float_info.epsilon * measure.magnitude(largest)


def attainable(draw: br.DutchDraw, measure: str | br.Measure) -> list[float]:
    """Return every score that a draw can have, ascending, each once."""
    rate, drawn = draw.base_rate, draw.predicted_positives
    counts = range(max(0, drawn - rate.negatives), min(rate.positives, drawn) + 1)
    tables = [br.ConfusionMatrix.from_tp(tp, rate, drawn) for tp in counts]
    return sorted({br.get_measure(measure).score(table) for table in tables})


def masses(null: br.NullDistribution, scores: list[float]) -> np.ndarray:
    """Return the probability of each of all scores, ascending."""
    return np.diff([null.cdf(score) for score in scores], prepend=0)
