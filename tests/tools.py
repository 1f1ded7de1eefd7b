"""What several test files need."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import baserate as br

ROOT = Path(__file__).parent.parent
"""The checkout."""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
"""A real browser, if there is one."""
BROWSER_FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def members(theta_stars: br.ThetaSet) -> list[int]:
    """The P̂ of a set of θ*, laid out."""
    return [count for part in theta_stars.counts for count in part]


def tie(measure: br.Measure, largest: float) -> float:
    """How far apart two draws may be that a search takes for equal; 0 where nothing is searched."""
    optima = (measure.maximum or measure.gain, measure.minimum)
    return 0 if all(optima) else 64 * sys.float_info.epsilon * measure.magnitude(largest)
