"""Copy the page that `make paper` writes, which is not a Sphinx source, into the site."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = Path("paper") / "index.html"


def copy(app: Sphinx, error: Exception | None) -> None:
    """Copy the page next to the one that links to it; its figures are inline."""
    if error is None and app.builder.format == "html":
        target = Path(app.outdir) / PAGE
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / PAGE, target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy the page after the others are built."""
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
