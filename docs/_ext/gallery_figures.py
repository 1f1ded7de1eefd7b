"""Save the figures of the gallery, with text for readers who cannot see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from sphinx_gallery.scrapers import matplotlib_scraper

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ALT = re.compile(r"(?<=:alt: ).*")


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the open figures, and describe each by the text on it."""
    words = iter([described(plt.figure(number)) for number in plt.get_fignums()])
    rst: str = matplotlib_scraper(block, block_vars, gallery_conf)
    return _ALT.sub(lambda found: next(words, found.group()), rst)


def described(figure: Figure) -> str:
    """Return the axes of a figure and the entries of its legends."""
    parts = []
    for ax in figure.axes:
        legend = ax.get_legend()
        entries = [text.get_text() for text in legend.get_texts()] if legend else []
        shown = f": {', '.join(entries)}" if entries else ""
        parts.append(" by ".join(filter(None, [ax.get_ylabel(), ax.get_xlabel()])) + shown)
    return " ".join("; ".join(parts).split())
