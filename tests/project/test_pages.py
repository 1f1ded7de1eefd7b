"""What the pages name exists: files, targets of make, commands and extras."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from baserate.cli.program import program
from tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# What `make docs` writes is made of the others, and the changelog names what is gone.
BUILT = {"_build", "generated", "how-to", "measures", "errors.md", "stability.md"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "MAINTENANCE.md")),
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not BUILT & set(page.relative_to(ROOT).parts)
    ),
]
FOLDERS = "src|tests|docs|bench|mutation|reproduction"
_PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*|[\w./-]+\.(?:py|toml))`")


def _lacking(text: str) -> list[str]:
    """Return the paths that neither the repository nor the library has."""
    return [path for path in _PATH.findall(text) if not _exists(path)]


def _exists(path: str) -> bool:
    """Look for a path from either root, and for a bare name anywhere."""
    if (ROOT / path).exists() or (ROOT / "src" / "baserate" / path).exists():
        return True
    anywhere = (found for folder in FOLDERS.split("|") for found in (ROOT / folder).rglob(path))
    return "/" not in path and any(anywhere)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page: Path) -> None:
    """Every file, target, command and extra."""
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert _lacking(text) == []
    assert {*re.findall(r"(?<=`make )[\w-]+", text)} <= {*re.findall(r"(?m)^[\w-]+(?=:)", makefile)}
    assert {*re.findall(r"(?<=`baserate )\w+", text)} <= {*program.commands}
    extras = ",".join(re.findall(r"pip install '[\w./]*\[([\w,]+)\]'", text))
    assert {*filter(None, extras.split(","))} <= {*project["optional-dependencies"]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    """Every relative one, unless `make docs` writes what it leads to."""
    found = re.findall(r"\]\((?!\w+:)([\w./-]+)[#)]", page.read_text(encoding="utf-8"))
    targets = [(page.parent / target).resolve() for target in found if not target.endswith(".svg")]
    written = [target for target in targets if not BUILT & set(target.parts)]
    assert [target for target in written if not target.exists()] == []


PRIVATE = re.compile(
    r"\b(decks?|deal(s|t|ing)?|cards?|(un)?luck(y|ier)?|yardsticks?|plausibl\w+|laws?|voices?|harmless|"
    r"many looks|for free|(not|just) surely|how sure)\b",
    flags=re.IGNORECASE,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_has_the_words_of_the_field(page: Path) -> None:
    """Null distribution, guess, chance: no private words outside of code."""
    text = re.sub(r"(?s)^```.*?^```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE)
    assert [found.group() for found in PRIVATE.finditer(text)] == []


def test_a_missing_file_is_noticed() -> None:
    """With or without its folder."""
    assert _lacking("`words_of_old.py`, `tests/test_names.py` and `binary/optimum/none.py`") == [
        "words_of_old.py",
        "tests/test_names.py",
        "binary/optimum/none.py",
    ]
