"""The HTML report in a real browser: it runs, loads nothing, sorts, filters and is readable."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
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
    assert page.locator(".br-matrix th", has_text="north & <b>far</b>").count() == 3
    assert page.locator("script").count() == 1


def test_the_picture_comes_first(page: Page, report: br.Report) -> None:
    """A reader first sees each score between worst draw, baseline and perfection."""
    first = page.locator("main section").first
    shown = first.locator(".br-card > figcaption > strong").all_inner_texts()
    informative = {verdict.measure for verdict in report.overall if verdict.informative}
    assert shown[: len(informative)] == [m for m in report.measures if m in informative]
    assert first.locator(".br-card").first.locator("li").count() == len(report.models)
    assert page.locator(".br-summary li").count() == 3


def test_pictures_place_the_score_and_its_interval(page: Page, report: br.Report) -> None:
    """Dot, interval and ticks are where the numbers say, in percent of the width."""
    verdict = report[HOSTILE, "ACC"]
    title = f"ACC of {HOSTILE}: 0.875, 95% interval"
    strip = page.locator(".br-card svg", has=page.locator("title", has_text=title))
    drawn = strip.evaluate(
        """svg => [svg.querySelector(".br-dot").getAttribute("cx"),
                   svg.querySelector(".br-range").getAttribute("x1"),
                   svg.querySelector(".br-range").getAttribute("x2"),
                   svg.querySelector(".br-base").getAttribute("x1")]"""
    )
    room = verdict.perfect - verdict.baseline
    below = verdict.baseline_max - verdict.baseline_min
    gains = (verdict.margin, verdict.margin_low, verdict.margin_high)
    places = [gain / (room if gain > 0 else below) for gain in [*gains, 0]]
    expected = [50 + 43 * min(place, 1) for place in places]
    assert [float(place.rstrip("%")) for place in drawn] == pytest.approx(expected, abs=0.01)


def test_a_tooltip_has_the_numbers(page: Page, report: br.Report) -> None:
    """The title of a picture has the score, the interval, the baseline, and what it means."""
    verdict = report["good", "F1"]
    title = page.locator(".br-card svg title", has_text="F1 of good").text_content()
    assert title == (
        f"F1 of good: 1.000, 95% interval {verdict.low:.3f} to 1.000; baseline "
        f"{verdict.baseline:.3f}, margin +{verdict.margin:.3f}, 95% interval "
        f"{verdict.margin_low:.3f} to {verdict.margin_high:.3f}, perfect 1.000, by luck "
        f"{verdict.luck_low:.3f} to {verdict.luck_high:.3f}. "
        "Clears the baseline; 100% of the way from the baseline to perfection."
    )


def test_findings(page: Page) -> None:
    """A model that is fine overall and fails in a group is pointed at, in short."""
    found = page.locator(".br-findings")
    assert "Fine overall, failing in a group" in found.inner_text()
    assert f"{HOSTILE} in group north" in found.inner_text()


def test_confusion_tables(page: Page) -> None:
    """The four counts of each model; one that predicts one class is called so."""
    rows = page.locator(".br-counts tbody tr").all_inner_texts()
    cells = [row.split("\t") for row in rows]
    assert cells[0] == ["good", "10", "0", "0", "30"]
    assert cells[1] == [HOSTILE, "6", "4", "1", "29"]
    assert cells[2] == ["silent predicts no positives", "0", "10", "0", "30"]


def test_the_standard_is_said(browser: Browser) -> None:
    """Alpha, the adjustment and the tries are in the page, and so is the level of intervals."""
    table = br.Confusion(tp=30, fp=10, fn=10, tn=50)
    report = br.evaluate(None, {"a": table}, "F1", alpha=0.1, adjust="bh", tries=20)
    page = browser.new_page()
    page.set_content(report.to_html())
    text = page.inner_text("main")
    assert (
        "Each claim is tested at the 10% level; p-values are adjusted by "
        "Benjamini and Hochberg; each model is the best of 20 tries."
    ) in text
    assert "90% interval" in text
    assert "Dutch Scaler" not in text
    page.close()


def test_title_and_notes(browser: Browser) -> None:
    """A page may have its own title and notes, shown as text."""
    report = br.evaluate(None, br.Confusion(tp=3, fp=1, fn=1, tn=5), "F1")
    page = browser.new_page()
    page.set_content(
        report.to_html(title="Q3 <b>", notes="One & two.\nStill one.\n\nThe <i>next</i>")
    )
    assert page.title() == page.inner_text("h1") == "Q3 <b>"
    assert page.locator(".br-notes").all_inner_texts() == [
        "One & two.\nStill one.", "The <i>next</i>",
    ]  # fmt: skip
    assert page.locator("header i").count() == 0
    page.set_content(report.to_html())
    assert page.locator(".br-notes").count() == 0
    page.close()


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
    assert _column(page, 2)[0].startswith("ACC")


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
    assert {"br-text", "br-outcome", "BUTTON", "br-no_evidence br-fails"} <= reached
    page.keyboard.press("Enter")
    assert page.locator("#br-verdicts th").first.get_attribute("aria-sort") == "ascending"


def test_strips_place_the_score(page: Page, report: br.Report) -> None:
    """The dot of a strip is at the rescaled score."""
    page.fill("#br-text", "good f1 overall")
    dot = page.locator("#br-verdicts tbody tr:visible .br-dot")
    assert dot.count() == 1
    assert report["good", "F1"].rescaled == 1
    assert dot.get_attribute("cx") == "93%"


def test_the_placeholder_is_not_cut(page: Page) -> None:
    """The words in the empty filter fit into it, on a phone too."""
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        room, needed = page.evaluate(
            """() => { const input = document.getElementById("br-text");
                const style = getComputedStyle(input);
                const pen = document.createElement("canvas").getContext("2d");
                pen.font = style.font;
                const inside = input.clientWidth - parseFloat(style.paddingLeft) * 2;
                return [inside, pen.measureText(input.placeholder).width]; }"""
        )
        assert needed <= room


OUTCOMES = {
    "good": br.Confusion(tp=110, fp=20, fn=29, tn=144),
    "timid": br.Confusion(tp=40, fp=5, fn=99, tn=159),
    "coin": br.Confusion(tp=70, fp=78, fn=69, tn=86),
    "swapped": br.Confusion(tp=29, fp=144, fn=110, tn=20),
    "silent": br.Confusion(fn=139, tn=164),
}

# The lowest contrast of any text with what is painted behind it, by WCAG 2.
CONTRAST = """() => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const painted = (colors) => {
    pen.clearRect(0, 0, 1, 1);
    for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const papers = [];
    for (let at = element; at; at = at.parentElement) {
      papers.unshift(getComputedStyle(at).backgroundColor);
    }
    return ["white", ...papers];
  };
  const texts = document.createTreeWalker(document.querySelector(".baserate"), 4);
  let worst = [99, ""];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (["TITLE", "STYLE", "SCRIPT", "OPTION"].includes(element.tagName.toUpperCase())) continue;
    const papers = behind(element);
    const [ink, paper] = [[...papers, getComputedStyle(element).color], papers]
      .map(painted).map(luminance);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < worst[0]) worst = [contrast, element.className + ": " + element.textContent];
  }
  return worst;
}"""


@pytest.fixture(scope="module")
def every_outcome() -> br.Report:
    """A report with every outcome of what comes for free, in groups too, one of them too small."""
    y_true = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 28 + [0]
    y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0] + [1] * 2 + [0] * 28 + [0]
    by = ["north"] * 10 + ["south"] * 30 + ["tiny"]
    grouped = br.evaluate(y_true, {"m": y_pred}, ["F1", "ACC", "TPR"], by=by)
    whole = br.evaluate(None, OUTCOMES, ["F1", "ACC", "MCC", "TPR"])
    assert {verdict.outcome for verdict in [*whole, *grouped]} == {*br.Outcome} - {br.Outcome.WORSE}
    return br.Report(whole.verdicts + grouped.verdicts)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser: Browser, every_outcome: br.Report, scheme: str) -> None:
    """Colours follow the reader's setting, and every text is readable: WCAG AA."""
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_content(every_outcome.to_html())
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 600) == (scheme == "light")
    worst, where = page.evaluate(CONTRAST)
    assert worst >= 4.5, where
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reference_in_light_and_dark(browser: Browser, scheme: str) -> None:
    """So is a report against another model, with one that is better, one worse and one unsure."""
    y_true = [1] * 30 + [0] * 30
    right, wrong, half = y_true, [1 - label for label in y_true], [1] * 60
    models = {"right": right, "wrong": wrong, "like it": [*half[:-1], 0]}
    report = br.evaluate(y_true, models, "ACC", reference={"all": half})
    outcomes = [br.Outcome.CLEARS, br.Outcome.WORSE, br.Outcome.UNSURE]
    assert [verdict.outcome for verdict in report] == outcomes
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_content(report.to_html())
    worst, where = page.evaluate(CONTRAST)
    assert worst >= 4.5, where
    page.close()


