"""All measures of probabilities of two classes."""

from __future__ import annotations

from baserate.probability.measures.calibration_error import ECE
from baserate.probability.measures.of_rules import RULE_MEASURES

TWO_CLASS_MEASURES = (*RULE_MEASURES, ECE)
