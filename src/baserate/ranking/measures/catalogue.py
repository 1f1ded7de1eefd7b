"""All measures of rankings, and their names."""

from __future__ import annotations

from baserate.ranking.measures.area import AREAS

RANKING_MEASURES = AREAS
