"""Helpers that several test files share."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import baserate as br

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


def members(theta_stars: br.ThetaSet) -> list[int]:
    """The P̂ of a set of θ*, as a list."""
    return [count for part in theta_stars.counts for count in part]


def tie(measure: br.Measure, largest: float) -> float:
    """How far apart two draws may be for a search to tie them; 0 if nothing is searched."""
    optima = (measure.draw.maximum or measure.draw.gain, measure.draw.minimum)
    return 0 if all(optima) else 64 * sys.float_info.epsilon * measure.magnitude(largest)
