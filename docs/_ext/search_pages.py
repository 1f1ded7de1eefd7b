"""Search finds the pages for users: by which words, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

# Pages for those who keep the project.
LEFT_OUT = {"decisions", "contributing", "maintenance", "changelog"}
# The words that people type, and the page that each of them should find first.
WORDS = {
    "install": ("install", "installation", "pip install", "requirements"),
    "quickstart": ("quickstart", "getting started", "tutorial"),
    "cheat-sheet": ("cheat sheet", "overview"),
    "labels": ("imbalanced", "imbalanced data", "class imbalance", "binary", "confusion matrix"),
    "several-classes": ("multiclass", "several classes", "class scores", "top-k accuracy"),
    "scores": ("probabilities", "calibration", "roc curve", "precision-recall curve", "threshold"),
    "numbers": ("regression", "numbers", "residuals"),
    "evaluation": ("report", "outcome", "clusters", "groups", "rows needed", "sample size"),
    "comparing": ("compare", "compare models", "compare two models", "mcnemar"),
    "references": ("time series", "forecast", "reference", "skill score"),
    "weights": ("weights", "sample weight", "sample_weight"),
    "scikit-learn": ("scikit-learn", "sklearn", "scorer", "cross-validation", "dummyclassifier"),
    "command-line": ("command line", "cli", "csv"),
    "pipelines": ("pipeline", "github actions", "pytest", "gate"),
    "scaling": ("pandas", "polars", "duckdb", "spark", "dask", "large data"),
    "ideas/draw": ("dutch draw", "baseline"),
    "ideas/intervals": ("confidence interval", "confidence intervals", "bootstrap"),
    "ideas/methods": ("p-value", "permutation test", "null distribution"),
    "ideas/reading": ("rescaled score", "dutch scaler"),
    "ideas/conclusions": ("multiple testing", "pitfalls"),
}


def add_words(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the words of a page into the index, below its title."""
    title, newline, rest = source[0].partition("\n")
    if page in WORDS:
        entries = ", ".join(f"! {word}" for word in WORDS[page])
        source[0] = f"{title}{newline}\n```{{index}} {entries}\n```\n{rest}"


def read_again(*_: Any) -> list[str]:
    """Return the pages with words: Sphinx forgets the entries of pages that did not change."""
    return list(WORDS)


def leave_out(app: Sphinx, env: BuildEnvironment) -> None:
    """Keep the words of some pages out of the search."""
    for page in env.found_docs:
        if page.partition("/")[0] in LEFT_OUT:
            env.metadata[page]["nosearch"] = True


def first_found(index: dict[str, Any], words: str) -> str:
    """Return the page that a search shows first, by Sphinx's weights of entries and titles."""
    best, found = 0.0, ""
    for weight, kind in ((100, "indexentries"), (15, "alltitles")):
        for text, places in index[kind].items():
            score = weight * len(words) / len(text) if words in text.lower() else 0.0
            if score > best:
                best, found = score, index["docnames"][places[0][0]]
    return found


def check(app: Sphinx, failure: Exception | None) -> None:
    """Warn, which fails a build, if a word finds another page first, or a page is not left out."""
    if failure is not None or app.builder.name != "html":
        return
    text = (Path(app.outdir) / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    wrong = [
        f"{word!r} finds {found!r} and not {page!r}"
        for page, words in WORDS.items()
        for word in words
        if (found := first_found(index, word)) != page
    ]
    titles = {index["docnames"][place[0]] for each in index["alltitles"].values() for place in each}
    wrong += [page for page in titles if page.partition("/")[0] in LEFT_OUT]
    if wrong:
        from sphinx.util import logging

        logging.getLogger(__name__).warning("search: %s", "; ".join(wrong))


def setup(app: Sphinx) -> dict[str, Any]:
    """Prepare the search, and look at what it finds."""
    app.connect("env-get-outdated", read_again)
    app.connect("source-read", add_words)
    app.connect("env-updated", leave_out)
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
