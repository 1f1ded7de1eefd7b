"""What reports and comparisons share: looking up, reading, and all renderings."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from baserate.exceptions import (
    InvalidReportError,
    MissingFileError,
    NotInReportError,
)
from baserate.formatting import listed, shown
from baserate.records import write_file
from baserate.report import records
from baserate.tasks import keys_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from os import PathLike
    from pathlib import Path
    from typing import Self

    from baserate.core.measure import Measure
    from baserate.data.groups import Group
    from baserate.report.document import Document
    from baserate.verdicts.verdict import Standard

T = TypeVar("T")


class Collected(Generic[T]):
    """A frozen collection of verdicts or of differences: to query, and to write in any format.

    It is a dataclass, whose first field holds the items.
    """

    standard: Standard
    form: ClassVar[records.Form]
    """How it is written."""
    indexed: ClassVar[tuple[str, ...]]
    """The facts of an item by which parts are found."""

    @property
    def _items(self) -> tuple[T, ...]:
        found: tuple[T, ...] = getattr(self, fields(cast("Any", self))[0].name)
        return found

    def _of(self, items: Iterable[T]) -> Self:
        """Return the same with other items."""
        name = fields(cast("Any", self))[0].name
        return cast("Self", replace(cast("Any", self), **{name: tuple(items)}))

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def measure(self, measure: str | Measure[Any]) -> Self:
        """Return the part of one measure, given by any of its names."""
        return self._part("measure", self._measure_key(measure))

    def group(self, group: Group) -> Self:
        """Return the part of one group."""
        return self._part("group", group)

    @property
    def overall(self) -> Self:
        """The part of the whole test set."""
        return self._of(self._parts["group"].get(None, ()))

    @property
    def alpha(self) -> float:
        """The significance level of each claim."""
        return self.standard.alpha

    @property
    def measures(self) -> tuple[str, ...]:
        """The keys of the measures."""
        return tuple(self._parts["measure"])

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, without the whole test set."""
        return tuple(group for group in self._parts["group"] if group is not None)

    def _part(self, kind: str, name: object) -> Self:
        part = looked_up(self._parts[kind], name)
        if part is None:
            known = [each for each in self._parts[kind] if each is not None]
            raise absent(kind, name, known, self.form.noun)
        return self._of(part)

    def _measure_key(self, measure: str | Measure[Any]) -> str:
        """Return the key of a measure; its own keys come before other names."""
        return measure_key(measure, self._parts["measure"])

    @cached_property
    def _parts(self) -> dict[str, dict[Any, list[T]]]:
        """The items by each fact by which they are found."""
        parts: dict[str, dict[Any, list[T]]] = {name: {} for name in self.indexed}
        for item in self._items:
            for name, part in parts.items():
                part.setdefault(getattr(item, name), []).append(item)
        return parts

    def __getstate__(self) -> dict[str, Any]:
        """Leave indexes out of what is pickled."""
        return {each.name: getattr(self, each.name) for each in fields(cast("Any", self))}

    def document(self) -> Document:
        """Return all that is said of it, which renderers format."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat record per verdict or difference, with None for undefined values."""
        return records.dicts(self)

    def to_frame(self, backend: str = "pandas", *, full: bool = False) -> Any:
        """Return a data frame with one row per verdict or difference.

        Columns of verdicts are model, group, measure, score, low, high, baseline, margin, p_value
        and outcome; those of differences first, second, group, measure, both scores, difference,
        low, high, p_value and outcome.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
        full
            Whether to return all that is known of each.
        """
        return records.frame(self, backend, full=full)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return it as JSON with every digit, and write it to a file if a path is given.

        `docs/evaluation.md` and `docs/comparing.md` describe the schemas, and `from_json` reads
        them. Like all writers, this overwrites an existing file, completely or not at all.
        """
        return written(records.as_json(self), path)

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return it as CSV, one line per record, and write it to a file if a path is given.

        A text that a spreadsheet would compute, such as ``=1+1``, has an apostrophe in front.
        """
        return written(records.csv(self), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read it from JSON, or from a file if it is given as a `pathlib.Path`."""
        text = source if isinstance(source, str) else read(source, cls.form.noun)
        return cls(*records.of_json(cls.form, text))  # type: ignore[call-arg]

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


def read(path: Path, kind: str) -> str:
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
