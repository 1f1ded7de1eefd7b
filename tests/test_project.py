"""The project around the library: what newcomers read, and what they import."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import baserate as br

ROOT = Path(__file__).parent.parent


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_readme_examples_are_real() -> None:
    """The README's Python runs, and prints what the README says."""
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert result.attempted == 8
    assert result.failed == 0


@pytest.mark.parametrize(("page", "examples"), [("evaluation.md", 12), ("scaling.md", 5)])
def test_documentation_examples_are_real(page: str, examples: int) -> None:
    """So does the Python of the pages under docs."""
    path = str(ROOT / "docs" / page)
    result = doctest.testfile(path, module_relative=False, encoding="utf-8")
    assert result.attempted == examples
    assert result.failed == 0


def test_readme_fits_on_a_screen() -> None:
    """A newcomer reads one screen, and every file that it points to exists."""
    readme = _read("README.md")
    assert len(readme.splitlines()) <= 50
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", readme):
        assert (ROOT / target).exists()


def test_readme_commands_are_targets() -> None:
    """The commands of the README are targets of the Makefile, and on its help screen."""
    makefile = _read("Makefile")
    for target in re.findall(r"^\$ make (\w+)", _read("README.md"), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
        assert re.search(rf"^## {target} ", makefile, flags=re.MULTILINE)


def test_every_phony_target_is_on_the_help_screen() -> None:
    """The Makefile's comments are its help."""
    makefile = _read("Makefile")
    targets = re.findall(r"^\.PHONY: (\w+)", makefile, flags=re.MULTILINE)
    assert targets == re.findall(r"^## (\w+) ", makefile, flags=re.MULTILINE)


def test_public_names_are_the_promised_ones() -> None:
    """__all__ is complete, sorted and true."""
    promised = (
        "BaseRate Confusion MEASURES get_measure fbeta Measure DutchDraw expected_score baseline "
        "evaluate Report Verdict assert_beats_baseline datasets scan ConfusionStream"
    )
    assert set(promised.split()) <= set(br.__all__)
    for name in br.__all__:
        assert hasattr(br, name)
    public = {
        name
        for name, value in vars(br).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public == set(br.__all__) - {"datasets", "exceptions"}


def test_import_is_light() -> None:
    """Importing baserate imports numpy and no other package."""
    script = (
        "import sys, numpy; before = set(sys.modules); import baserate;"
        "print({name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = ast.literal_eval(run.stdout)
    assert loaded - set(sys.stdlib_module_names) == {"baserate"}


def test_version_is_the_same_everywhere() -> None:
    """The citation names the version that is installed."""
    assert f"version: {br.__version__}" in _read("CITATION.cff")


def test_decisions_are_listed() -> None:
    """The index of decisions has each record."""
    index = _read("docs/decisions/README.md")
    records = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("0*.md"))
    assert records == re.findall(r"\((0\d+[^)]*\.md)\)", index)


def test_every_public_thing_has_an_example() -> None:
    """Each public class and function shows how it is used, in an example that runs."""
    without = {"ThetaInterval", "Baseline", "Optimum", "Direction", "Measure", "Performance"}
    for name in set(br.__all__) - without - {"MEASURES", "datasets", "exceptions"}:
        assert ">>>" in (getattr(br, name).__doc__ or ""), name
