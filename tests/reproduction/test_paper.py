"""The paper's tables as they should be printed; test_errata.py has the misprints."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes_record import Margins
from reproduction.uci import DATA_SETS, PRINTED
from tools import members

# Table 2: which of P, N, P̂ and N̂ must be above zero. κ is in the errata.
TABLE_2 = {
    "TP TN FN FP ACC": "",
    "TPR FNR TS": "P",
    "TNR FPR": "N",
    "PPV FDR": "P̂",
    "NPV FOR": "N̂",
    "F1 FM": "P P̂",
    "J BACC G2": "P N",
    "MK": "P̂ N̂",
    "MCC": "P N P̂ N̂",
}

M, P, K = 20, 7, 12  # no two formulas of Table 3 coincide for these values
THETA = Fraction(K, M)
N = M - P
B2 = 4  # β = 2

# Table 3, transcribed: expectation, a, b.
TABLE_3 = {
    "TP": (THETA * P, 1, 0),
    "TN": ((1 - THETA) * N, 1, N - M * THETA),
    "FN": ((1 - THETA) * P, -1, P),
    "FP": (THETA * N, -1, M * THETA),
    "TPR": (THETA, Fraction(1, P), 0),
    "TNR": (1 - THETA, Fraction(1, N), 1 - M * THETA / N),
    "FNR": (1 - THETA, -Fraction(1, P), 1),
    "FPR": (THETA, -Fraction(1, N), M * THETA / N),
    "PPV": (Fraction(P, M), 1 / (M * THETA), 0),
    "NPV": (1 - Fraction(P, M), 1 / (M * (1 - THETA)), 1 - P / (M * (1 - THETA))),
    "FDR": (1 - Fraction(P, M), -1 / (M * THETA), 1),
    "FOR": (Fraction(P, M), -1 / (M * (1 - THETA)), P / (M * (1 - THETA))),
    "F2": ((1 + B2) * THETA * P / (B2 * P + M * THETA), (1 + B2) / (B2 * P + M * THETA), 0),
    "J": (0, Fraction(M, P * N), -M * THETA / N),
    "MK": (0, 1 / (M * THETA * (1 - THETA)), -P / (M * (1 - THETA))),
    "ACC": (((1 - THETA) * N + THETA * P) / M, Fraction(2, M), 1 - THETA - Fraction(P, M)),
    "BACC": (Fraction(1, 2), Fraction(M, 2 * P * N), Fraction(1, 2) - M * THETA / (2 * N)),
    "MCC": (0, 1 / sqrt(P * N * THETA * (1 - THETA)), -sqrt(P * THETA) / sqrt(N * (1 - THETA))),
    "KAPPA": (
        0,
        2 / (P * (1 - THETA) + N * THETA),
        -2 * THETA * P / (P * (1 - THETA) + N * THETA),
    ),
    "FM": (sqrt(THETA * P / M), 1 / sqrt(P * M * THETA), 0),
}

ALL, NOT_0, NOT_1, INSIDE = range(M + 1), range(1, M + 1), range(M), range(1, M)
# Table 4 for P = 7, M = 20, transcribed: max, P̂ that attain it, min, P̂ that attain it.
TABLE_4 = {
    "TP": (P, [M], 0, [0]),
    "TN": (N, [0], 0, [M]),
    "FN": (P, [0], 0, [M]),
    "FP": (N, [M], 0, [0]),
    "TPR": (1, [M], 0, [0]),
    "TNR": (1, [0], 0, [M]),
    "FNR": (1, [0], 0, [M]),
    "FPR": (1, [M], 0, [0]),
    "PPV": (P / M, NOT_0, P / M, NOT_0),
    "NPV": (N / M, NOT_1, N / M, NOT_1),
    "FDR": (N / M, NOT_0, N / M, NOT_0),
    "FOR": (P / M, NOT_1, P / M, NOT_1),
    "F2": ((1 + B2) * P / (B2 * P + M), [M], (1 + B2) * P / (M * (B2 * P + 1)), [1]),
    "J": (0, ALL, 0, ALL),
    "MK": (0, INSIDE, 0, INSIDE),
    "BACC": (1 / 2, ALL, 1 / 2, ALL),
    "MCC": (0, INSIDE, 0, INSIDE),
    "KAPPA": (0, ALL, 0, ALL),
    "FM": (sqrt(P / M), [M], sqrt(P) / M, [1]),
    "TS": (P / M, [M], 0, [0]),
}


@pytest.mark.parametrize("keys", TABLE_2)
def test_table_2(keys: str) -> None:
    """The requirements, each for the measures that share them."""
    for key in keys.split():
        printed = [requirement.text for requirement in TWO_CLASS_MEASURES[key].requirements]
        assert printed == [f"{symbol} > 0" for symbol in TABLE_2[keys].split()]


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_requirement_fails_on_its_violations(key: str) -> None:
    """A table that violates a requirement has no score, and the warning names the count."""
    for requirement in TWO_CLASS_MEASURES[key].requirements:
        violations = list(requirement.violations())
        assert violations
        for table in violations:
            with pytest.warns(br.exceptions.UndefinedMeasureWarning, match=" = "):
                assert TWO_CLASS_MEASURES[key].score(table, undefined=-9.0) == -9.0


@pytest.mark.parametrize("key", TABLE_3)
def test_table_3(key: str) -> None:
    """Expectation, slope and intercept, in exact fractions where they are rational."""
    measure = br.get_measure(key)
    margins = Margins(Fraction(P), Fraction(N), Fraction(K), Fraction(M - K))
    for formula, printed in zip(
        (measure.draw.expectation, measure.draw.slope, measure.draw.intercept),
        TABLE_3[key],
        strict=True,
    ):
        exact = isinstance(printed, Fraction | int)
        assert formula(margins) == (printed if exact else pytest.approx(printed, rel=1e-15))


@pytest.mark.parametrize("key", TABLE_4)
def test_table_4(key: str) -> None:
    """Both extremes and their θ* equal Table 4; for ACC and G2 see the errata and below."""
    highest, where_highest, lowest, where_lowest = TABLE_4[key]
    base = br.baseline(br.BaseRate(positives=P, total=M), key)
    assert base.max.value == pytest.approx(highest, rel=1e-15)
    assert base.min.value == pytest.approx(lowest, rel=1e-15)
    assert members(base.max.guesses) == list(where_highest)
    assert members(base.min.guesses) == list(where_lowest)


def test_table_4_of_g2() -> None:
    """G2's minimum is 0 at both ends; its maximum has no formula and is computed."""
    base = br.baseline(br.BaseRate(positives=P, total=M), "G2")
    assert (base.min.value, members(base.min.guesses)) == (0, [0, M])
    (best,) = members(base.max.guesses)
    curve = br.expected_score(br.BaseRate(positives=P, total=M), "G2", [k / M for k in ALL])
    assert best == curve.argmax()
    assert base.max.value == pytest.approx(curve.max(), rel=1e-15)


