"""The files of the reproduction."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from baserate.exceptions import MissingDependencyError, UnwritableFileError
from baserate.paper.html import render_html
from baserate.paper.latex import render_latex
from baserate.paper.reproduction import reproduce
from baserate.report.recognition import is_report, require_free
from baserate.support.serialising import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEEDED = ("sklearn", "matplotlib", "latex2mathml")
_WIDTH = 100
_FILES = ("index.html", "paper.tex", "cleveland.png", "splits.png", "g2.png")


def write_paper(folder: str, splits: int, seed: int, *, force: bool = False) -> list[str]:
    """Compute everything, write it to a folder, and return what there is to say.

    Parameters
    ----------
    folder
        Where to write; it is made if it is not there.
    splits, seed
        How many splits, and the seed of the first.
    force
        Whether files of somebody else are overwritten.
    """
    _require_packages()
    if not force:
        _require_free(Path(folder))
    from baserate.paper.pictures import pictures

    _made(folder)
    found = reproduce(splits, seed)
    drawn = pictures(found)
    page, document = render_html(found, drawn), render_latex(found)
    files = dict(zip(_FILES, (page.encode(), document.encode(), *drawn.values()), strict=True))
    _written(folder, files)
    where = f"{folder} has {', '.join(files)}."
    return [where, *(textwrap.fill(sentence, _WIDTH) for sentence in found.splits.answer)]


def _require_packages() -> None:
    """Raise before the work begins, rather than after it, if something is not installed."""
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingDependencyError.package("'baserate[paper]'", "the paper")


def _require_free(folder: Path) -> None:
    """Raise if files are there that are not ours: of a folder, its page tells."""
    page = folder / _FILES[0]
    if not (page.is_file() and is_report(page)):
        require_free(str(folder / name) for name in _FILES)


def _made(folder: str) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableFileError.because(folder, error) from None


def _written(folder: str, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        write_file(Path(folder) / name, content)
