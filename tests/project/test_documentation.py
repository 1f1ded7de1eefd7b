"""The documentation is complete: every name, code, field, error, measure and task is in it."""

from __future__ import annotations

import doctest
import inspect
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import baserate as br
import class_pages
import error_pages
import gallery_order
import measure_pages
import number_pages
import overview_table
import score_pages
import search_pages
from baserate.cli.check import Rulings
from baserate.cli.program import program
from baserate.evaluation.diagnosis import Diagnosis
from baserate.evaluation.gate import Gate
from baserate.kinds.scores import SCORE_MEASURES
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.verdicts.verdict import Better
from tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
MEASURES = [*TWO_CLASS_MEASURES.values(), br.get_measure("PT")]
PAGES_OF: dict[str, tuple[Any, Any]] = {
    "two classes": (measure_pages, MEASURES),
    "several classes": (class_pages, CLASS_MEASURES.values()),
    "scores": (score_pages, SCORE_MEASURES.values()),
    "numbers": (number_pages, NUMBER_MEASURES.values()),
}
BUILT = {"_build", "generated", "how-to", "measures", "errors.md"}
PAGES = [
    name
    for path in sorted(DOCS.rglob("*.md"))
    if not BUILT & {*(name := path.relative_to(DOCS)).parts} and ">>>" in path.read_text("utf-8")
]
_INCLUDE = re.compile(r"^```\{include\} (\S+)\n((?::.*\n)*)```$", flags=re.MULTILINE)


def _read(name: str) -> str:
    """Read a page, with its includes expanded."""
    page = DOCS / name
    return _INCLUDE.sub(
        lambda found: _included(page.parent, *found.groups()), page.read_text("utf-8")
    )


def _included(folder: Path, name: str, options: str) -> str:
    text = (folder / name).read_text("utf-8")
    ends = {key: json.loads(value) for key, value in re.findall(r":([\w-]+): (.*)", options)}
    if "start-after" in ends:
        _, found, text = text.partition(ends["start-after"])
        assert found
    if "end-before" in ends:
        text, found, _ = text.partition(ends["end-before"])
        assert found
    return text


def _codes(section: str) -> set[str]:
    """Return the first column of the table in a section of the page of codes."""
    _, _, rest = _read("reference/codes.md").partition(f"## {section}\n")
    return set(re.findall(r"^\| `(\w+)` \|", rest.partition("\n## ")[0], flags=re.MULTILINE))


def test_documented_names_are_the_public_ones() -> None:
    """The page of names lists each public name, and no other."""
    page = _read("reference/api.rst")
    listed = re.findall(r"^ {3}(\w+)$|^\.\. data:: (\w+)$|^``(\w+)``$", page, flags=re.MULTILINE)
    names = ["".join(found) for found in listed]
    names += re.findall(r"``br\.(__\w+__)``", page)
    assert sorted(names) == sorted(dir(br))


def test_codes_are_documented() -> None:
    """The documented outcomes and diagnoses are the library's."""
    assert _codes("Outcomes of a verdict") == set(br.Outcome)
    assert _codes("Diagnoses of a threshold curve") == set(Diagnosis)
    assert _codes("Outcomes of a difference") == set(Better)


def _fields(written: str, *parts: str) -> set[str]:
    """Return the fields of a JSON document, and of the first record in each of its lists."""
    document = json.loads(written)
    return {*document}.union(*(document[part][0] for part in parts))


def test_fields_of_the_json_are_documented() -> None:
    """A report and a comparison have exactly the fields of the reference."""
    truth, tree, knn = [1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]
    report = br.evaluate(truth, {"tree": tree}, "F1", by=["a", "a", "b", "b"])
    fields = _fields(report.to_json(), "performances", "verdicts")
    assert _codes("Fields of the JSON") == fields
    comparison = br.compare(truth, {"tree": tree, "knn": knn}, "F1")
    fields = _fields(comparison.to_json(), "pairs", "differences")
    assert _codes("Fields of the JSON of a comparison") == fields


def test_fields_of_several_classes_are_documented() -> None:
    """A table of several classes has labels and counts in place of the four counts."""
    report = br.evaluate(["a", "b", "c"], ["a", "b", "b"], "accuracy")
    fields = _fields(report.to_json(), "performances", "verdicts")
    assert fields - _codes("Fields of the JSON") == {"labels", "counts"}
    (row,) = re.findall(r"^\| `task` .*", _read("evaluation.md"), flags=re.MULTILINE)
    assert "`labels`" in row
    assert "`counts`" in row


