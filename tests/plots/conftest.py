"""Pictures without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _without_a_screen() -> Iterator[None]:
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
