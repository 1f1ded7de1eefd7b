"""How long a browser takes for the page of 30 models in 5,000 groups: `python bench/browser.py`.

It needs playwright and a Chromium, and asserts nothing. The goal is 3 seconds for each action.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS, GROUPS = 30, 5000
# Until what an action changed is on the screen.
_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def large_report() -> br.Report:
    """Return a report of many verdicts, every tenth of which is a failure."""
    good, poor = (
        br.ConfusionMatrix(tp=14, fp=5, fn=6, tn=15),
        br.ConfusionMatrix(tp=9, fp=11, fn=11, tn=9),
    )
    better, worse = (br.evaluate(None, each, "ACC").verdicts[0] for each in (good, poor))
    found = []
    for place in range(MODELS * (GROUPS + 1)):
        model, group = divmod(place, GROUPS + 1)
        verdict = worse if place % 10 == 9 else better
        named = f"store {group}" if group else None
        who = replace(verdict.performance, model=f"model {model}", group=named)
        found.append(replace(verdict, performance=who))
    return br.Report(tuple(found), by="store")


def main() -> None:
    """Time what a reader does, one action after another."""
    report = large_report()
    start = time.perf_counter()
    text = report.to_html()
    print(f"{len(report):,} verdicts: written in {time.perf_counter() - start:.1f} s,", end=" ")
    print(f"{len(text) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "report.html")
        path.write_text(text, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        actions: dict[str, Callable[[], object]] = {
            "open": lambda: page.goto(path.as_uri()),
            "unfold every verdict": lambda: page.locator("#every > summary").click(),
            "filter by name": lambda: page.fill(".tools input", "store 7"),
            "filter by mark": lambda: page.locator(".tools button", has_text="no better").click(),
            "all again": lambda: page.locator(".tools button", has_text="all").click(),
            "sort": page.locator(".all thead button").last.click,
        }
        for name, act in actions.items():
            start = time.perf_counter()
            act()
            page.evaluate(_PAINTED)
            print(f"{name}: {time.perf_counter() - start:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
