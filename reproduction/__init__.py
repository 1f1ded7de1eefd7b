"""The paper's tables and figures, computed by the library: `make paper`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from baserate.measures.two_classes import TWO_CLASS_MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.measures.two_classes_record import TwoClassMeasure

PAPER_MEASURES: Mapping[str, TwoClassMeasure] = MappingProxyType(
    {key: measure for key, measure in TWO_CLASS_MEASURES.items() if measure.section}
)
"""The 22 measures with a baseline in the paper, keyed by name, in the order of its Table 1."""
