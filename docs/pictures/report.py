"""Take the picture of the demo's report with Chromium: `python docs/pictures/report.py`."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from baserate import demo

HERE = Path(__file__).parent
# What a reader sees first; the report goes on below.
SIZE = {"width": 1100, "height": 1290}


def main() -> None:
    """Write the report to a file, open it, and save what shows."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        demo.run().to_html(report)
        picture = _screenshot(report)
    picture.quantize(64).save(HERE / "report.png", optimize=True)


def _screenshot(page_file: Path) -> Image.Image:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(page_file.as_uri())
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    return picture


if __name__ == "__main__":
    main()
