"""The project around the library: what newcomers read and import."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys

import pytest

import baserate as br
from tools import ROOT


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_readme_examples_are_real() -> None:
    """The README's Python runs, and prints what the README shows."""
    result = doctest.testfile(
        str(ROOT / "README.md"),
        module_relative=False,
        encoding="utf-8",
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    assert result.attempted > 0
    assert result.failed == 0


def test_readme_links_are_alive() -> None:
    """Every file that the README points to exists."""
    readme = _read("README.md")
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", readme):
        assert (ROOT / target).exists()


def test_every_phony_target_is_on_the_help_screen() -> None:
    """The Makefile's comments are its help screen."""
    makefile = _read("Makefile")
    targets = re.findall(r"^\.PHONY: ([\w-]+)", makefile, flags=re.MULTILINE)
    assert targets == re.findall(r"^## ([\w-]+) ", makefile, flags=re.MULTILINE)


def test_names_that_are_not_public() -> None:
    """`dir` and `import *` have the same names, and another one is an error."""
    assert set(br.__all__) == set(dir(br)) - {"__version__"}
    with pytest.raises(AttributeError, match="module 'baserate' has no attribute 'basline'"):
        br.basline  # noqa: B018


def test_no_module_hides_a_public_name() -> None:
    """Importing a submodule makes it an attribute of the package, so their names must differ."""
    modules = {path.stem for path in (ROOT / "src" / "baserate").iterdir()}
    assert modules & set(br.__all__) == {"datasets", "exceptions", "plots", "sklearn"}


@pytest.mark.parametrize(
    ("statement", "packages"),
    [
        ("import baserate", {"baserate"}),
        ("import baserate; dir(baserate)", {"baserate"}),
        ("from baserate import *", {"baserate", "numpy"}),
    ],
)
def test_import_is_light(statement: str, packages: set[str]) -> None:
    """Importing baserate imports nothing else, and all its names import only numpy."""
    script = f"import sys; {statement}; print({{name.partition('.')[0] for name in sys.modules}})"
    command = [sys.executable, "-I", "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    started = subprocess.run(
        [*command[:-1], script.replace(statement, "pass")],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = ast.literal_eval(run.stdout) - ast.literal_eval(started.stdout)
    assert loaded - set(sys.stdlib_module_names) == packages


def test_version_is_the_same_everywhere() -> None:
    """The citation names the installed version."""
    assert f"version: {br.__version__}" in _read("CITATION.cff")


def test_decisions_are_listed() -> None:
    """The index of decisions lists every record."""
    index = _read("docs/decisions/README.md")
    records = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("0*.md"))
    assert records == re.findall(r"\((0\d+[^)]*\.md)\)", index)


def test_the_map_of_the_project_is_complete() -> None:
    """MAINTENANCE.md names every package of the library."""
    named = set(re.findall(r"`(\w+)/?`", _read("MAINTENANCE.md").replace("src/baserate/", "")))
    package = ROOT / "src" / "baserate"
    modules = {path.stem for path in package.iterdir() if not path.name.startswith(("_", "py."))}
    assert modules <= named


def test_every_public_thing_has_an_example() -> None:
    """Each public class and function has an example that runs."""
    without = {"MEASURES", "Measure", "NullDistribution", "__version__"}
    without |= {"datasets", "exceptions", "plots", "sklearn"}
    for name in set(dir(br)) - without:
        assert ">>>" in (getattr(br, name).__doc__ or ""), name


def test_a_kept_rendering_belongs_to_a_test() -> None:
    """A file of tests that is removed or renamed takes its renderings along.

    Syrupy finds files that are not used only beside tests that use some.
    """
    for path in (ROOT / "tests").rglob("__snapshots__/*/*"):
        tests = path.parent.parent.with_name(f"{path.parent.name}.py")
        (name,) = re.findall(r"^\w+", path.name)
        assert f"def {name}(" in tests.read_text(encoding="utf-8"), path
