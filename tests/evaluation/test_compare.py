"""Two models side by side: counts from anywhere, the same conclusions, and what they say."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

import baserate as br
import swaps
from backends import BACKENDS
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidPredictionsError,
    InvalidProbabilityError,
    NotInReportError,
)
from baserate.verdicts.difference import Better

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZE = 240
RNG = np.random.default_rng(7)
TRUTH = (RNG.random(SIZE) < 0.35).astype(int)


def _model(hits: float, alarms: float) -> Any:
    chance = RNG.random(SIZE)
    return np.where(TRUTH == 1, chance < hits, chance < alarms).astype(int)


MODELS = {"tree": _model(0.6, 0.2), "forest": _model(0.85, 0.1), "knn": _model(0.6, 0.2)}
TWO = {name: MODELS[name] for name in ("tree", "forest")}
REGION = np.array(["north", "south", "west"])[RNG.integers(0, 3, SIZE)]
MEASURES = ["F1", "MCC", "ACC", "FPR"]
COLUMNS = {
    name: column.tolist() for name, column in {"y": TRUTH, "region": REGION, **MODELS}.items()
}


def _expected() -> br.Comparison:
    by = pl.Series("region", REGION)
    return br.compare(TRUTH, MODELS, MEASURES, by=by)


# Spark takes a minute to start: the tests of clusters have it.
@pytest.mark.parametrize("make", [make for make in BACKENDS if make.id != "spark"])
def test_every_library_and_engine_counts_the_same(make: Callable[[Any], Any]) -> None:
    """A frame of any library gives the differences of plain arrays, to the last bit."""
    found = br.compare(make(COLUMNS), list(MODELS), MEASURES, truth="y", by="region")
    assert found == _expected()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files(tmp_path: Path, suffix: str) -> None:
    """A scan of files gives the differences of plain arrays."""
    path = tmp_path / f"preds.{suffix}"
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    found = br.compare(br.scan(path), list(MODELS), MEASURES, truth="y", by="region")
    assert found == _expected()


@pytest.mark.parametrize("count", [2, 6, 7, 9])
def test_many_models_in_one_aggregation(count: int) -> None:
    """Few and many models are counted in different ways, with the same result."""
    models = {f"m{place}": (RNG.random(SIZE) < 0.4).astype(int) for place in range(count)}
    frame = pl.DataFrame({"y": TRUTH, "region": REGION, **models})
    expected = br.compare(TRUTH, models, "F1", by=frame["region"])
    found = br.compare(frame.lazy(), list(models), "F1", truth="y", by="region")
    assert found == expected
    assert len(found.overall) == count * (count - 1) / 2


@pytest.mark.parametrize("count", [2, 8])
def test_missing_labels_are_dropped_for_all_models_alike(count: int) -> None:
    """A row with a missing label leaves all models, from arrays and from engines."""
    models = {f"m{place}": (RNG.random(SIZE) < 0.4) * 1.0 for place in range(count)}
    models["m0"][3:9], models["m1"][7:12] = np.nan, np.nan
    frame = pl.DataFrame({"y": TRUTH, **models}).with_columns(pl.col("^m.*$").fill_nan(None))
    kept = np.r_[0:3, 12:SIZE]
    expected = br.compare(TRUTH[kept], {name: each[kept] for name, each in models.items()}, "F1")
    one = br.compare(TRUTH, models, "F1", missing="drop")
    other = br.compare(frame.lazy(), list(models), "F1", truth="y", missing="drop")
    assert one == other
    assert one.dropped == 9
    assert one.differences == expected.differences
    with pytest.raises(InvalidLabelsError, match="missing"):
        br.compare(frame.lazy(), list(models), "F1", truth="y")


@pytest.mark.parametrize(
    ("negative", "positive"), [(-1, 1), (False, True), ("no", "yes"), (2.5, 7.0)]
)
def test_labels_of_any_kind(negative: Any, positive: Any) -> None:
    """Labels may be of any two classes."""
    named = {
        name: [positive if label else negative for label in each] for name, each in TWO.items()
    }
    truth = [positive if label else negative for label in TRUTH]
    given = None if positive == 1 else positive
    found = br.compare(truth, named, MEASURES, pos_label=given)
    assert found == br.compare(TRUTH, TWO, MEASURES)
    frame = pl.LazyFrame({"y": truth, **named})
    assert br.compare(frame, list(named), MEASURES, truth="y", pos_label=given) == found


def test_a_difference_has_the_numbers_of_its_rows() -> None:
    """The scores are those of each model, and the p-value is that of all swaps of the rows."""
    rows = [(1, 1, 1)] * 4 + [(1, 0, 1)] * 6 + [(1, 1, 0)] + [(0, 1, 0)] * 3 + [(0, 0, 0)] * 5
    truth, first, second = (list(column) for column in zip(*rows, strict=True))
    comparison = br.compare(truth, {"a": first, "b": second}, ["F1", "MCC", "ACC"])
    law, seen = swaps.swapped(rows), swaps.observed(rows)
    for each in comparison:
        measure = br.get_measure(each.measure)
        assert each.first_score == measure.score(br.Confusion.of(truth, first))
        assert each.second_score == measure.score(br.Confusion.of(truth, second))
        assert each.difference == each.first_score - each.second_score
        assert each.low < each.difference < each.high
        expected = swaps.p_value(law, seen, each.measure)
        assert expected is not None
        assert each.p_value == pytest.approx(float(expected), rel=1e-13)
        assert each.disagreements == 10
    assert comparison["a", "b", "ACC"].p_value == pytest.approx(binomtest(9, 10).pvalue)


def test_a_sentence_says_which_model_is_better() -> None:
    """The better model is named first, whichever of the two it is, in either direction."""
    first = br.compare(TRUTH, TWO, ["F1", "FNR"])
    second = br.compare(TRUTH, {name: TWO[name] for name in ("forest", "tree")}, ["F1", "FNR"])
    for measure in ("F1", "FNR"):
        one, other = first["tree", "forest", measure], second["forest", "tree", measure]
        assert (one.winner, other.winner) == ("forest", "forest")
        assert (one.outcome, other.outcome) == (Better.SECOND, Better.FIRST)
        assert (one.low, one.high) == (-other.high, -other.low)
        assert one.p_value == other.p_value
        for each in (one, other):
            assert str(each).startswith("forest is better than tree by ")


def test_sentences_and_data_have_one_sign() -> None:
    """The first minus the second, whichever of them is better; tables put the better one first."""
    for names in (("tree", "forest"), ("forest", "tree")):
        comparison = br.compare(TRUTH, {name: TWO[name] for name in names}, ["F1", "FNR"])
        for each in comparison:
            apart = f"{each.difference:.3f}"
            assert each.difference == each.first_score - each.second_score
            assert (each.difference > 0) == (names[0] == ("forest", "tree")[each.measure == "FNR"])
            assert f"{each.first_score:.3f}, " in str(each)
            ends = f"{each.low:.3f} to {each.high:.3f}"
            assert f"a difference of {apart} (95% CI {ends};" in str(each)


def test_counts_have_no_decimals() -> None:
    """Numbers of observations are whole in every sentence, 0 and 1 too, and so are their limits."""
    y_true = [1] * 3 + [0] * 20
    first, second = [0] * 5 + [1] + [0] * 17, [1] + [0] * 22
    hits, misses = map(str, br.compare(y_true, {"a": first, "b": second}, ["TP", "FN"]))
    assert "a 0, b 1, a difference of -1 (95% CI -5 to 3;" in hits
    assert "a 3, b 2, a difference of 1 (95% CI -3 to 5;" in misses
    assert str(br.confidence_interval(y_true, second, "TP")) == "TP 1 (95% interval 0 to 5)"


def test_no_evidence_is_no_claim() -> None:
    """Models of equal skill have no winner, and the sentence says no more than that."""
    difference = br.compare(TRUTH, {name: MODELS[name] for name in ("tree", "knn")}, "F1")
    (each,) = difference
    assert each.winner is None
    assert each.outcome == "no_evidence"
    assert str(each).startswith("tree and knn show no difference by F1: ")


def test_the_same_answers() -> None:
    """Identical models have a p-value of 1, and are said to give the same answers."""
    (each,) = br.compare(TRUTH, {"one": MODELS["tree"], "two": MODELS["tree"].copy()}, "F1")
    assert (each.p_value, each.difference, each.disagreements) == (1.0, 0.0, 0)
    score = f"{each.first_score:.3f}"
    assert str(each) == f"one and two give the same answers, so both have {score} by F1."


def test_a_model_without_a_score_cannot_be_compared() -> None:
    """Where a score is missing, the difference is undefined and says why; other measures stand."""
    comparison = br.compare(TRUTH, {"tree": MODELS["tree"], "none": 0 * TRUTH}, ["F1", "ACC"])
    undefined = comparison["tree", "none", "F1"]
    assert undefined.outcome == "undefined"
    assert math.isnan(undefined.p_value)
    assert math.isnan(undefined.low)
    assert str(undefined) == (
        "tree and none cannot be compared by F1: none predicts no positives, so it has no score."
    )
    assert comparison["tree", "none", "ACC"].outcome != "undefined"


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_p_values_are_adjusted_over_pairs_and_groups(adjust: Any) -> None:
    """Over every pair on the whole and in each group, by all measures; nan does not count."""
    from baserate.core.multiple_testing import adjusted

    models = MODELS | {"none": 0 * TRUTH}
    plain = br.compare(TRUTH, models, ["F1", "ACC"], by=REGION)
    found = br.compare(TRUTH, models, ["F1", "ACC"], by=REGION, adjust=adjust)
    family = [each.p_value for each in plain]
    assert np.array_equal([each.p_adjusted for each in found], adjusted(family, adjust), True)
    assert np.array_equal([each.p_value for each in found], family, True)
    for each in found:
        is_apart = each.low > 0 or each.high < 0
        assert (each.winner is not None) == (each.p_adjusted < 0.05 and is_apart)
    assert any(", adjusted " in str(each) for each in found)


def test_alpha_is_the_level_of_everything() -> None:
    """A smaller alpha makes intervals wider and claims rarer."""
    strict, loose = (br.compare(TRUTH, TWO, "MCC", alpha=alpha) for alpha in (0.01, 0.2))
    (one,), (other,) = strict, loose
    assert one.low < other.low < other.high < one.high
    assert "99% CI" in str(one)
    assert "80% CI" in str(other)
    with pytest.raises(InvalidProbabilityError, match="alpha"):
        br.compare(TRUTH, TWO, "MCC", alpha=5)


def test_a_measure_of_your_own() -> None:
    """A cost is compared like any measure, and a smaller one is better."""
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    (each,) = br.compare(TRUTH, TWO, cost)
    assert each.exact
    assert each.winner == "forest"
    assert each.difference > 0


def test_an_approximation_says_so() -> None:
    """A p-value from a sample of swaps is written with ≈, in sentences and in tables."""
    rng = np.random.default_rng(1)
    truth = (rng.random(40_000) < 0.5).astype(int)
    models = {name: (rng.random(40_000) < 0.5).astype(int) for name in "ab"}
    slow = br.Measure.custom("slow", lambda tp, fp, fn, tn: tp / (tp + fp) if tp > 3 else 0.0)
    comparison = br.compare(truth, models, slow, adjust="holm")
    (each,) = comparison
    assert not each.exact
    assert "p ≈ " in str(each)
    for text in (str(comparison), comparison.to_markdown(), comparison.to_html()):
        assert f"≈ {each.p_value:.2f}" in text


def test_every_pair_in_order() -> None:
    """Each model is compared with those after it, on the whole and then in each group."""
    found = _expected()
    pairs = list(combinations(MODELS, 2))
    assert list(dict.fromkeys((each.first, each.second) for each in found)) == pairs
    assert found.groups == ("north", "south", "west")
    assert found.by == "region"
    assert found.models == tuple(MODELS)
    assert len(found) == len(pairs) * 4 * len(MEASURES)
    assert len(found["tree", "forest"]) == 4 * len(MEASURES)
    assert found["tree", "knn", "matthews_corrcoef", "south"].group == "south"
    assert found.group("west").measure("f1")["tree", "knn", "F1", "west"].measure == "F1"


def test_what_a_comparison_does_not_have() -> None:
    """An unknown pair, measure or group is an error that names those there are."""
    found = _expected()
    with pytest.raises(
        NotInReportError, match=r"no pair \('forest', 'tree'\).*\('tree', 'forest'\)"
    ):
        found["forest", "tree"]
    with pytest.raises(NotInReportError, match="no measure 'TPR'"):
        found["tree", "forest", "TPR"]
    with pytest.raises(NotInReportError, match="no group 'east'"):
        found["tree", "forest", "F1", "east"]
    with pytest.raises(NotInReportError, match="asked for a pair"):
        found["tree"]  # type: ignore[call-overload]
    assert found.group(None).groups == ()


def test_a_number_without_a_text_is_no_group() -> None:
    """A number of more digits than Python writes is an absent group, and no other error."""
    for found in (_expected(), br.evaluate(TRUTH, TWO, "F1", by=REGION)):
        with pytest.raises(NotInReportError, match="no group a value of type int"):
            found.group(10**5000)
        with pytest.raises(NotInReportError, match="is asked for"):
            found[10**5000]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        ((TRUTH, {"tree": TRUTH}), {}, InvalidPredictionsError, "at least two models"),
        ((TRUTH, TRUTH), {}, InvalidPredictionsError, "at least two models"),
        ((TRUTH, None), {}, InvalidPredictionsError, "at least one model"),
        ((None, TWO), {}, InvalidPredictionsError, "y_true must be given"),
        (
            (TRUTH, {"a": TRUTH, "b": br.Confusion(tp=1)}),
            {},
            InvalidPredictionsError,
            "'b' is a Confusion",
        ),
        ((TRUTH, TWO), {"adjust": "both"}, InvalidPredictionsError, "adjust must be"),
        ((TRUTH, TWO), {"missing": "fill"}, InvalidFrameError, "missing must be"),
        ((TRUTH, {"a": TRUTH, "b": TRUTH[1:]}), {}, InvalidLabelsError, "equally long"),
        (
            (pl.DataFrame(COLUMNS), ["tree"]),
            {"truth": "y"},
            InvalidPredictionsError,
            "at least two",
        ),
    ],
)
def test_what_cannot_be_compared(
    arguments: Any, options: Any, error: type[Exception], match: str
) -> None:
    """Each error says what must hold and what was got."""
    with pytest.raises(error, match=match):
        br.compare(*arguments, "F1", **options)


def test_differences_are_equal_by_what_they_say() -> None:
    """Equal ones hash alike, also where a number is nan; other things are not equal."""
    truth = [0, 0, 0, 1, 1, 1]
    never = [0] * 6
    for predicted in ([0, 0, 1, 1, 1, 0], never):
        models = {"a": predicted, "b": never}
        one, same = (br.compare(truth, models, "PPV")["a", "b", "PPV"] for _ in range(2))
        assert one == same
        assert hash(one) == hash(same)
        assert one != "a difference"
        assert one.__eq__(1) is NotImplemented


def test_every_outcome_has_words_of_its_own() -> None:
    """The codes are for programs, and no two outcomes are said alike."""
    words = {outcome: outcome.sentence for outcome in Better}
    assert words[Better.FIRST] == "the first is better"
    assert words[Better.SECOND] == "the second is better"
    assert words[Better.NO_EVIDENCE] == "no evidence of a difference"
    assert len(set(words.values())) == len(Better)


def test_many_claims_have_enough_random_swaps() -> None:
    """A p-value can be a tenth of what the smallest of all adjusted ones must be below."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=60)
    models = {str(place): y + (0.3 + place) * rng.normal(size=60) for place in range(12)}
    alone, *_ = br.compare(y, {name: models[name] for name in ("0", "9")}, "Pearson")
    together = br.compare(y, models, "Pearson", adjust="holm")
    assert alone.p_value == 1e-4
    assert min(each.p_value for each in together) <= 0.05 / len(together) / 10
