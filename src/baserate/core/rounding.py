"""How far apart two numbers may be, relative to their size, and still be the same."""

from __future__ import annotations

import sys

FORMULA = 4 * sys.float_info.epsilon
"""Two results of one formula: they differ in their last places."""
COMPUTATION = 16 * FORMULA
"""Two results of a sum, an integral or a user's function, relative to the largest number in it."""
