"""How Sphinx builds these pages: offline, with every warning an error."""

from __future__ import annotations

import sys
from pathlib import Path

import baserate

sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parent.parent)]

project = "baserate"
author = project_copyright = "The baserate developers"
version = release = baserate.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "mathml",
    "measure_pages",
    "idea_pictures",
    "error_pages",
    "paper_page",
    "stability",
    "search_pages",
]
exclude_patterns = ["_build", "_ext", "decisions/README.md", "gallery", "pictures"]
templates_path = ["_templates"]

# `name` in a docstring is a name of the library.
default_role = "py:obj"
# Two names that differ in their case only must not share a file where that does not count.
autosummary_filename_map = {"baserate.baseline": "baserate.baseline-function"}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
numpydoc_show_class_members = False
myst_enable_extensions = ["tasklist"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "how-to",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.Position",
    "image_scrapers": ("gallery_figures.scraper",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "default_thumb_file": str(Path(__file__).parent / "_static" / "icon.svg"),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 3600,  # times are for bench/
    "write_computation_times": False,
    "abort_on_example_error": True,
}

# A copied example has neither prompts nor what it prints.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "baserate"
html_favicon = "_static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["baserate.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "image_light": "_static/icon.svg",
        "image_dark": "_static/icon.svg",
        "text": "baserate",
    },
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# These have no pages below them to list at their side.
html_sidebars = {name: [] for name in ("index", "install", "quickstart", "cheat-sheet")}
