"""Set-up that every test shares."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import settings

from renderings import Text

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

# Timing is for bench/, not for tests: a loaded machine must not fail a law. A pipeline tries the
# same fifty examples every time; a developer tries a hundred new ones.
is_pipeline = "CI" in os.environ
settings.register_profile(
    "baserate",
    deadline=None,
    max_examples=50 if is_pipeline else 100,
    derandomize=is_pipeline,
)
settings.load_profile("baserate")

# High precision, for all tests that compare with it.
mpmath.mp.dps = 50

# Browsers, shells, engines, pictures, pages and simulations: make test-quick leaves them out.
SLOW = (
    "tests/cli/", "tests/data/", "tests/fuzz/", "tests/null/", "tests/plots/",
    "tests/project/test_documentation", "tests/project/test_gallery", "tests/project/test_inter",
    "tests/properties/test_arguments", "tests/properties/test_levels", "tests/properties/test_pair",
    "tests/properties/test_rows", "tests/properties/test_same", "tests/properties/test_sources",
    "tests/report/test_page", "tests/reproduction/", "tests/sklearn/", "tests/test_demo",
    "tests/test_fuzz", "dask", "spark",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add a flag for the slow tests: `make test-all`."""
    parser.addoption("--exhaustive", action="store_true", help="run the exhaustive tests too")


@pytest.hookimpl(tryfirst=True)  # before syrupy, which finds unused files only if all is run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the exhaustive tests unless they are asked for, and mark the slow ones."""
    for item in items:
        if any(part in item.nodeid for part in SLOW):
            item.add_marker(pytest.mark.slow)
    if config.getoption("--exhaustive"):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """What a rendering was when it was last looked at: text, unless a test says otherwise."""
    return snapshot.use_extension(Text)