@pytest.mark.parametrize(
    ("key", "side", "intervals"),
    [
        ("TP", "max", ["[39/40, 1]"]),
        ("TP", "min", ["[0, 1/40)"]),
        ("F1", "min", ["[1/40, 3/40)"]),
        ("FM", "min", ["[1/40, 3/40)"]),
        ("PPV", "max", ["[1/40, 1]"]),
        ("NPV", "max", ["[0, 39/40)"]),
        ("MCC", "min", ["[1/40, 39/40)"]),
        ("J", "max", ["[0, 1]"]),
        ("G2", "min", ["[0, 1/40)", "[39/40, 1]"]),
        ("TS", "max", ["[39/40, 1]"]),
    ],
)
def test_intervals_of_the_appendix(key: str, side: str, intervals: list[str]) -> None:
    """The continuous optimisers are open and closed as in the appendix."""
    optimum = getattr(br.baseline(br.BaseRate(positives=P, total=M), key), side)
    assert [str(interval) for interval in optimum.guesses.intervals] == intervals


@pytest.mark.parametrize("key", [key for key in PRINTED if key not in ("FN", "FP")])
def test_uci_table(key: str) -> None:
    """The maxima of eight data sets follow from P and M alone; for FN and FP see the errata."""
    for (positives, total), printed in zip(DATA_SETS.values(), PRINTED[key].split(), strict=True):
        value = br.baseline(br.BaseRate(positives=positives, total=total), key).max.value
        assert round(value, 3) == float(printed)


def test_g2_example_of_the_discussion() -> None:
    """P = 9, M = 10: 3/10, 4√2/15 and 1/10, and the maximum at θ* = 3/10."""
    rate = br.BaseRate(positives=9, total=10)
    scores = br.expected_score(rate, "G2", [0.1, 0.2, 0.9])
    assert scores == pytest.approx([3 / 10, 4 * sqrt(2) / 15, 1 / 10], rel=1e-15)
    assert list(br.baseline(rate, "G2").guesses) == [0.3]


def test_f_score_example_of_the_text() -> None:
    """Sec. 3.1: Fβ = (1 + β²)·TP / (β²·P + P̂), for any β."""
    table = br.ConfusionMatrix(tp=12, fp=3, fn=2, tn=13)
    for beta in (0.5, 1, 2, 3.7):
        printed = (1 + beta**2) * 12 / (beta**2 * 14 + 15)
        assert br.fbeta(beta).score(table) == pytest.approx(printed, rel=1e-15)


def test_prevalence_threshold_has_scores_and_no_baseline() -> None:
    """PT has a score, is undefined at TPR = FPR, and says why it has no baseline."""
    tpr, fpr = Fraction(3, 5), Fraction(1, 5)
    printed = (sqrt(tpr * fpr) - fpr) / (tpr - fpr)
    pt = br.get_measure("Prevalence Threshold")
    assert pt.score(br.ConfusionMatrix(tp=3, fp=1, fn=2, tn=4)) == pytest.approx(float(printed))
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="TPR ≠ FPR"):
        pt.score(br.ConfusionMatrix(tp=1, fp=1, fn=1, tn=1))
    rate = br.BaseRate(positives=5, total=10)
    for ask in (
        lambda: br.baseline(rate, "PT"),
        lambda: br.expected_score(rate, "PT", 0.5),
        lambda: br.DutchDraw(rate, 0.5).score("PT"),
    ):
        with pytest.raises(br.exceptions.NoBaselineError, match="TPR = FPR"):
            ask()
