"""Two models of numbers side by side."""

from baserate.regression.paired.joint import JointFit
from baserate.regression.paired.limits import PairedNumbers

__all__ = ["JointFit", "PairedNumbers"]
