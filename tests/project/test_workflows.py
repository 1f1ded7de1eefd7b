"""The files for a host: workflows, the gate as an action, and the hook for pre-commit."""

from __future__ import annotations

import re
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from baserate.cli.program import program
from terminal import PLAIN
from tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FILES = [*WORKFLOWS, ROOT / "action.yml"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ROWS = ["y,tree"] + 30 * ["1,1"] + 10 * ["1,0"] + 50 * ["0,0"] + 10 * ["0,1"]


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _steps(path: Path) -> list[dict[str, Any]]:
    """Return the steps of all jobs, or of an action."""
    content = _read(path)
    jobs = [content["runs"]] if "runs" in content else content["jobs"].values()
    return [step for job in jobs for step in job.get("steps", ())]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_scripts_have_no_expressions(path: Path) -> None:
    """What an expression stands for would be part of the script: it belongs in a variable."""
    steps = _steps(path)
    assert steps
    assert not [step for step in steps if "${{" in step.get("run", "")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_make_what_there_is(path: Path) -> None:
    """Their commands are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, flags=re.MULTILINE))
    scripts = "\n".join(step.get("run", "") for step in _steps(path))
    made = re.findall(r"^make ([\w-]+)", scripts, flags=re.MULTILINE)
    assert made or path.name == "release.yml"
    assert set(made) <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_little(path: Path) -> None:
    """By default they may read; actions have a major version; nobody has a secret."""
    assert _read(path)["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text(encoding="utf-8")
    for step in _steps(path):
        assert re.fullmatch(r"[\w/-]+@(release/)?v\d+", step.get("uses", "its/own@v1"))


def test_the_matrix_is_what_the_package_promises() -> None:
    """Every Python with a classifier is tested, from the oldest that can install the package."""
    tested = _read(ROOT / ".github/workflows/tests.yml")["jobs"]["test"]["strategy"]["matrix"]
    named = "\n".join(PROJECT["classifiers"])
    assert PROJECT["requires-python"] == f">={tested['python'][0]}"
    assert {*re.findall(r"Python :: (3\.\d+)$", named, re.MULTILINE)} <= {*tested["python"]}


def test_the_action_offers_what_the_program_does() -> None:
    """An input for each option of `baserate check` but those of the output; all have a variable."""
    action = _read(ROOT / "action.yml")
    options = {param.opts[-1].lstrip("-") for param in program.commands["check"].params}
    offered = options - {"format", "output", "force", "help"}
    assert {*action["inputs"]} == offered | {"version"}
    variables = "".join(
        value for step in _steps(ROOT / "action.yml") for value in step["env"].values()
    )
    assert {*re.findall(r"inputs\.([\w-]+)", variables)} == {*action["inputs"]}


def _gate(folder: Path, before: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action as a host does, on these inputs."""
    step = _steps(ROOT / "action.yml")[-1]
    given = {"files": "preds.csv", "truth": "y", "measure": "F1", **inputs}
    asked = {name: re.findall(r"inputs\.([\w-]+)", value)[0] for name, value in step["env"].items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", before + step["run"]],
        cwd=folder,
        env=PLAIN | {name: given.get(found, "") for name, found in asked.items()},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_action_is_the_gate(tmp_path: Path) -> None:
    """It passes with evidence, fails with an annotation without, and takes lists by lines."""
    (tmp_path / "preds.csv").write_text("\n".join([*ROWS, ""]))
    run = _gate(tmp_path, model="tree\n", measure="F1\nMCC\n")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith("2 of 2 verdicts passed.\n")
    run = _gate(tmp_path, model="tree", margin="0.5", alpha="0.01", task="binary")
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.startswith("::error title=F1 of tree failed::")


@pytest.mark.parametrize(
    "name", ["$(touch caught)", "`touch caught`", "a; touch caught", "--force"]
)
def test_inputs_of_the_action_are_not_commands(tmp_path: Path, name: str) -> None:
    """Whatever an input says, it is one word to the program: a column or a file."""
    run = _gate(tmp_path, "baserate() { printf '%s\n' \"$@\"; }\n", files=name, truth=name)
    words = ["check", "--format=github", f"--truth={name}", "--measure=F1", "--", name]
    assert run.stdout.splitlines() == words
    assert not [*tmp_path.iterdir()]


def test_the_hook_is_a_command_of_the_program() -> None:
    """It comes with what the program needs, and its arguments are the user's."""
    (hook,) = _read(ROOT / ".pre-commit-hooks.yaml")
    first, second = hook["entry"].split()
    assert first in PROJECT["scripts"]
    assert second in program.commands
    (extra,) = re.fullmatch(r"\.\[(\w+)\]", *hook["additional_dependencies"]).groups()
    assert extra in PROJECT["optional-dependencies"]
    assert not hook["pass_filenames"]