def test_the_json_of_a_report_is_real() -> None:
    """The JSON on the page is what a report writes."""
    (shown,) = re.findall(r"^```json\n(.*?)^```", _read("evaluation.md"), re.MULTILINE | re.DOTALL)
    table = br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123)
    assert json.loads(shown) == json.loads(br.evaluate(None, {"tree": table}, "F1").to_json())


def test_fields_of_a_check_are_documented() -> None:
    """The fields of a check are documented too, next to those of a report."""
    report = br.evaluate([1, 0, 1, 0], {"tree": [1, 0, 0, 0]}, "F1")
    written = json.loads(Rulings.of(Gate(), report).json())
    fields = {*written, *written["rulings"][0]} - {*report.to_dicts()[0]}
    # A check has a margin and an alpha as its options, and a verdict has its own.
    assert _codes("Fields of the JSON of `baserate check`") == fields | {"margin", "alpha"}


def test_fields_of_baselines_are_documented(tmp_path: Path) -> None:
    """The JSON of baselines has the fields of the reference, for classes and for numbers."""
    (tmp_path / "prices.csv").write_text("price\n1.5\n2\n")
    numbers = f"{tmp_path / 'prices.csv'} --truth price -m RMSE"
    fields = set()
    for asked in ("--positives 7 --total 20 -m MCC", "--counts a=7,b=2,c=1 -m MCC", numbers):
        command = f"baseline {asked} --format json"
        written = json.loads(CliRunner().invoke(program, command.split()).output)
        fields |= {*written, *written["baselines"][0]}
    assert _codes("Fields of the JSON of `baserate baseline`") == fields


def test_errors_are_documented() -> None:
    """Each exception has its docstring and what it really says; the base is never raised."""
    introduction, *sections = error_pages.page().split("\n## ")
    assert "`error.parameter`" in introduction
    assert [section.splitlines()[0] for section in sections] == br.exceptions.__all__
    for section in sections:
        name = section.splitlines()[0]
        docstring = inspect.getdoc(getattr(br.exceptions, name)) or ""
        assert docstring.splitlines()[0] in section
        said = re.findall(r"^(\w+): \S", section, flags=re.MULTILINE)
        assert set(said) == {name} - {"BaserateError"}


@pytest.mark.parametrize("family", PAGES_OF)
def test_a_measure_has_its_facts(family: str) -> None:
    """Every name, formula and warning of a record is on its page."""
    pages, measures = PAGES_OF[family]
    for measure in measures:
        page = pages.page(measure)
        words = [measure.name, measure.meaning, measure.pitfall, *measure.aliases]
        words += [str(measure.sklearn)] if measure.sklearn else []
        parts = ("slope", "intercept", "expectation", "maximum", "minimum")
        draw = getattr(measure, "draw", None)  # of the paper's measures
        formulas = [measure.definition, *(getattr(draw, part, None) for part in parts)]
        formulas = [getattr(each, "value", each) for each in formulas]
        words += [each.latex for each in formulas if hasattr(each, "latex")]
        words += [need.text for need in getattr(measure, "requirements", ())]
        for fact in words:
            assert fact in page, measure.key


