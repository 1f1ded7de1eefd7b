"""The paper's errors: one test per entry of docs/errata.md, with the same number."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import baserate as br
from exact import DEFINITIONS, expectations, extremes, pmf_tables
from reproduction import PAPER_MEASURES
from reproduction.uci import DATA_SETS, PRINTED
from tools import ROOT, members


def _rate(positives: int, total: int) -> br.BaseRate:
    return br.BaseRate(positives=positives, total=total)


def _agrees_with_oracle(key: str, positives: int, total: int) -> tuple[list[int], list[int]]:
    """Return both sets of optimal θ*, checked against the enumeration."""
    base = br.baseline(_rate(positives, total), key)
    sets = members(base.max.guesses), members(base.min.guesses)
    means = expectations(key, positives, total, pmf_tables)
    assert sets == tuple(counts for _, counts in extremes(means))
    return sets


def test_erratum_1() -> None:
    """ACC: the majority class attains the maximum, the minority class the minimum."""
    assert _agrees_with_oracle("ACC", 7, 20) == ([0], [20])
    assert _agrees_with_oracle("ACC", 13, 20) == ([20], [0])
    everywhere = list(range(21))
    assert _agrees_with_oracle("ACC", 10, 20) == (everywhere, everywhere)


def test_erratum_2() -> None:
    """TS: with a single positive, every draw except the empty one is best."""
    assert _agrees_with_oracle("TS", 1, 6) == ([1, 2, 3, 4, 5, 6], [0])
    assert _agrees_with_oracle("TS", 2, 6) == ([6], [0])
    assert br.expected_score(_rate(1, 2), "TS", [0.5, 1]).tolist() == [0.5, 0.5]


def test_erratum_3() -> None:
    """κ is 0/0 exactly where both raters agree on one class."""
    for table in (br.ConfusionMatrix(tn=4), br.ConfusionMatrix(tp=4)):
        with pytest.raises(ZeroDivisionError):
            DEFINITIONS["KAPPA"](table.tp, table.fp, table.fn, table.tn)
        with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="P·N̂ . N·P̂ > 0"):
            br.get_measure("kappa").score(table)
    assert br.get_measure("kappa").score(br.ConfusionMatrix(fp=4)) == 0
    assert br.get_measure("kappa").score(br.ConfusionMatrix(fn=4)) == 0


def test_erratum_4() -> None:
    """κ's optimisers exclude θ* = 0 if P = 0, and θ* = 1 if P = M."""
    assert _agrees_with_oracle("KAPPA", 0, 5) == ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    assert _agrees_with_oracle("KAPPA", 5, 5) == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    assert [str(part) for part in br.baseline(_rate(0, 5), "KAPPA").max.guesses.intervals] == [
        "[1/10, 1]"
    ]


def test_erratum_5() -> None:
    """Counts of an empty class are 0 in every draw, so every draw is both best and worst."""
    everywhere = list(range(6))
    for key, positives in (("TP", 0), ("FN", 0), ("TN", 5), ("FP", 5)):
        assert _agrees_with_oracle(key, positives, 5) == (everywhere, everywhere)


def test_erratum_6() -> None:
    """MK: one observation cannot be predicted both ways."""
    for positives in (0, 1):
        assert not expectations("MK", positives, 1, pmf_tables)
        with pytest.raises(br.exceptions.UndefinedMeasureError, match="MK has no baseline"):
            br.baseline(_rate(positives, 1), "MK")


def test_erratum_7() -> None:
    """Fβ is 0 without true positives, where Table 1's formula divides by zero."""
    table = br.ConfusionMatrix(tp=0, fp=1, fn=1, tn=3)
    for beta in (0.5, 1, 2):
        assert br.fbeta(beta).score(table) == 0
    # Every draw with P̂ ≤ N can miss all positives, and its expectation counts that as 0.
    null = br.DutchDraw(_rate(1, 2), predicted_positives=1).score("F1")
    assert (null.ppf(0), null.cdf(0), null.sf(1), null.ppf(1)) == (0, 0.5, 0.5, 1)
    assert null.mean() == 0.5


