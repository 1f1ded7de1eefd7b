"""Reports and comparisons: frozen collections of verdicts or differences, to query and to write."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, overload

from baserate.exceptions import NotInReportError
from baserate.formatting import listed, shown
from baserate.records import write_file
from baserate.report import records
from baserate.task import measures_named
from baserate.verdicts.power import shows_nothing
from baserate.verdicts.verdict import Outcome, Significance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike
    from pathlib import Path
    from typing import Self

    from matplotlib.axes import Axes

    from baserate.core.measure import Measure
    from baserate.data.rows import Group
    from baserate.plots.strips import ComparisonDisplay, ReportDisplay
    from baserate.report.document import Document
    from baserate.verdicts.verdict import Difference, Pair, Performance, Verdict

T = TypeVar("T")


class Collected(Generic[T]):
    """A frozen collection of verdicts or of differences: to query, and to write in any format.

    It is a dataclass, whose first field holds the items.
    """

    significance: Significance
    dropped: int
    form: ClassVar[records.Form]
    """How it is written."""
    indexed: ClassVar[tuple[str, ...]]
    """The facts of an item by which parts are found."""

    @property
    def _items(self) -> tuple[T, ...]:
        return cast("tuple[T, ...]", getattr(self, self.form.items))

    def _of(self, items: Iterable[T]) -> Self:
        """Return the same with other items."""
        return cast("Self", replace(cast("Any", self), **{self.form.items: tuple(items)}))

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
        return self.significance.alpha

    @property
    def measures(self) -> tuple[str, ...]:
        """The keys of the measures."""
        return tuple(self._parts["measure"])

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, without the whole test set."""
        return tuple(group for group in self._parts["group"] if group is not None)

    def _part(self, kind: str, name: object) -> Self:
        part = _looked_up(self._parts[kind], name)
        if part is None:
            raise self._absent(kind, name, (each for each in self._parts[kind] if each is not None))
        return self._of(part)

    def _absent(self, kind: str, name: object, known: Iterable[object]) -> NotInReportError:
        has = f"it has {listed(known, most=12)}"
        return NotInReportError(f"the {self.form.noun} has no {kind} {shown(name)} ({has})")

    def _measure_key(self, measure: str | Measure[Any]) -> str:
        """Return the key of a measure; an unknown name stays as it is."""
        known = self._parts["measure"]
        if isinstance(measure, str) and measure in known:
            return measure
        name = getattr(measure, "key", measure)
        name = name if isinstance(name, str) else shown(name)
        return next((e.key for e in measures_named(measure) if e.key in known), name)

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
        from baserate.report.comparison_document import comparison_document
        from baserate.report.verdict_document import report_document

        to_document: Any = report_document if self.form is records.REPORT else comparison_document
        return cast("Document", to_document(self))

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
        return _written(records.as_json(self), path)

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return it as CSV, one line per record, and write it to a file if a path is given.

        A text that a spreadsheet would compute, such as ``=1+1``, has an apostrophe in front.
        """
        return _written(records.csv(self), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read it from JSON, or from a file if it is given as a `pathlib.Path`."""
        return cls(*records.of_json(cls.form, source))  # type: ignore[call-arg]

    def to_markdown(self, path: str | PathLike[str] | None = None) -> str:
        """Return it as Markdown, and write it to a file if a path is given."""
        from baserate.report.markup import render_markdown

        return _written(render_markdown(self.document()), path)

    def to_latex(self, path: str | PathLike[str] | None = None) -> str:
        r"""Return it as LaTeX tables, and write it to a file if a path is given.

        The document needs ``\usepackage{booktabs}`` and nothing else.
        """
        from baserate.report.markup import render_latex

        return _written(render_latex(self.document()), path)

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
        from baserate.report.markup import render_page

        return _written(render_page(self.document(), title, notes), path)

    def __str__(self) -> str:
        from baserate.report.text import render

        return render(self.document())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from baserate.report.markup import render_fragment

        return render_fragment(self.document())


def _looked_up(known: dict[Any, T], key: object) -> T | None:
    """Return the value of a key, or None; a key that is not hashable, such as a list, has none."""
    try:
        return known.get(key)
    except Exception:  # a user's object may raise anything
        return None


def _written(text: str, path: str | PathLike[str] | None) -> str:
    if path is not None:
        write_file(path, text)
    return text