@pytest.mark.parametrize("measure", TWO_CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_a_measure_has_its_optima(measure: br.Measure) -> None:
    """Both optima are on the page, with the paper's intervals on three test sets, and the plot."""
    page = measure_pages.page(measure)
    for rate in measure_pages.TEST_SETS:
        base = br.baseline(rate, measure)
        for optimum in (base.max, base.min):
            assert f"{optimum.value:.6g}" in page
            assert all(str(interval) in page for interval in optimum.guesses.intervals)
    assert f"({measure.key}.svg)" in page


@pytest.mark.parametrize("measure", CLASS_MEASURES.values(), ids=lambda measure: measure.key)
def test_a_measure_of_several_classes_has_its_optima(measure: Any) -> None:
    """Both are on the page with their guesses on the example, and the plot."""
    page, base = class_pages.page(measure), br.baseline(class_pages.EXAMPLE, measure)
    assert measure.zero_division in page
    for optimum in (base.max, base.min):
        assert f"{optimum.value:.6g}" in page
        assert class_pages.is_constant(measure) or str(optimum.guesses) in page
    assert class_pages.is_constant(measure) or f"({class_pages.file_of(measure)}.svg)" in page


def test_no_measure_lacks_a_page() -> None:
    """The index has a line per measure, and says which has no baseline."""
    index = measure_pages.index()
    pages = [measure.key for measure in MEASURES]
    pages += [f"several/{class_pages.file_of(each)}" for each in CLASS_MEASURES.values()]
    pages += [f"scores/{score_pages.file_of(each)}" for each in SCORE_MEASURES.values()]
    pages += [f"numbers/{number_pages.file_of(each)}" for each in NUMBER_MEASURES.values()]
    assert re.findall(r"\[.*\]\(([\w/.-]+)\.md\) [↑↓]", index) == pages
    assert len({page.lower() for page in pages}) == len(pages)
    assert "| none |" in index


def test_the_overview_says_what_is_free_and_what_misleads() -> None:
    """A row has the best prediction that ignores its input in words, its score, and the pitfall."""
    index = measure_pages.index()
    for section in overview_table.SECTIONS:
        assert all(measure.pitfall in index for measure in section.measures)
        assert all(f"/measures/{page}\n" in section.toctree() for page in section.pages)
    for row in (
        "| everyone positive | 0.628959 |",
        "| each class as often as it occurs | 0.333333 |",
        "| a random ranking | 0.138067 |",
        "| always 1 | 0.611333 |",
    ):
        assert row in index


def test_the_gallery_has_its_tasks() -> None:
    """Every script has a place in the order."""
    scripts = {path.name for path in (DOCS / "gallery").glob("*.py")}
    assert scripts == set(gallery_order.ORDER)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_examples_are_real(page: Path) -> None:
    """The examples print what the page shows."""
    result = doctest.testfile(
        str(DOCS / page),
        module_relative=False,
        encoding="utf-8",
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    assert result.attempted > 0
    assert result.failed == 0


def test_every_line_of_the_cheat_sheet_runs() -> None:
    """What a user is told to type in Python works."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 60)
    tree = np.where(rng.random(60) < 0.95, y_true, 1 - y_true)
    animals = np.array(["cat", "dog", "fox"])
    y_class, price = rng.choice(animals, 60), rng.gamma(3, 100, 60)
    proba = rng.dirichlet(np.ones(3), 60) + (y_class[:, None] == animals)
    names = {
        "br": br, "y_true": y_true, "y_pred": tree, "tree": tree, "knn": rng.permutation(tree),
        "models": {"tree": tree}, "answers": np.where(y_true, "yes", "no"), "y_class": y_class,
        "said": np.where(tree, "yes", "no"), "y_class_pred": rng.permutation(y_class),
        "y_score": np.clip(0.5 * tree + 0.5 * rng.random(60), 0, 1), "proba": proba / 2,
        "price": price, "predicted": price + rng.normal(0, 50, 60), "hospital": ["n", "s"] * 30,
        "patient": np.arange(60) // 3, "times": rng.integers(1, 4, 60), "weight": rng.random(60),
        "frame": pd.DataFrame({"ill": y_true, "tree": tree, "knn": rng.permutation(tree)}),
    }  # fmt: skip
    typed = re.findall(r"^\| .* \| .* \| (`.*`) \|$", _read("cheat-sheet.md"), flags=re.MULTILINE)
    lines = [code for each in typed for code in re.findall(r"`(br\..*?|cost = .*?)`", each)]
    assert len(lines) > 25
    for line in sorted(lines, key=lambda line: not line.startswith("cost")):
        exec(line, names)


def test_search_finds_what_is_typed() -> None:
    """Each word belongs to one page, and Sphinx's weights put that page before mere titles."""
    words = [word for page in search_pages.WORDS.values() for word in page]
    assert len(words) == len(set(words))
    assert {"install", "imbalanced", "confidence interval", "compare two models"} <= set(words)
    assert all((DOCS / f"{page}.md").exists() for page in search_pages.WORDS)
    index = {
        "docnames": ["guide", "page"],
        "indexentries": {"confidence interval": [[1, "index-0", True]]},
        "alltitles": {"Confidence interval": [[0, ""]]},
    }
    assert search_pages.first_found(index, "confidence interval") == "page"
    assert search_pages.first_found(index, "confidence") == "page"
    assert search_pages.first_found(index, "install") == ""
