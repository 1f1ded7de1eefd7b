"""The page that `make paper` writes, which is no source of Sphinx, as part of the site."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = Path("paper") / "index.html"


def copy(app: Sphinx, error: Exception | None) -> None:
    """Put the page beside the one that links to it; it has its figures in it."""
    if error is None and app.builder.format == "html":
        target = Path(app.outdir) / PAGE
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / PAGE, target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy it when the other pages are there."""
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
