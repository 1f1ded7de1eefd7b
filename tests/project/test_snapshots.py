"""Renderings that are kept as files: each belongs to a test."""

from __future__ import annotations

import re

from tools import ROOT


def test_a_kept_rendering_belongs_to_a_test() -> None:
    """A file of tests that is removed or renamed takes its renderings along.

    Syrupy finds files that are not used only beside tests that use some.
    """
    for path in (ROOT / "tests").rglob("__snapshots__/*/*"):
        tests = path.parent.parent.with_name(f"{path.parent.name}.py")
        (name,) = re.findall(r"^\w+", path.name)
        assert f"def {name}(" in tests.read_text(encoding="utf-8"), path
