"""Set-up that every test shares."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import mpmath
from hypothesis import settings

if TYPE_CHECKING:
    import pytest

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

# High precision, for all tests that compare with it.
mpmath.mp.dps = 50


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add a flag for the slow tests: `make test-all`."""
    parser.addoption("--exhaustive", action="store_true", help="run the exhaustive tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the exhaustive tests unless they are asked for."""
    if config.getoption("--exhaustive"):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=left_out)
