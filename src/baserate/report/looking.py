"""What reports and comparisons share: looking up, reading, and all renderings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from baserate.exceptions import (
    InvalidReportError,
    MissingFileError,
    NotInReportError,
)
from baserate.formatting import listed, shown
from baserate.records import write_file
from baserate.tasks import keys_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from os import PathLike
    from pathlib import Path

    from baserate.report.document import Document

T = TypeVar("T")


class Rendered:
    """A collection that is written as text, Markdown, LaTeX and HTML, all from one document."""

    def document(self) -> Document:
        """Return all that is said of it, which renderers format."""
        raise NotImplementedError

    def to_markdown(self, path: str | PathLike[str] | None = None) -> str:
        """Return it as Markdown, and write it to a file if a path is given."""
        from baserate.report.markdown import render

        return written(render(self.document()), path)

    def to_latex(self, path: str | PathLike[str] | None = None) -> str:
        r"""Return it as LaTeX tables, and write it to a file if a path is given.

        The document needs ``\usepackage{booktabs}`` and nothing else.
        """
        from baserate.report.latex import render

        return written(render(self.document()), path)

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        notes: str | None = None,
    ) -> str:
        """Return it as a self-contained page, and write it to a file if a path is given.

        The page loads no other resource, so it can be mailed, archived and opened offline.

        Parameters
        ----------
        path
            The file to write.
        title
            What the data are, above the answer.
        notes
            What the reader should know first, such as where the data came from. It is plain text;
            a blank line starts a paragraph.
        """
        from baserate.report.html import render_page

        return written(render_page(self.document(), title, notes), path)

    def __str__(self) -> str:
        from baserate.report.text import render

        return render(self.document())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from baserate.report.html import render_fragment

        return render_fragment(self.document())


def absent(
    kind: str, name: object, known: Iterable[object], where: str = "report"
) -> NotInReportError:
    """Return the error about a name that a report, or a comparison, does not have."""
    has = f"it has {listed(known, most=12)}"
    return NotInReportError(f"the {where} has no {kind} {shown(name)} ({has})")


def looked_up(known: dict[Any, T], key: object) -> T | None:
    """Return the value of a key, or None; a key that is not hashable, such as a list, has none."""
    try:
        return known.get(key)
    except Exception:  # a user's object may raise anything
        return None


def measure_key(measure: object, known: Container[str]) -> str:
    """Return the key of a measure among those that are known; an unknown name stays as it is."""
    if isinstance(measure, str) and measure in known:
        return measure
    return next((key for key in keys_of(measure) if key in known), _name(measure))


def _name(measure: Any) -> str:
    name = getattr(measure, "key", measure)
    return name if isinstance(name, str) else shown(name)


def read(path: Path, kind: str = "report") -> str:
    """Return the text of a file with a report, or with a comparison."""
    if not hasattr(path, "read_text"):
        raise InvalidReportError.not_json(f"got a value of type {type(path).__name__}", kind)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {str(path)!r} with a {kind}") from None
    except (OSError, ValueError) as error:
        raise InvalidReportError.not_json(error, kind) from None


def written(text: str, path: str | PathLike[str] | None) -> str:
    """Return a text, and write it to a file if there is a path."""
    if path is not None:
        write_file(path, text)
    return text
