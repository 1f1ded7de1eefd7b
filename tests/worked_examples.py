"""The sections of CONTRIBUTING.md, their tables and their worked examples."""

from __future__ import annotations

import re
from typing import Any

from tools import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Title -> text, of all sections.
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
TWO, SEVERAL, RANKINGS, RULES, NUMBERS = (
    SECTIONS[f"A new {title}"]
    for title in (
        "measure of two classes",
        "measure of several classes",
        "measure of rankings",
        "scoring rule of probabilities",
        "measure of numbers",
    )
)


def code_of(section: str) -> str:
    """Return the one example of a section."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(code)


def example(section: str, name: str, *modules: Any) -> Any:
    """Return a record of an example, which is run with the names of the files it belongs in."""
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    exec(code_of(section), names)
    return names[name]


def named(text: str) -> list[str]:
    """Return the words in the code font."""
    return re.findall(r"`(\w+)", text)


def rows(section: str) -> list[list[str]]:
    """Return the cells of the rows of a table of fields."""
    found = re.findall(r"^\| (`.*) \|$", section, flags=re.MULTILINE)
    return [row.split(" | ") for row in found]


def listed_fields(section: str) -> list[tuple[str, str]]:
    """Return the fields of a table, and what happens if each is left out."""
    return [(name, row[2]) for row in rows(section) for name in named(row[0])]
