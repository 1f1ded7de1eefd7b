"""The paper's tables and figures, computed by the library: `make paper`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from baserate import MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate import Measure

PAPER_MEASURES: Mapping[str, Measure] = MappingProxyType(
    {key: measure for key, measure in MEASURES.items() if measure.section}
)
"""The 22 measures with a baseline in the paper, keyed by name, in the order of its Table 1."""
