"""Set-up that every test shares."""

from __future__ import annotations

import os

import mpmath
from hypothesis import settings

# Timing is for bench/, not for tests: a loaded machine must not fail a law. A pipeline tries the
# same examples every time; a developer tries new ones.
settings.register_profile(
    "baserate", deadline=None, max_examples=200, derandomize="CI" in os.environ
)
settings.load_profile("baserate")

# High precision, wherever a test compares with it.
mpmath.mp.dps = 50
