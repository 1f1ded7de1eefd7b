"""Renderings that are kept as files: what a reader sees, compared letter by letter.

``assert text == snapshot.use_extension(Markdown)`` compares with a file in ``__snapshots__``. What
should look otherwise is renewed by ``pytest --snapshot-update`` and read in the diff; a file that
no test asks for any more fails the run.
"""

from __future__ import annotations

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class Text(SingleFileSnapshotExtension):
    """One file of text for each rendering."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class Markdown(Text):
    """Tables as a host of repositories shows them."""

    file_extension = "md"


class Latex(Text):
    """Tables for a paper."""

    file_extension = "tex"


class Html(Text):
    """Parts of a page."""

    file_extension = "html"


class Xml(Text):
    """Reports for other programs."""

    file_extension = "xml"
