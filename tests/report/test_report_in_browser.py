"""The HTML report in a real browser: it runs, loads nothing, sorts, filters and is readable."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    return br.evaluate(y_true, models, by=["north & <b>far</b>"] * 10 + ["south"] * 30)


@pytest.fixture
def page(browser: Browser, report: br.Report, tmp_path: Path) -> Iterator[Page]:
    """The report, opened from a file; any console message fails the test."""
    path = tmp_path / "report.html"
    report.to_html(path)
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    requests: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(path.as_uri())
    yield opened
    opened.close()
    assert complaints == []
    assert requests == [path.as_uri()]


def _visible_rows(page: Page) -> int:
    return page.locator("#br-verdicts tbody tr:visible").count()


def _column(page: Page, place: int) -> list[str]:
    cells = page.locator(f"#br-verdicts tbody tr:visible > :nth-child({place})")
    return cells.evaluate_all("cells => cells.map(cell => cell.dataset.sort ?? cell.innerText)")


def test_names_are_shown_and_not_run(page: Page) -> None:
    """A model or a group whose name is a script or markup shows as text."""
    header = page.locator(".br-panel thead th", has_text=HOSTILE).first
    assert header.inner_text() == HOSTILE
    assert page.locator("caption", has_text="north & <b>far</b>").count() == 1
    assert page.locator("script").count() == 1


def test_findings_come_first(page: Page) -> None:
    """The first thing a reader sees is a model that is fine overall and fails in a group."""
    first = page.locator("main section").first
    assert "Fine overall, failing in a group" in first.inner_text()
    assert f"{HOSTILE} in group north" in first.inner_text()
    assert page.locator(".br-summary li").count() == 3


def test_sorting(page: Page, report: br.Report) -> None:
    """A header sorts its column up and down, numbers as numbers, undefined values last."""
    header = page.locator("#br-verdicts thead th", has_text="Margin")
    place = header.evaluate("cell => cell.cellIndex") + 1
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    values = _column(page, place)
    known = [float(value) for value in values if value]
    assert known == sorted(known)
    assert len(known) < len(values) == len(report)
    assert all(value == "" for value in values[len(known) :])
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    values = _column(page, place)
    assert [float(value) for value in values if value] == sorted(known, reverse=True)
    assert values[-1] == ""
    by_name = page.locator("#br-verdicts thead th", has_text="Measure")
    by_name.locator("button").click()
    assert header.get_attribute("aria-sort") == "none"
    assert _column(page, 3)[0].startswith("ACC")


def test_filtering(page: Page, report: br.Report) -> None:
    """The table can be filtered by words and by outcome, and shows the count."""
    assert _visible_rows(page) == len(report)
    page.fill("#br-text", "good f1")
    assert _visible_rows(page) == 3
    assert page.locator("#br-count").inner_text() == f"3 of {len(report)} verdicts"
    page.fill("#br-text", "group south acc")
    assert _visible_rows(page) == 6  # ACC and BACC of three models
    page.fill("#br-text", "")
    page.select_option("#br-outcome", "fails")
    assert _visible_rows(page) == len(report.failures)
    page.select_option("#br-outcome", "undefined")
    undefined = [verdict for verdict in report if verdict.outcome is br.Outcome.UNDEFINED]
    assert _visible_rows(page) == len(undefined)
    page.fill("#br-text", "nobody")
    assert _visible_rows(page) == 0


def test_explanations_on_hover_and_focus(page: Page) -> None:
    """A failing cell says why, on hover and on focus, inside the window."""
    cell = page.locator(".br-panel td.br-learned, .br-panel td.br-no_evidence").last
    tip = cell.locator(".br-tip")
    assert not tip.is_visible()
    cell.hover()
    assert tip.is_visible()
    assert "the baseline" in tip.inner_text()
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    cell.focus()
    assert tip.is_visible()
    box = tip.bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 900
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_the_keyboard_reaches_everything(page: Page) -> None:
    """Tab reaches failing cells, filters and sort buttons; Enter sorts."""
    reached = set()
    for _ in range(400):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => document.activeElement.id || document.activeElement.className"
            " || document.activeElement.tagName"
        )
        reached.add(name)
        if name == "BUTTON":
            break
    assert {"br-text", "br-outcome", "BUTTON", "br-no_evidence"} <= reached
    page.keyboard.press("Enter")
    assert page.locator("#br-verdicts th").first.get_attribute("aria-sort") == "ascending"


def test_strips_place_the_score(page: Page, report: br.Report) -> None:
    """The dot of a strip is at the rescaled score."""
    page.fill("#br-text", "good f1 overall")
    dot = page.locator("#br-verdicts tbody tr:visible .br-dot")
    assert dot.count() == 1
    assert float(dot.get_attribute("cx") or "") == report["good", "F1"].rescaled == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(page: Page, scheme: str) -> None:
    """Colours follow the reader's setting, and keep their contrast."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    paper, ink = (
        page.evaluate(f"() => getComputedStyle(document.body).{what}")
        for what in ("backgroundColor", "color")
    )
    lightness = [sum(map(int, color[4:-1].split(","))) / 3 for color in (paper, ink)]
    assert (lightness[0] > 200) == (scheme == "light")
    assert abs(lightness[0] - lightness[1]) > 180


def test_on_a_phone(page: Page) -> None:
    """The page fits a phone; only tables scroll."""
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_a_very_long_name_on_a_phone(browser: Browser) -> None:
    """The name wraps, and the layout stays intact."""
    table = br.Confusion(tp=3, fp=1, fn=1, tn=5)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_content(br.evaluate(None, {"x" * 80: table}, "F1").to_html())
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.close()


def test_in_print(page: Page) -> None:
    """Filters and tips are not printed, and no table is cut off."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1030, "height": 700})  # A4 landscape without margins
    assert not page.locator(".br-filters").is_visible()
    assert page.evaluate("() => document.getElementById('br-verdicts').offsetWidth") <= 1030


def test_the_notebook_s_fragment(browser: Browser, report: br.Report) -> None:
    """In a notebook: sentences and tables, escaped, without a script."""
    fragment = report._repr_html_()
    assert "<script" not in fragment
    page = browser.new_page()
    page.set_content(fragment)
    assert page.locator(".br-panel").count() == 3
    assert "the baseline" in (page.locator("td.br-no_evidence").first.get_attribute("title") or "")
    page.close()
