"""Labels in CSV files, which are text, mean the same as in an array."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from baserate.data.engines.frames import label_of
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(3)
TRUTH = RNG.random(60) < 0.4
TREE = TRUTH ^ (RNG.random(60) < 0.3)


def _written(path: Path, positive: str, negative: str, others: str = "x") -> Path:
    """Write a file of the same test set, with other labels."""
    rows = zip(np.where(TRUTH, positive, negative), np.where(TREE, positive, negative), strict=True)
    lines = [f"{others},{truth},{tree}" for truth, tree in rows]
    path.write_text("\n".join(["other,y,tree", *lines]))
    return path


def _table(path: Path, **options: Any) -> br.ConfusionMatrix:
    return br.ConfusionMatrix.from_frame(br.scan(path), "y", "tree", **options)


MEANINGS: dict[str, Any] = {
    "1": 1, "0": 0, "-1": -1, "+1": 1, "1.": 1, "1.0": 1, "0.0": 0, "1e0": 1, " 1 ": 1, "-0": 0,
    "0.7": 0.7, ".5": 0.5, "7": 7, "12345678901234567891": 12345678901234567891,
    "true": True, "False": False, "TRUE": True,
    "yes": "yes", "No": "No", "t": "t", "": "", " a": " a", "007": "007", "1_0": "1_0",
    "1,5": "1,5", "0x1": "0x1", "1e9999": "1e9999", "inf": "inf", "NA": "NA",
    "١": "١", "1 2": "1 2", "nan": None, "NaN": None, "-nan": None,
}  # fmt: skip


@pytest.mark.parametrize("text", MEANINGS)
def test_what_a_text_means(text: str) -> None:
    """A text means a number, a boolean, nothing, or itself."""
    found = label_of(text)
    assert found == MEANINGS[text]
    assert isinstance(found, bool) == isinstance(MEANINGS[text], bool)


def test_no_number_is_rounded_to_a_label() -> None:
    """Neither 0.7 nor a decimal that a float would round to 1 is a 1."""
    assert label_of("0.99999999999999999999") == Decimal("0.99999999999999999999") != 1
    assert label_of("9007199254740993") != label_of("9007199254740992")


EVIDENT = [("1.0", "0.0"), ("1", "-1"), ("TRUE", "FALSE")]


@pytest.mark.parametrize(("positive", "negative"), EVIDENT)
def test_evident_labels(tmp_path: Path, positive: str, negative: str) -> None:
    """Obvious labels need no positive class, but accept one as a number, a boolean or text."""
    path = _written(tmp_path / "p.csv", positive, negative)
    expected = br.ConfusionMatrix.of(TRUTH, TREE)
    for pos_label in (None, 1, "1.0", "true"):
        assert _table(path, pos_label=pos_label) == expected
    assert _table(path, pos_label=negative) == br.ConfusionMatrix.of(~TRUTH, ~TREE)


@pytest.mark.parametrize(
    ("positive", "negative"),
    [("yes", "no"), ("7", "3"), ("0.5", "1.5")],
)
def test_other_labels_are_as_in_arrays(tmp_path: Path, positive: str, negative: str) -> None:
    """Two texts or two numbers are two classes; a positive one must be one of them."""
    path = _written(tmp_path / "p.csv", positive, negative)
    arrays = [np.where(mask, label_of(positive), label_of(negative)) for mask in (TRUTH, TREE)]
    assert _table(path, pos_label=positive) == br.ConfusionMatrix.of(TRUTH, TREE)
    read = label_of(positive)
    assert _table(path, pos_label=read) == br.ConfusionMatrix.of(*arrays, pos_label=read)
    for pos_label in ("maybe", 12):
        with pytest.raises(InvalidLabelsError):
            br.ConfusionMatrix.of(*arrays, pos_label=pos_label)
        with pytest.raises(InvalidLabelsError, match="pos_label must"):
            _table(path, pos_label=pos_label)


@pytest.mark.parametrize(("positive", "negative"), [("yes", "no"), ("7", "3")])
def test_no_class_is_positive(tmp_path: Path, positive: str, negative: str) -> None:
    """Two texts or whole numbers may do without a positive class, which measures then ask for."""
    path = _written(tmp_path / "p.csv", positive, negative)
    arrays = [np.where(mask, label_of(positive), label_of(negative)) for mask in (TRUTH, TREE)]
    assert _table(path) == br.ConfusionMatrix.of(*arrays)
    assert _table(path).labels == tuple(sorted([label_of(positive), label_of(negative)]))
    with pytest.raises(InvalidLabelsError, match="pos_label must"):
        _ = _table(path).tp
    with pytest.raises(InvalidLabelsError, match="pos_label must"):
        br.evaluate(br.scan(path), "tree", truth="y")


def test_many_spellings_are_one_label(tmp_path: Path) -> None:
    """1, 1.0 and true are the same label, even far below, and in any order."""
    spellings = {True: ["1", "1.0", "true", "+1", "1.00"], False: ["0", "0.0", "False", "-0"]}
    rows = [(bool(n % 2), n % 3 == 0) for n in range(30_000)]
    lines = [
        f"{spellings[y][n % len(spellings[y]) if n > 25_000 else 0]},{spellings[tree][0]}"
        for n, (y, tree) in enumerate(rows)
    ]
    (tmp_path / "p.csv").write_text("\n".join(["y,tree", *lines]))
    expected = br.ConfusionMatrix.of(*zip(*rows, strict=True))
    for pos_label in (None, 1, "true"):
        assert _table(tmp_path / "p.csv", pos_label=pos_label) == expected


def test_missing_labels(tmp_path: Path) -> None:
    """Empty fields and nan are missing; NA is a label that does not belong."""
    (tmp_path / "p.csv").write_text('y,tree\n1,1\n"",0\nnan,0\n0,\n0,NaN\n0,0\n')
    with pytest.raises(InvalidLabelsError, match=r"missing \(got 2 in 'y', 2 in 'tree'\)"):
        _table(tmp_path / "p.csv")
    report = br.evaluate(
        br.scan(tmp_path / "p.csv"), "tree", "ACC", truth="y", missing="drop", pos_label="1"
    )
    assert report.dropped == 4
    (tmp_path / "p.csv").write_text("y,tree\n1,1\nNA,0\n0,0\n")
    with pytest.raises(InvalidLabelsError, match="got 0, 1, 'NA'"):
        _table(tmp_path / "p.csv")
    with pytest.raises(InvalidLabelsError, match="missing value 'nan'"):
        _table(tmp_path / "p.csv", pos_label="nan")


def test_scores_and_words_are_not_the_rest(tmp_path: Path) -> None:
    """Scores beside labels and words beside numbers are errors, with a positive class too."""
    for score in ("0.7", "0.999999999999999999999"):
        (tmp_path / "p.csv").write_text(f"y,tree\n1,{score}\n1,1\n0,0\n")
        with pytest.raises(InvalidLabelsError, match="two classes"):
            _table(tmp_path / "p.csv")
    for lines, message in (
        (["1,0.7", "0,0.2", "1,1"], "must hold labels, not scores"),
        (["1,yes", "0,no", "2,no"], "must hold labels of the same kind as column 'y'"),
    ):
        (tmp_path / "p.csv").write_text("\n".join(["y,tree", *lines]))
        with pytest.raises(InvalidLabelsError, match=message):
            _table(tmp_path / "p.csv", pos_label="1")
    many = [f"1,{number}" for number in range(6_000)]
    (tmp_path / "p.csv").write_text(
        "\n".join(["y,tree", *many * 2, *(f"0,x{n}" for n in range(6_000))])
    )
    with pytest.raises(InvalidLabelsError, match="y and tree must have at most"):
        _table(tmp_path / "p.csv", pos_label="1")


GROUPS: dict[str, list[Any]] = {
    "2023 2024 2023": [2023, 2024],
    "10 9 9": [9, 10],
    "1.5 1.50 2": [1.5, 2],
    "true false true": [False, True],
    "007 7 7": ["007", "7"],
    "1 true 2": ["1", "2", "true"],
    "a 1 2": ["1", "2", "a"],
    "2024-01-02 2024-01-01 nan": ["2024-01-01", "2024-01-02", "nan"],
    "3 nan 4": [3, 4, "(missing)"],
}


@pytest.mark.parametrize("names", GROUPS)
def test_groups(tmp_path: Path, names: str) -> None:
    """Groups are numbers or booleans if all of them are, and text otherwise."""
    groups = names.split()
    lines = [f"{y},{tree},{by}" for by, y, tree in product(groups, "01", "01")]
    (tmp_path / "p.csv").write_text("\n".join(["y,tree,by", *lines]))
    tables = br.ConfusionMatrix.from_frame(br.scan(tmp_path / "p.csv"), "y", "tree", by="by")
    assert list(tables) == GROUPS[names]
    assert [type(name) for name in tables] == [type(name) for name in GROUPS[names]]
    assert sum(tables.values(), br.ConfusionMatrix()) == br.ConfusionMatrix(tp=3, fp=3, fn=3, tn=3)