@dataclass(frozen=True, repr=False)
class Report(Collected["Verdict"]):
    """What the scores of one or more models are worth: one verdict per model, group and measure.

    It shows as a table in a terminal and as HTML in a notebook. Iterate over its verdicts; take a
    part, which is a report again (``report["tree"]``, ``report.measure("F1")``,
    ``report.group("north")``, ``report.failures``); or take one verdict (``report["tree", "F1"]``).

    Parameters
    ----------
    verdicts
        The verdicts: model by model, the whole test set first and then its groups.
    by
        The name of the grouping, if it has one.
    dropped
        How many observations were dropped because of a missing value.
    significance
        The evidence that a claim needed: alpha, the adjustment and the number of tries.

    Examples
    --------
    >>> import baserate as br
    >>> tree, knn = br.ConfusionMatrix(tp=9, fp=4, fn=7, tn=11), br.ConfusionMatrix(fn=16, tn=15)
    >>> tables = {"tree": tree, "knn": knn}
    >>> report = br.evaluate(None, tables, ["F1", "ACC", "MCC"])
    >>> print(report)
    ~ Neither model clearly beats guessing; tree is ahead, but these 31 rows cannot
      show it.
      31 observations, 16 positive (51.6%). A guess is a prediction that never looks
      at its input.
    <BLANKLINE>
                     F1  Accuracy      MCC  p-value
    best guess    0.681     0.516    0.000
    tree        ✗ 0.621   ~ 0.645  ~ 0.300     0.10
    knn             ✗ –   ✗ 0.484      ✗ –     1.00
    <BLANKLINE>
    F1                        best guess          perfect   margin, interval
    tree                  ━━━━━✗━━━│━━━━━━━━━━━         ┊  -0.060 (-0.326 to 0.164)
    <BLANKLINE>
    ✗ tree, F1: no better than guessing (p = 0.10).
    ✗ knn: predicts no positives.
    ~ tree, accuracy and MCC: ahead, but the intervals include 0. About 180 more
      rows would settle it, if the margin stays as it is.
    · Best guesses: everyone positive (F1 and accuracy), any guess (MCC).
    · Each of 4 claims is tested at the 5% level; adjust="holm" would adjust for
      their number.
    <BLANKLINE>
    ✓ beats guessing   ~ unsure   ✗ no better   (more: to_html)
    """

    verdicts: tuple[Verdict, ...]
    by: str | None = None
    dropped: int = 0
    significance: Significance = field(default_factory=Significance)

    form = records.REPORT
    indexed = ("model", "measure", "group")

    @overload
    def __getitem__(self, key: str) -> Report: ...
    @overload
    def __getitem__(self, key: tuple[str, str] | tuple[str, str, Group]) -> Verdict: ...
    def __getitem__(self, key: str | tuple[Any, ...]) -> Report | Verdict:
        if isinstance(key, str):
            return self._part("model", key)
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise NotInReportError(
                "a report is asked for a model, report['tree'], or for a verdict, "
                f"report['tree', 'F1'] or report['tree', 'F1', group] (got {shown(key)})"
            )
        model, measure, group = (*key, None)[:3]
        measure = self._measure_key(measure)
        found = _looked_up(self._index, (model, measure, group))
        if found is None:  # report what is missing: the model, the measure or the group
            self[model].measure(measure)
            raise self._absent("group", group, self.groups)
        return found

    @property
    def failures(self) -> Report:
        """The verdicts that are no better than the baseline, and could have been."""
        return self._where(lambda verdict: verdict.fails)

    @property
    def findings(self) -> Report:
        """The verdicts on groups that fail although the model beats the baseline overall.

        Groups that are too small to show anything are left out.
        """
        cleared = {(v.model, v.measure) for v in self.overall if v.outcome is Outcome.CLEARS}
        small = frozenset(self.too_small)
        return self._where(
            lambda verdict: (
                verdict.group is not None
                and verdict.fails
                and verdict.performance not in small
                and (verdict.model, verdict.measure) in cleared
            )
        )

    @cached_property
    def too_small(self) -> tuple[Performance, ...]:
        """The performances where even a prediction without errors would be no evidence."""
        return tuple(
            performance
            for performance in self.performances
            if shows_nothing(performance, self.significance)
        )

    @property
    def performances(self) -> tuple[Performance, ...]:
        """The performance of each model, as a whole and in each group."""
        return tuple(self.by_performance)

    @cached_property
    def by_performance(self) -> dict[Performance, list[Verdict]]:
        """The verdicts on each performance."""
        found: dict[Performance, list[Verdict]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.performance, []).append(verdict)
        return found

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self._parts["model"])

    def plot(self, *, ax: Axes | None = None) -> ReportDisplay:
        """Draw how far scores are from the best guess: a strip for each model and measure.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all strips.

        Returns
        -------
        baserate.plots.ReportDisplay
            With the axes, ``ax_``, and the ``figure_``.
        """
        from baserate.plots.strips import ReportDisplay

        return ReportDisplay.from_report(self, ax=ax)

    def _where(self, condition: Callable[[Verdict], bool]) -> Report:
        return self._of(filter(condition, self.verdicts))

    @cached_property
    def _index(self) -> dict[tuple[str, str, Group | None], Verdict]:
        """Each verdict, keyed by model, measure and group; the first one of duplicates."""
        return {(v.model, v.measure, v.group): v for v in reversed(self.verdicts)}