# What each notebook puts around an output: attributes of the page, and styles.
NOTEBOOKS = {
    "JupyterLab, light": (
        '<body data-jp-theme-light="true">',
        "body { --jp-content-font-color1: rgba(0, 0, 0, 0.87); background: white; }",
    ),
    "JupyterLab, dark": (
        '<body data-jp-theme-light="false">',
        """body { --jp-content-font-color1: white; background: #111111; }
           .jp-RenderedHTMLCommon { color: var(--jp-content-font-color1); }
           .jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: #212121; }""",
    ),
    "VS Code, dark": (
        '<body class="vscode-dark">',
        "body { --vscode-editor-foreground: #d4d4d4; background: #1e1e1e; }",
    ),
    "VS Code, light": (
        '<body class="vscode-light">',
        "body { --vscode-editor-foreground: #000000; background: #ffffff; }",
    ),
    "Colab, dark": (
        '<html theme="dark"><body>',
        "html[theme=dark] { --colab-primary-text-color: #d5d5d5; background: #1e1e1e; }",
    ),
    "Colab, light": ("<html><body>", "html { background: #ffffff; color: #212121; }"),
    "classic": ("<body>", "body { background: white; color: black; }"),
    "unknown, dark": ("<body>", "body { background: #202428; color: #e6e6e6; }"),
}


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_colours_follow_the_notebook(
    browser: Browser, every_outcome: br.Report, notebook: str
) -> None:
    """In a notebook every text is readable on its theme, whatever the system's theme is."""
    opening, style = NOTEBOOKS[notebook]
    page = browser.new_page()
    page.set_content(
        f"<!DOCTYPE html><style>{style}</style>{opening}"
        f'<div class="jp-RenderedHTMLCommon">{every_outcome._repr_html_()}</div>'
    )
    found = []
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)  # type: ignore[arg-type]
        found.append(page.evaluate(CONTRAST))
    assert found[0] == found[1]
    assert found[0][0] >= 4.5, found
    paper = page.evaluate("() => getComputedStyle(document.querySelector('.baserate')).background")
    assert paper.startswith("rgba(0, 0, 0, 0)")
    page.close()


