"""The page in a real browser: it loads nothing, sorts, filters, and is readable everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import baserate as br
from tools import BROWSER_FLAGS, CHROMIUM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: apt-get install chromium"
)

HOSTILE = "<script>alert(1)</script>"
RNG = np.random.default_rng(1)
NUMBERS = RNG.normal(20, 5, 80)
# What fails where text stands on too little contrast, is cut off, or is broken inside of a word.
_CONTRAST = """() => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const found = numbers(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0.99) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const isSeen = node.getClientRects().length && !node.closest("svg, script, style, .sr, .heat");
    if (!own || !isSeen) continue;
    const [a, b] = [light(numbers(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${node.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return poor;
}"""

# Words that are on two lines, and text that is beyond the edge of the window.
_BROKEN = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("script, style, svg, .sr, .skip")) continue;
    for (const { 0: word, index } of node.textContent.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = [...range.getClientRects()];
      const isOut = lines.some((line) => line.right > document.documentElement.clientWidth + 1);
      const isScrolled = node.parentElement.closest(".trio .scroll, .maps .scroll");
      const isBroken = new Set(lines.map((line) => line.top)).size > 1;
      if (isBroken || (isOut && !isScrolled)) found.push(word);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def report() -> br.Report:
    """A good model, a timid one with a hostile name, and one without predictions; two groups."""
    y_true = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 28
    timid = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0] + [1] * 2 + [0] * 28
    models = {"good": y_true, HOSTILE: timid, "silent": [0] * 40}
    return br.evaluate(y_true, models, ["ACC", "F1"], by=["north & <b>far</b>"] * 10 + ["b"] * 30)


def _open(browser: Browser, text: str, path: Path, **options: object) -> Page:
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(**options)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    return page


def test_it_loads_nothing_and_runs_no_name(
    browser: Browser, report: br.Report, tmp_path: Path
) -> None:
    """No request but for the page itself, no console message, and names are text."""
    path = tmp_path / "report.html"
    report.to_html(path)
    page = browser.new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert (complaints, requests) == ([], [path.as_uri()])
    assert page.locator(".answer th", has_text=HOSTILE).count() == 1
    assert page.locator(".grid th", has_text="north & <b>far</b>").count() == 1
    assert page.locator("script").count() == 1
    page.close()


def test_filtering_and_sorting(browser: Browser, report: br.Report, tmp_path: Path) -> None:
    """Every verdict is found by words and by its mark; headers sort, numbers as numbers."""
    page = _open(browser, report.to_html(), tmp_path / "r.html")
    shown = page.locator(".all tbody tr:visible")
    assert shown.count() == len(report)
    page.fill(".tools input", "good f1")
    assert shown.count() == 3
    assert page.inner_text(".tools output") == f"3 of {len(report)} shown"
    page.fill(".tools input", "")
    page.locator(".tools button", has_text="no better").click()
    assert shown.count() == len(report.failures)
    page.locator(".tools button", has_text="all").click()
    header = page.locator(".all thead th", has_text="Margin")
    place = header.evaluate("cell => cell.cellIndex")
    for order in ("ascending", "descending"):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == order
        values = page.eval_on_selector_all(
            ".all tbody tr", f"rows => rows.map(row => row.cells[{place}].dataset.v)"
        )
        known = [float(value) for value in values if value is not None]
        assert known == sorted(known, reverse=order == "descending")
        assert values[: len(known)] == [value for value in values if value is not None]
    page.close()


def test_without_scripts_and_in_print(browser: Browser, report: br.Report, tmp_path: Path) -> None:
    """All is there without JavaScript but for the filter, and a page prints without its tools."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    (tmp_path / "r.html").write_text(report.to_html(), encoding="utf-8")
    page.goto((tmp_path / "r.html").as_uri())
    assert page.locator(".all tbody tr").count() == len(report)
    assert not page.locator(".tools").is_visible()
    page.emulate_media(media="print")
    assert not page.locator(".theme").is_visible()
    assert len(page.pdf()) > 10_000
    context.close()


PAGES = {
    "models": lambda: br.evaluate(
        None,
        {
            "good": br.ConfusionMatrix(tp=110, fp=20, fn=29, tn=144),
            "a model with a long name, and averylongword": br.ConfusionMatrix(
                tp=40, fp=5, fn=99, tn=159
            ),
            "silent": br.ConfusionMatrix(fn=139, tn=164),
        },
        "all",
    ),
    "one": lambda: br.evaluate(None, br.ConfusionMatrix(tp=40, fp=5, fn=99, tn=159)),
    "classes": lambda: br.evaluate(list("abcabcaab") * 9, {"m": list("abcbbcaac") * 9}),
    "scores": lambda: br.evaluate([0, 1] * 20, {"m": RNG.random(40)}, ["AUC", "Brier"]),
    "numbers": lambda: br.evaluate(NUMBERS, {"m": NUMBERS + 1, "n": NUMBERS - 3}, ["RMSE", "MAE"]),
    "comparison": lambda: br.compare(
        [0, 1] * 60, {name: RNG.integers(0, 2, 120) for name in "abc"}, ["ACC", "F1"]
    ),
    "two models": lambda: br.compare([0, 1] * 60, {n: RNG.integers(0, 2, 120) for n in "ab"}),
    "groups": lambda: br.evaluate(
        [0, 1] * 60,
        {name: RNG.integers(0, 2, 120) for name in ("logistic regression", "boosting")},
        by=np.repeat(["Fairview", "Castle Park", "Elm Street"], 40),
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_it_is_readable(browser: Browser, name: str, tmp_path: Path) -> None:
    """In both themes text has a contrast of 4.5, and at 400 and 1,280 pixels nothing is cut."""
    text = PAGES[name]().to_html()
    for scheme in ("light", "dark"):
        page = _open(browser, text, tmp_path / "r.html", color_scheme=scheme)
        page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true; })")
        assert page.evaluate(_CONTRAST) == []
        for width in (400, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0
            assert page.locator("h1").is_visible()
            scores = page.locator(".answer td:has(.m) b")
            assert [score.is_visible() for score in scores.all()] == [True] * scores.count()
            assert page.evaluate(_BROKEN) == []
        page.close()


@pytest.mark.parametrize(("paper", "ink"), [("#fff", "#000"), ("#111", "#ddd")])
def test_a_notebook_has_its_own_colours(
    browser: Browser, report: br.Report, tmp_path: Path, paper: str, ink: str
) -> None:
    """The fragment takes the ink of its surroundings, and needs no script."""
    fragment = report._repr_html_()
    assert "<script" not in fragment
    text = f'<body style="background:{paper};color:{ink}">{fragment}</body>'
    page = _open(browser, text, tmp_path / "n.html")
    mixed = _CONTRAST.replace("getComputedStyle(node).color)", "painted(node))")
    page.evaluate("""() => { window.painted = (node) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = getComputedStyle(node).color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).join(" ");
      }; }""")
    assert page.evaluate(mixed) == []
    page.close()


def test_a_large_report_is_filtered(browser: Browser, report: br.Report, tmp_path: Path) -> None:
    """A page of thirty models in many groups shows as many verdicts as it says."""
    performances = [
        replace(report.verdicts[0].performance, model=f"model {model}", group=f"store {group}")
        for model in range(30)
        for group in range(80)
    ]
    verdicts = [replace(report.verdicts[0], performance=each) for each in performances]
    text = br.Report(tuple(verdicts)).to_html()
    assert len(text) < 20_000_000
    page = _open(browser, text, tmp_path / "r.html")
    page.locator("#every > summary").click()
    page.locator(".all tbody tr").first.wait_for()
    page.fill(".tools input", "store 7")
    assert "of 2000 shown" in page.inner_text(".tools output")
    page.close()