@dataclass(frozen=True, repr=False)
class Comparison(Collected["Difference"]):
    """Whether models are better than one another: one difference per pair, group and measure.

    It shows as sentences in a terminal and as HTML in a notebook. Iterate over its differences;
    take a part, which is a comparison again (``comparison["tree", "forest"]``,
    ``comparison.measure("F1")``, ``comparison.group("north")``); or take one difference
    (``comparison["tree", "forest", "F1"]``).

    Parameters
    ----------
    differences
        The differences: pair by pair, the whole test set first and then its groups.
    by
        The name of the grouping, if it has one.
    dropped
        How many observations were dropped because of a missing value.
    significance
        The evidence that a claim needed: alpha and the adjustment.

    Examples
    --------
    >>> import baserate as br
    >>> y_true = [1] * 20 + [0] * 20
    >>> tree, forest = [1] * 10 + [0] * 30, [1] * 18 + [0] * 22
    >>> comparison = br.compare(y_true, {"tree": tree, "forest": forest}, ["ACC", "PPV"])
    >>> print(comparison)
    ~ forest is better than tree by accuracy.
      Accuracy 0.950 and 0.750, a difference of +0.200 (95% interval 0.045 to 0.356;
      p = 0.008).
      40 observations, 20 positive (50.0%).
    <BLANKLINE>
                                        Best
                      forest     tree  guess  Difference     95% interval  p-value
    Accuracy         ✓ 0.950  ✗ 0.750  0.500      +0.200   0.045 to 0.356    0.008
    Precision (PPV)  ~ 1.000  ~ 1.000  0.500       0.000  -0.183 to 0.317     1.00
    <BLANKLINE>
    ✓ better   ~ no difference shown   ✗ worse   (more: to_html)
    """

    differences: tuple[Difference, ...]
    by: str | None = None
    dropped: int = 0
    significance: Significance = field(default_factory=Significance)

    form = records.COMPARISON
    indexed = ("measure", "group")

    @overload
    def __getitem__(self, key: tuple[str, str]) -> Comparison: ...
    @overload
    def __getitem__(
        self, key: tuple[str, str, str] | tuple[str, str, str, Group]
    ) -> Difference: ...
    def __getitem__(self, key: tuple[Any, ...]) -> Comparison | Difference:
        if not isinstance(key, tuple) or len(key) not in (2, 3, 4):
            raise NotInReportError(
                "a comparison is asked for a pair, comparison['tree', 'forest'], or for a "
                "difference, comparison['tree', 'forest', 'F1'] or comparison['tree', 'forest', "
                f"'F1', group] (got {shown(key)})"
            )
        first, second, *rest = key
        part = _looked_up(self._index, (first, second))
        if part is None:
            raise self._absent("pair", (first, second), self._index)
        if not rest:
            return self._of(part.values())
        measure, group = (*rest, None)[:2]
        found = _looked_up(part, (self._measure_key(measure), group))
        if found is None:  # report what is missing: the measure or the group
            self.measure(measure)
            raise self._absent("group", group, self.groups)
        return found

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The two models of each comparison, as a whole and in each group."""
        return tuple(dict.fromkeys(each.pair for each in self))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(dict.fromkeys(name for each in self for name in (each.first, each.second)))

    def plot(self, *, ax: Axes | None = None) -> ComparisonDisplay:
        """Draw each difference with its interval, beside zero.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure with room for all rows.

        Returns
        -------
        ComparisonDisplay
            With the axes, ``ax_``, and the ``figure_``.
        """
        from baserate.plots.strips import ComparisonDisplay

        return ComparisonDisplay(self).plot(ax)

    @cached_property
    def _index(self) -> dict[tuple[str, str], dict[tuple[str, Group | None], Difference]]:
        """The differences of each pair, keyed by measure and group."""
        index: dict[tuple[str, str], dict[tuple[str, Group | None], Difference]] = {}
        for each in self:
            of_pair = index.setdefault((each.first, each.second), {})
            of_pair.setdefault((each.measure, each.group), each)
        return index