@pytest.mark.skipif(
    importlib.util.find_spec("nbconvert") is None, reason="nbconvert is not installed"
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_in_jupyter(browser: Browser, every_outcome: br.Report, theme: str) -> None:
    """As Jupyter's own converter shows it, with JupyterLab's styles, against the system's theme."""
    from nbconvert import HTMLExporter
    from nbformat import v4

    output = v4.new_output("display_data", {"text/html": every_outcome._repr_html_()})
    notebook = v4.new_notebook(cells=[v4.new_code_cell("report", outputs=[output])])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    shown, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    page = browser.new_page(color_scheme="dark" if theme == "light" else "light")
    page.route("**/*", lambda route: route.abort())  # Jupyter's scripts from elsewhere
    page.set_content(shown, wait_until="domcontentloaded")
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if theme == "light" else "rgb(17, 17, 17)")
    worst, where = page.evaluate(CONTRAST)
    assert worst >= 4.5, where
    page.close()


@pytest.fixture(scope="module")
def stores(browser: Browser) -> Iterator[Page]:
    """The report of thirty stores, three models and seven measures."""
    y_true = [1, 0, 0, 1, 0, 0, 0] * 60 * 3
    half = [label if place % 3 else 0 for place, label in enumerate(y_true)]
    models = {"logistic regression": half, "forest": y_true, "all": [1] * len(y_true)}
    by = [f"store {place // 42:02d}" for place in range(len(y_true))]
    report = br.evaluate(y_true, models, by=by)
    page = _open(browser, replace(report, by="store"), 1280)
    yield page
    page.close()