def test_erratum_8() -> None:
    """TS keeps the requirement P > 0, though TP/(P + FP) could do without it if P̂ > 0."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="P > 0"):
        br.get_measure("TS").score(br.ConfusionMatrix(fp=1))
    with pytest.raises(br.exceptions.UndefinedMeasureError, match="P > 0"):
        br.baseline(_rate(0, 3), "TS")


def test_erratum_9() -> None:
    """Max FN is P and max FP is M - P: the printed rows are swapped, with 672 for 762."""
    printed_fn, printed_fp = PRINTED["FN"].split(), PRINTED["FP"].split()
    for index, (positives, total) in enumerate(DATA_SETS.values()):
        fn, fp = (br.baseline(_rate(positives, total), key).max.value for key in ("FN", "FP"))
        assert fn == int(printed_fp[index])
        assert fp == int(printed_fn[index].replace("672", "762"))


def test_erratum_10() -> None:
    """0.629 is Cleveland's F1 baseline; Bank Marketing's is 0.209."""
    values = {
        name: round(br.baseline(_rate(*DATA_SETS[name]), "F1").best.value, 3) for name in DATA_SETS
    }
    assert values["Cleveland Heart Disease"] == 0.629
    assert values["Bank Marketing"] == 0.209


def test_erratum_11() -> None:
    """G2's maxima are below 1/2, and round up to it."""
    values = [br.baseline(_rate(*size), "G2").max.value for size in DATA_SETS.values()]
    assert [round(value, 3) for value in values] == [0.5] * 8
    assert max(values) < 0.499999
    assert (round(min(values), 5), round(max(values), 6)) == (0.49974, 0.499998)


def test_erratum_12() -> None:
    """The printed 1 of FNR is its worst draw; the best one misses nothing."""
    for key in ("FN", "FP", "FNR", "FPR", "FDR", "FOR"):
        base = br.baseline(_rate(*DATA_SETS["Adult"]), key)
        assert base.best is base.min
    assert set(PRINTED["FNR"].split()) == {"1"}
    assert br.baseline(_rate(*DATA_SETS["Adult"]), "FNR").best.value == 0


def test_erratum_13() -> None:
    """FDR's interval is closed at 1/(2M), as PPV's is."""
    for total in (1, 8):
        fdr, ppv = (
            br.baseline(_rate(1, total), key).min.guesses.intervals for key in ("FDR", "PPV")
        )
        assert fdr == ppv
        assert str(fdr[0]) == f"[1/{2 * total}, 1]"
        at_the_end = br.DutchDraw(_rate(1, total), 1 / (2 * total)).score("FDR")
        assert at_the_end.mean() == 1 - 1 / total


def test_erratum_14() -> None:
    """κ's interval for P = M is open at 1 - 1/(2M)."""
    assert str(br.baseline(_rate(4, 4), "KAPPA").max.guesses.intervals[0]) == "[0, 7/8)"
    with pytest.raises(br.exceptions.UndefinedMeasureError):
        br.DutchDraw(_rate(4, 4), 1 - 1 / 8).score("KAPPA")


def test_erratum_15() -> None:
    """FPR's optimisers are not FNR's, and BACC's are not ACC's."""
    assert _agrees_with_oracle("FPR", 1, 3) == ([3], [0])
    assert _agrees_with_oracle("FNR", 1, 3) == ([0], [3])
    assert _agrees_with_oracle("BACC", 1, 3) == ([0, 1, 2, 3], [0, 1, 2, 3])
    assert _agrees_with_oracle("ACC", 1, 3) == ([0], [3])


def test_erratum_16() -> None:
    """Halves round up, on the way to every P̂."""
    for total in range(1, 30):
        drawn = [
            br.DutchDraw(_rate(0, total), Fraction(2 * k - 1, 2 * total)).predicted_positives
            for k in range(1, total + 1)
        ]
        assert drawn == list(range(1, total + 1))


def test_erratum_17() -> None:
    """Nine of the paper's measures have a single baseline, which cannot rescale a score."""
    flat = [
        key
        for key in PAPER_MEASURES
        if (base := br.baseline(_rate(139, 303), key)).max.value == base.min.value
    ]
    assert flat == ["PPV", "NPV", "FDR", "FOR", "J", "MK", "BACC", "MCC", "KAPPA"]


def test_every_erratum_has_a_test() -> None:
    """The document and this file have the same numbers."""
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    entries = [int(number) for number in re.findall(r"^(\d+)\. \*\*", text, flags=re.MULTILINE)]
    assert entries == list(range(1, len(entries) + 1))
    assert all(f"test_erratum_{number}" in globals() for number in entries)
    assert f"test_erratum_{len(entries) + 1}" not in globals()
