"""Set-up that every test shares."""

from __future__ import annotations

import mpmath
from hypothesis import settings

# Timing is for bench/, not for tests: a loaded machine must not fail a law.
settings.register_profile("baserate", deadline=None, max_examples=200)
settings.load_profile("baserate")

# High precision, wherever a test compares with it.
mpmath.mp.dps = 50
