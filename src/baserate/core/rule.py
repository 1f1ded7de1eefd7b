"""How a confidence interval is made of resamples."""

from __future__ import annotations

from enum import Enum


class Rule(Enum):
    """How an interval is made of resamples."""

    END = "a spare row, the worst possible one"
    AVERAGE = "the same, never narrower than the jackknife's: small classes show no spread"
    LOSS = "Student's t from the mean of the resamples"
    CORRELATION = "the worst row seen as a spare one, and Student's t"
    SEEN = "the worst unit seen as a spare one, and Student's t by how many units carry the error"
