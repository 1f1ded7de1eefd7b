"""Set-up that every test shares."""

from __future__ import annotations

import os

import mpmath
from hypothesis import settings

# Timing is for bench/, not for tests: a loaded machine must not fail a law. A pipeline tries the
# same hundred examples every time; a developer tries two hundred new ones.
is_pipeline = "CI" in os.environ
settings.register_profile(
    "baserate",
    deadline=None,
    max_examples=100 if is_pipeline else 200,
    derandomize=is_pipeline,
)
settings.load_profile("baserate")

# High precision, wherever a test compares with it.
mpmath.mp.dps = 50
