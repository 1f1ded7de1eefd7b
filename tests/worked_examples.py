"""The worked examples of CONTRIBUTING.md."""

from __future__ import annotations

import re
from typing import Any

from tools import ROOT

EXAMPLES: list[str] = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def example(name: str, *modules: Any) -> Any:
    """Return a record of an example, which is run with the names of the files it belongs in."""
    (code,) = (each for each in EXAMPLES if f"\n{name} = " in f"\n{each}")
    names: dict[str, Any] = {}
    for module in modules:
        names |= vars(module)
    exec(code, names)
    return names[name]