def _open(browser: Browser, report: br.Report, width: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(report.to_html())
    return page


@pytest.mark.parametrize("width", [1280, 1500, 1920])
def test_every_verdict_fits(stores: Page, width: int) -> None:
    """No column of any table is cut on a laptop or on a larger screen."""
    stores.set_viewport_size({"width": width, "height": 900})
    cut = stores.locator(".br-scroll").evaluate_all(
        "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"
    )
    assert cut == []


@pytest.mark.parametrize("width", [360, 768])
def test_names_stay(stores: Page, width: int) -> None:
    """Where the table scrolls, model, measure and group stay in sight, beside each other."""
    stores.set_viewport_size({"width": width, "height": 900})
    assert stores.evaluate("() => document.documentElement.scrollWidth") <= width
    box = stores.locator(".br-box")
    box.evaluate("box => { box.scrollLeft = 9999; box.scrollTop = 500; }")
    assert box.evaluate("box => box.scrollLeft") > 100
    names = stores.locator("#br-verdicts tbody tr").nth(20).locator(".br-name")
    boxes = [names.nth(place).bounding_box() for place in range(3)]
    edges = [(at["x"], at["x"] + at["width"]) for at in boxes if at is not None]
    assert [round(start) for start, _ in edges[1:]] == [round(end) for _, end in edges[:2]]
    assert edges[0][0] >= 0
    assert edges[2][1] < 0.6 * width
    top, header = box.bounding_box(), stores.locator("#br-verdicts th").first.bounding_box()
    assert top is not None
    assert header is not None
    assert header["y"] == pytest.approx(top["y"], abs=1)


def test_thirty_groups_are_a_matrix(stores: Page) -> None:
    """Groups are rows, one table a model, and a store is not called "store store 03"."""
    stores.set_viewport_size({"width": 1280, "height": 900})
    assert stores.locator(".br-matrix").count() == 3
    assert stores.locator(".br-matrix").first.locator("tbody tr").count() == 30
    groups = stores.locator("section[aria-labelledby=groups]").bounding_box()
    assert groups is not None
    assert groups["height"] < 3500
    assert stores.evaluate("() => document.documentElement.scrollHeight") < 7500
    assert "store store" not in stores.content()


def test_small_groups_are_warned_of(browser: Browser, every_outcome: br.Report) -> None:
    """A group on which nothing can be shown is said to be too small, and comes last."""
    page = _open(browser, every_outcome, 1280)
    warning = page.locator(".br-warning").inner_text()
    assert "group tiny is too small to show that a model learned: even" in warning
    assert page.locator(".br-matrix tbody tr").last.locator("th").inner_text() == "tiny too small"
    page.close()


def test_one_score_and_huge_counts(browser: Browser) -> None:
    """One model by one measure, and counts of 10¹², have the width of the window."""
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    huge = br.Confusion(tp=2 * 10**11, fp=10**11, fn=10**11, tn=6 * 10**11)
    for report in (
        br.evaluate(None, br.Confusion(tp=5, fp=1, fn=2, tn=9), "F1"),
        br.evaluate(None, {"a model": huge, "b": huge}, [cost, "TP", "ACC"]),
    ):
        page = _open(browser, report, 360)
        for width in (360, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            broken = page.locator(".br-value b").evaluate_all(
                "all => all.filter(each => each.getClientRects().length > 1).length"
            )
            assert broken == 0
        page.close()


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
    assert page.locator(".br-panel").count() == 4  # the whole test set, and groups of three models
    assert page.locator(".br-card").count() == len(report.measures)
    assert "the baseline" in (page.locator("td.br-no_evidence").first.get_attribute("title") or "")
    page.close()
