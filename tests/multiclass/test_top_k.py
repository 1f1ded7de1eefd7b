"""Top-k accuracy against scikit-learn, all permutations and all decks."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import binom, binomtest
from sklearn.metrics import top_k_accuracy_score

import baserate as br
from baserate.cli.program import program
from baserate.core.direction import Direction
from baserate.core.task import Rows
from baserate.exceptions import (
    InvalidCountError,
    InvalidFrameError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    InvalidWeightsError,
    MisalignedRowsError,
    UnknownMeasureError,
)
from baserate.multiclass.top_k.answers import TopAnswers
from baserate.multiclass.top_k.measures import get_top_k, top_k_accuracy
from baserate.multiclass.top_k.null import null_of_sets
from baserate.multiclass.top_k.optimum import AnswerSet, top_baseline
from baserate.multiclass.top_k.scores import highest
from baserate.multiclass.top_k.sets import Sets
from baserate.multiclass.top_k.task import TOP_K
from baserate.paired import flip_test
from exact_tables import compositions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


LETTERS = "abcdefgh"


def made(rng: np.random.Generator, rows: int, classes: int, signal: float) -> tuple[Any, Any]:
    """Return true places, all of which occur, and scores that know something of them."""
    y_true = np.append(np.arange(classes), rng.integers(0, classes, rows - classes))
    scores = rng.random((rows, classes))
    scores[np.arange(rows), y_true] += signal
    return y_true, scores


def hits_of_deals(truth: Sequence[int], answers: Sequence[Sequence[int]]) -> dict[int, Fraction]:
    """Return the distribution of hits over all orders of the truth: the definition."""
    seen = Counter(
        sum(each in answer for each, answer in zip(order, answers, strict=True))
        for order in permutations(truth)
    )
    ways = math.factorial(len(truth))
    return {hits: Fraction(count, ways) for hits, count in seen.items()}


def sets_of(n: Sequence[int], answers: Sequence[Sequence[int]]) -> Sets:
    """Return the sets of answers that are given once each."""
    classes = np.array(answers, dtype=np.int64)
    return Sets.given(np.array(n), classes, np.ones(len(classes), dtype=np.int64))


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [float, np.float32, np.int64, np.uint8, bool])
def test_every_score_is_that_of_scikit_learn(kind: type) -> None:
    """Hits equal those of `top_k_accuracy_score` for every k, with many ties."""
    rng = np.random.default_rng(1)
    for classes in (3, 5, 9):
        y_true, _ = made(rng, 60, classes, 0)
        scores = rng.integers(0, 4, (60, classes)).astype(kind)
        for k in range(1, classes):
            expected = top_k_accuracy_score(y_true, scores, k=k)
            assert top_k_accuracy(k).score(TopAnswers.of(y_true, scores, k)) == expected


def test_the_record_names_scikit_learns_call() -> None:
    """The call of a measure gives its score, and prints what to write."""
    y_true, scores = made(np.random.default_rng(2), 40, 5, 0.3)
    call = br.get_measure("top-3 accuracy").sklearn
    assert call.score(y_true, scores) == TopAnswers.of(y_true, scores, 3).hits(3) / 40
    assert str(call) == "top_k_accuracy_score(y_true, y_score, k=3)"


def test_the_highest_scores_are_those_of_a_stable_sort() -> None:
    """The first k places are the last k of a stable ascending sort, for every k at once."""
    rng = np.random.default_rng(3)
    values = rng.choice([-np.inf, -1.0, -0.0, 0.0, 2.0, np.inf], (500, 7))
    order = np.argsort(values, axis=1, kind="stable")[:, ::-1]
    for ks in [(1,), (2,), (6,), (1, 3), (2, 3, 5)]:
        found = highest(values, ks)
        assert found.shape == (500, ks[-1])
        for k in ks:
            assert (np.sort(found[:, :k]) == np.sort(order[:, :k])).all()
        assert (np.diff(found[:, : ks[0]]) > 0).all()


def test_pieces_of_rows_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The highest scores do not depend on how many rows are looked at together."""
    values = np.random.default_rng(4).random((50, 6))
    whole = highest(values, (2, 4))
    monkeypatch.setattr("baserate.multiclass.top_k.scores._AT_ONCE", 13)
    assert (highest(values, (2, 4)) == whole).all()


@pytest.mark.parametrize(
    "name", ["top-3 accuracy", "Top 3 Accuracy", "top_3_accuracy", "top3 acc", "accuracy@3"]
)
def test_names(name: str) -> None:
    """A measure has one record, whichever way its name is written."""
    assert br.get_measure(name) is top_k_accuracy(3)
    assert br.get_measure(name, task="top-k") is top_k_accuracy(3)


def test_scikit_learns_default_is_two() -> None:
    """Names without a number mean k = 2, and so does no name."""
    for name in ("top_k_accuracy", "top_k_accuracy_score", "Top-k accuracy"):
        assert br.get_measure(name).k == 2
    assert TOP_K.chosen(None) == TOP_K.chosen("all") == (top_k_accuracy(2),)


def test_a_measure_survives_a_pickle() -> None:
    """The copy is the record itself."""
    assert pickle.loads(pickle.dumps(top_k_accuracy(7))) is top_k_accuracy(7)


# --- the baseline ---------------------------------------------------------------------------------


def expected_hits(n: Sequence[int], deck: Sequence[tuple[int, ...]]) -> Fraction:
    """Return the mean score of a deck of answers over all orders of the truth."""
    truth = [c for c, count in enumerate(n) for _ in range(count)]
    law = hits_of_deals(truth, deck)
    return sum((hits * chance for hits, chance in law.items()), Fraction(0)) / len(truth)


@pytest.mark.parametrize("n", [(2, 1, 1), (1, 3), (2, 2), (1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1)])
def test_no_deck_of_answers_is_better(n: tuple[int, ...]) -> None:
    """Over all decks of pairs the extremes of the expectation are those of the baseline."""
    labels = LETTERS[: len(n)]
    pairs = list(combinations(range(len(n)), 2))
    by_pair = {pair: Fraction(sum(n[c] for c in pair), sum(n)) for pair in pairs}
    found = []
    for deck in combinations_with_replacement(pairs, sum(n)):
        value = sum((by_pair[pair] for pair in deck), Fraction(0)) / sum(n)
        found.append((value, set(deck)))
    # By the definition, for a few of them.
    for deck in [pairs[:1] * sum(n), (pairs * sum(n))[: sum(n)]]:
        mean = sum((by_pair[pair] for pair in deck), Fraction(0)) / sum(n)
        assert expected_hits(n, deck) == mean
    base = top_baseline(br.ClassCounts(dict(zip(labels, n, strict=True))), top_k_accuracy(2))
    for optimum, best in ((base.max, max(found)[0]), (base.min, min(found)[0])):
        assert optimum.value == float(best)
        constant = {pair for value, deck in found for pair in deck if value == best}
        assert {frozenset(answer) for answer in optimum.decks} == {
            frozenset(labels[c] for c in pair) for pair in constant
        }
        assert len(optimum.decks) == len(constant)


def test_the_baseline_in_words() -> None:
    """The best answers are named, with those that tie."""

    def reference(k: int, **counts: int) -> str:
        return top_baseline(br.ClassCounts(counts), top_k_accuracy(k)).reference

    assert reference(2, a=5, b=3, c=2) == "always 'a' and 'b'"
    assert reference(2, a=5, b=2, c=2) == "always 'a' and one of 'b' and 'c'"
    assert reference(2, a=2, b=2, c=2) == "always two of 'a', 'b' and 'c'"
    assert reference(3, a=2, b=1) == "always 'a' and 'b'"
    many = dict.fromkeys(LETTERS, 1)
    assert reference(3, **many) == "always any three of the 8 classes"
    assert reference(7, a=9, b=9, c=9, d=9, e=9, f=9, g=9, h=1) == (
        "always 'a', 'b', 'c', 'd', 'e' and 2 more"
    )


def test_fewer_classes_than_answers_are_perfect_for_free() -> None:
    """Where no more than k classes occur, naming them all is always right."""
    base = top_baseline(br.ClassCounts({"a": 3, "b": 1, "c": 0}), top_k_accuracy(2))
    assert (base.best.value, base.worst.value) == (1.0, 1.0)


def test_answer_sets() -> None:
    """A set of answers knows its members in any order, and how many there are."""
    found = AnswerSet(("a",), ("b", "c", "d"), 2)
    assert len(found) == 3
    assert ("d", "a", "b") in found
    for other in (("b", "c", "d"), ("a", "b"), ("a", "b", "b"), "abc", 3, ("a", "b", "x")):
        assert other not in found
    assert repr(AnswerSet((), tuple(LETTERS), 1)).endswith("…: 8 answers})")


# --- the distribution -----------------------------------------------------------------------------


def boards() -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Yield class counts and answers of all kinds, absent classes among them."""
    rng = np.random.default_rng(5)
    for n in [(2, 2, 1), (1, 1, 1, 1), (3, 1, 1, 1), (2, 2, 2), (0, 3, 2), (4, 0, 1, 0), (2, 1)]:
        for k in range(1, len(n)):
            sets = list(combinations(range(len(n)), k))
            for _ in range(4):
                yield n, [sets[place] for place in rng.integers(0, len(sets), sum(n))]


@pytest.mark.parametrize(("n", "answers"), list(boards()))
def test_hits_are_distributed_as_all_permutations_say(
    n: tuple[int, ...], answers: list[tuple[int, ...]]
) -> None:
    """Tails, quantiles and moments are those of all M! shuffles."""
    truth = [c for c, count in enumerate(n) for _ in range(count)]
    exact = hits_of_deals(truth, answers)
    null = null_of_sets(sets_of(n, answers))
    assert null.exact
    below, total = Fraction(0), len(truth)
    for count in range(-1, total + 2):
        chance = exact.get(count, Fraction(0))
        assert null.sf(count / total) == pytest.approx(float(1 - below), rel=1e-11, abs=1e-15)
        below += chance
        assert null.cdf(count / total) == pytest.approx(float(below), rel=1e-11, abs=1e-15)
        if chance:
            assert null.ppf(float(below - chance / 2)) == pytest.approx(count / total)
    mean = sum((hits * chance for hits, chance in exact.items()), Fraction(0))
    square = sum(((hits - mean) ** 2 * chance for hits, chance in exact.items()), Fraction(0))
    assert null.mean() == pytest.approx(float(mean) / total)
    assert null.var() == pytest.approx(float(square) / total**2, abs=1e-15)


@pytest.mark.parametrize("rows", [8, 40, 500])
def test_one_class_is_accuracy(rows: int) -> None:
    """With k = 1 the p-value and the luck interval are those of the accuracy of the argmax."""
    y_true, scores = made(np.random.default_rng(6), rows, 6, 0.2)
    y_pred = scores.argmax(axis=1)
    (one,) = br.evaluate(y_true, scores, "top-1 accuracy")
    (other,) = br.evaluate(y_true, y_pred, "accuracy", task="multiclass")
    for fact in ("score", "low", "high", "baseline", "p_value", "p_worse", "luck_low", "luck_high"):
        assert getattr(one, fact) == pytest.approx(getattr(other, fact), rel=1e-12)
    assert one.exact == other.exact


def test_all_classes_but_one_is_accuracy_of_what_is_left_out() -> None:
    """With k = K - 1 a miss is a match of the class that is left out."""
    y_true, scores = made(np.random.default_rng(7), 300, 4, 0.1)
    (found,) = br.evaluate(y_true, scores, "top-3 accuracy")
    (misses,) = br.evaluate(y_true, scores.argmin(axis=1), "accuracy", task="multiclass")
    assert found.score == pytest.approx(1 - misses.score)
    assert found.p_value == pytest.approx(misses.p_worse, rel=1e-6)
    assert found.p_worse == pytest.approx(misses.p_value, rel=1e-6)


def exact_hits(n: Sequence[int], m: Sequence[int], member: Any) -> Any:
    """Return the exact distribution of hits by dealing to one kind of answer after another."""
    states: dict[tuple[int, ...], Counter] = {tuple(n): Counter({0: 1})}
    for size, inside in zip(m, member, strict=True):
        after: dict[tuple[int, ...], Counter] = {}
        for left, law in states.items():
            for taken in compositions(size, len(left)):
                if any(t > c for t, c in zip(taken, left, strict=True)):
                    continue
                ways = math.prod(math.comb(c, t) for c, t in zip(left, taken, strict=True))
                gained = sum(t for t, is_in in zip(taken, inside, strict=True) if is_in)
                rest = tuple(c - t for c, t in zip(left, taken, strict=True))
                found = after.setdefault(rest, Counter())
                for hits, count in law.items():
                    found[hits + gained] += count * ways
        states = after
    (law,) = states.values()
    total = sum(law.values())
    return {hits: Fraction(count, total) for hits, count in law.items()}


def test_tails_are_near_the_exact_distribution() -> None:
    """Within 1% wherever a tail is above 1e-6, with 60 observations."""
    n, m = (24, 18, 12, 6), (20, 15, 15, 10)
    member = [(1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)]
    exact = exact_hits(n, m, member)
    places = np.array([np.flatnonzero(each) for each in member])
    null = null_of_sets(Sets(np.array(n), places, np.array(m)))
    for hits in range(61):
        above = float(sum(chance for count, chance in exact.items() if count >= hits))
        if above > 1e-6:
            assert null.sf(hits / 60) == pytest.approx(above, rel=0.01)


@pytest.mark.parametrize(
    ("rows", "classes", "k", "method"),
    [
        (30, 3, 2, "exact"),
        (12, 4, 2, "exact"),
        (200, 5, 2, "saddlepoint"),
        (600, 60, 5, "saddlepoint"),
        (3_000, 60, 5, "permutations"),
    ],
)
def test_a_method_for_every_size(rows: int, classes: int, k: int, method: str) -> None:
    """Small test sets are exact; larger ones say that they are not."""
    y_true, scores = made(np.random.default_rng(10), rows, classes, 0.02)
    answers = TopAnswers.of(y_true, scores, k)
    null = null_of_sets(Sets.of(answers, k))
    assert null.method == method
    assert null.exact == (null.error == 0)
    sd = math.sqrt(null.var())
    middle = null.sf(round(null.mean() * rows) / rows)
    assert middle == pytest.approx(0.5, abs=0.6 / (sd * rows) + 0.05)
    assert null.ppf(0.975) == pytest.approx(null.mean() + 1.96 * sd, abs=0.2 * sd + 1 / rows)


def test_chance_rarely_looks_like_learning() -> None:
    """Of models whose scores are noise, at most alpha have a p-value of alpha or less."""
    rng = np.random.default_rng(11)
    y_true = rng.choice(4, 24, p=[0.4, 0.3, 0.2, 0.1])
    p_values = np.array(
        [br.p_value(y_true, rng.random((24, 4)), "top-2 accuracy") for _ in range(60)]
    )
    for alpha in (0.05, 0.2, 0.5):
        count = int((p_values <= alpha).sum())
        assert binom.sf(count - 1, p_values.size, alpha) > 1e-3


def test_the_distribution_of_any_deck() -> None:
    """A deck of answers has the distribution of all permutations."""
    counts = br.ClassCounts({"a": 3, "b": 2, "c": 1})
    deck = {("a", "b"): 3, ("c", "b"): 2, ("a", "c"): 1}
    law = br.null_distribution(counts, deck, "top-2 accuracy")
    answers = [answer for answer, count in deck.items() for _ in range(count)]
    exact = hits_of_deals("aaabbc", answers)  # type: ignore[arg-type]
    mean = float(sum(hits * chance for hits, chance in exact.items())) / 6
    square = float(sum(hits**2 * chance for hits, chance in exact.items())) / 36
    assert law.mean() == pytest.approx(mean)
    assert law.var() == pytest.approx(square - mean**2)
    for score in (0.4, 0.5, 4 / 6, 0.99, 1.0):
        above = float(sum(chance for hits, chance in exact.items() if hits / 6 >= score))
        assert law.tail(score, Direction.MAXIMIZE) == pytest.approx(above)
        below = float(sum(chance for hits, chance in exact.items() if hits / 6 <= score))
        assert law.tail(score, Direction.MINIMIZE) == pytest.approx(below)
    assert law.exact
    assert (law.error, law.method) == (0, "exact")
    low, high = law.interval(0.9)
    assert low <= mean <= high


@pytest.mark.parametrize(
    "deck",
    [
        (6, 0, 0),
        {("a",): 6},
        {("a", "a"): 6},
        {("a", "x"): 6},
        {("a", "b"): 5},
        {("a", "b"): 7, ("a", "c"): -1},
    ],
)
def test_decks_that_are_none(deck: Any) -> None:
    """A deck has answers of k different classes, one for each observation."""
    counts = br.ClassCounts({"a": 3, "b": 2, "c": 1})
    with pytest.raises(InvalidCountError, match="y_pred must be"):
        br.null_distribution(counts, deck, "top-2 accuracy")


def test_a_probability_of_an_interval() -> None:
    """The confidence of an interval is a probability."""
    law = br.null_distribution(
        br.ClassCounts({"a": 2, "b": 1, "c": 1}), {("a", "b"): 4}, "top-2 accuracy"
    )
    assert law.interval(0.95) == (0.75, 0.75)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        law.interval(95)


# --- intervals and comparisons --------------------------------------------------------------------


def test_the_interval_of_a_score_is_that_of_a_rate() -> None:
    """The limits of a score are those of Clopper and Pearson."""
    y_true, scores = made(np.random.default_rng(12), 80, 5, 0.3)
    found = br.interval(y_true, scores, "top-2 accuracy", alpha=0.1)
    hits = TopAnswers.of(y_true, scores, 2).hits(2)
    expected = binomtest(hits, 80).proportion_ci(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_margin_covers_the_truth() -> None:
    """The limits of a margin are wrong about as often as they may be, at most."""
    rng = np.random.default_rng(13)
    shares = np.array([0.35, 0.3, 0.2, 0.15])
    wrong, trials = Counter(), 150
    # A hit has the probability 0.8 whatever the class, and the best pair of classes 0.65.
    for _ in range(trials):
        y_true = rng.choice(4, 150, p=shares)
        is_hit = rng.random(150) < 0.8
        scores = rng.random((150, 4))
        scores[np.arange(150), y_true] = np.where(is_hit, 2.0, -1.0)
        answers = TopAnswers.of(y_true, scores, 2)
        yardstick = TOP_K.yardstick(answers.test_set, top_k_accuracy(2))
        low, high = TOP_K.uncertainty(answers, 0.1).margin(yardstick)
        wrong["low"] += low > 0.15
        wrong["high"] += high < 0.15
    for end in ("low", "high"):
        assert binom.sf(wrong[end] - 1, trials, 0.05) > 1e-3


def test_a_constant_answer_has_no_margin() -> None:
    """A model that always answers the most frequent classes is no better, and may be worse."""
    scores = np.tile([3.0, 2.0, 1.0], (50, 1))
    (verdict,) = br.evaluate(["a"] * 25 + ["b"] * 15 + ["c"] * 10, scores, "top-2 accuracy")
    assert (verdict.margin, verdict.p_value, verdict.beats) == (0, 1, False)
    assert verdict.margin_low < 0 <= verdict.margin_high
    assert str(verdict) == (
        "Top-2 accuracy of model: 0.800 is no better than the baseline of 0.800 (always 'a' and "
        "'b'), with no evidence of learning (p = 1.000). It always answers the same 2 classes."
    )


@pytest.mark.parametrize("counts", list(product(range(5), repeat=2)))
def test_swaps_are_those_of_mcnemar(counts: tuple[int, int]) -> None:
    """The p-value is the share of all swaps with as large a difference, or a larger one."""
    first, second = counts
    swaps = list(product((-1, 1), repeat=first + second))
    reached = sum(abs(sum(swap)) >= abs(first - second) for swap in swaps)
    found = flip_test(np.array([1.0, -1.0]), np.array([first, second]))
    assert found.p_value == pytest.approx(reached / len(swaps))


def test_two_models_on_the_same_rows() -> None:
    """The difference is that of the scores; whoever swaps the models changes its sign only."""
    y_true, first = made(np.random.default_rng(14), 120, 5, 0.1)
    _, second = made(np.random.default_rng(14), 120, 5, 0.8)
    (one,) = br.compare(y_true, {"a": first, "b": second}, "top-2 accuracy")
    (other,) = br.compare(y_true, {"b": second, "a": first}, "top-2 accuracy")
    hits = [
        (np.argsort(scores)[:, -2:] == y_true[:, np.newaxis]).any(axis=1)
        for scores in (first, second)
    ]
    discordant = int((hits[0] & ~hits[1]).sum()), int((~hits[0] & hits[1]).sum())
    assert one.difference == pytest.approx(float(hits[0].mean() - hits[1].mean()))
    assert one.p_value == pytest.approx(binomtest(discordant[0], sum(discordant)).pvalue)
    assert one.winner == other.winner == "b"
    assert (one.low, one.high) == (-other.high, -other.low)
    assert one.low < one.difference < one.high


def test_equal_models_have_symmetric_limits() -> None:
    """Models with as many single hits have limits around 0."""
    y_true = ["a", "b"] * 6
    one, other = np.tile([2.0, 1.0], (12, 1)), np.tile([1.0, 2.0], (12, 1))
    (found,) = br.compare(y_true, {"one": one, "other": other}, "top-1 accuracy")
    assert (found.p_value, found.disagreements) == (1, 12)
    assert found.low == -found.high < 0
    (found,) = br.compare(y_true, {"one": one, "same": one}, "top-1 accuracy")
    assert (found.low, found.high, found.disagreements) == (0, 0, 0)


# --- reports --------------------------------------------------------------------------------------


def example() -> tuple[list[str], dict[str, Any]]:
    """Return a truth, and the scores of a model that knows something and of one that does not."""
    rng = np.random.default_rng(16)
    y_true = rng.choice(list("abcd"), 160, p=[0.4, 0.3, 0.2, 0.1])
    truth = np.array(["abcd".index(each) for each in y_true])
    net = rng.random((160, 4))
    net[np.arange(160), truth] += 0.5
    return y_true.tolist(), {"net": net, "noise": rng.random((160, 4))}


def test_a_verdict() -> None:
    """A model that knows something clears the baseline of the most frequent classes."""
    y_true, models = example()
    report = br.evaluate(y_true, models, "top-2 accuracy")
    verdict = report["net", "top-2 accuracy"]
    assert verdict.baseline == sum(sorted(Counter(y_true).values())[-2:]) / 160
    assert verdict.outcome is br.Outcome.CLEARS
    assert "(always 'a' and 'b')" in str(verdict)
    assert report["noise", "top_k_accuracy"].fails
    br.assert_beats_baseline(y_true, models["net"], "top-2 accuracy")
    with pytest.raises(AssertionError, match="Top-2 accuracy of model"):
        br.assert_beats_baseline(y_true, models["noise"], "top-2 accuracy")


def test_one_number_at_a_time() -> None:
    """The functions of one number agree with the verdict."""
    y_true, models = example()
    (verdict,) = br.evaluate(y_true, models["net"], "top-3 accuracy")
    asked = (y_true, models["net"], "top-3 accuracy")
    table = TopAnswers.of(y_true, models["net"], 3)
    assert br.p_value(*asked) == br.p_value(table) == verdict.p_value
    assert br.rescaled_score(*asked) == verdict.rescaled
    assert br.interval(table, "top-3 accuracy") == br.interval(*asked)
    assert br.baseline(y_true, "top-3 accuracy").best.value == verdict.baseline
    assert br.baseline(table, "top-3 accuracy").best.value == verdict.baseline
    counts = br.ClassCounts.of(y_true)
    assert br.rescaled_score(counts, "top-3 accuracy", verdict.score) == verdict.rescaled


def test_several_ks_side_by_side() -> None:
    """Several ks in one call are what they are in calls of their own."""
    y_true, models = example()
    names = ["top-3 accuracy", "top-1 accuracy", "top-2 accuracy"]
    together = br.evaluate(y_true, models, names)
    assert together.measures == tuple(names)
    for name in names:
        for verdict in br.evaluate(y_true, models, name):
            same = together[verdict.model, name]
            for fact in ("score", "p_value", "margin_low", "luck_high", "low"):
                assert getattr(same, fact) == getattr(verdict, fact)
    pairs = br.compare(y_true, models, names)
    for name in names:
        (alone,) = br.compare(y_true, models, name)
        same = pairs["net", "noise", name]
        assert (same.low, same.high, same.p_value) == (alone.low, alone.high, alone.p_value)


def test_groups() -> None:
    """Each group is judged by its own classes, and one with no more than k of them not at all."""
    y_true, models = example()
    by = ["x" if label in "ab" else "y" if place % 2 else "z" for place, label in enumerate(y_true)]
    report = br.evaluate(y_true, models, "top-2 accuracy", by=by)
    for group in ("x", "y", "z"):
        rows = [place for place, each in enumerate(by) if each == group]
        verdict = report["net", "top-2 accuracy", group]
        is_hit = [
            y_true[row] in {"abcd"[c] for c in np.argsort(models["net"][row])[-2:]} for row in rows
        ]
        sizes = sorted(Counter(y_true[row] for row in rows).values())
        assert verdict.score == sum(is_hit) / len(rows)
        assert verdict.baseline == sum(sizes[-2:]) / len(rows)
        assert verdict.outcome is br.Outcome.UNINFORMATIVE
    assert report["net", "top-2 accuracy"].outcome is br.Outcome.CLEARS


@pytest.mark.parametrize("names", ["top-2 accuracy", ["top-1 accuracy", "top-3 accuracy"]])
def test_reports_survive_json(names: Any) -> None:
    """A report and a comparison are the same after a round trip, and become frames."""
    y_true, models = example()
    by = ["left", "right"] * 80
    report = br.evaluate(y_true, models, names, by=by)
    assert br.Report.from_json(report.to_json()) == report
    assert len(report.to_frame()) == len(report)
    comparison = br.compare(y_true, models, names, by=by)
    assert br.Comparison.from_json(comparison.to_json()) == comparison
    assert len(comparison.to_frame()) == len(comparison)
    for text in (report.to_markdown(), report.to_latex(), report.to_html()):
        assert "accuracy" in text


def test_a_broken_record_is_refused() -> None:
    """Answers of a record must be places of classes, and hits those of the answers."""
    y_true, models = example()
    report = br.evaluate(y_true, models, "top-2 accuracy")
    with pytest.raises(ValueError, match="report must be"):
        br.Report.from_json(report.to_json().replace('"ks": [', '"ks": [7, ', 1))
    facts = TOP_K.observe_pairs(y_true, models, Rows())
    (joint,) = facts.pairs.values()
    record = joint[None].facts
    assert TOP_K.joint(record) == joint[None]
    with pytest.raises(InvalidCountError, match="hits must be"):
        TOP_K.joint(record | {"hits": [[1, 2, 3, 4]]})


@pytest.mark.parametrize(
    ("ks", "answers", "cells"),
    [
        ((), [[0, 1]], ([0], [0], [1])),
        ((2, 1), [[0, 1]], ([0], [0], [1])),
        ((1,), [[0, 1]], ([0], [0], [1])),
        ((2,), [[0, 3]], ([0], [0], [1])),
        ((2,), [[0, 1]], ([3], [0], [1])),
        ((2,), [[0, 1]], ([0], [1], [1])),
        ((2,), [[0, 1]], ([0], [0], [0])),
        ((2,), [[0, 1]], ([0, 1], [0], [1])),
    ],
)
def test_answers_that_are_none(ks: Any, answers: Any, cells: Any) -> None:
    """Answers are k places of classes each, and counts are those of observations."""
    with pytest.raises(InvalidCountError):
        TopAnswers(ks, "abc", answers, cells)


def test_answers_compare_by_what_they_hold() -> None:
    """Answers are equal if all counts are, and then they hash alike."""
    y_true, models = example()
    one, same = (TopAnswers.of(y_true, models["net"], 2) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != TopAnswers.of(y_true, models["noise"], 2)
    assert one != TopAnswers.of(y_true, models["net"], 3)
    assert one != 3
    assert repr(one) == (
        f"TopAnswers(top 2 of 4 classes: {one.hits(2)} of {len(y_true)} observations are hits)"
    )


def test_cells_are_the_counts_that_are_not_0() -> None:
    """A cell is a class, an answer by its number, and how often they met."""
    scores = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.4, 0.3, 0.2]]
    answers = TopAnswers.of(list("abca"), scores, 2)
    truth, given, counts = answers.cells
    assert answers.answers.tolist() == [[0, 1], [1, 2]]
    assert sorted(zip(truth, given, counts, strict=True)) == [(0, 0, 2), (1, 1, 1), (2, 0, 1)]


def test_many_classes_are_told_apart() -> None:
    """Answers whose places do not fit in one number are counted as others are."""
    y_true, scores = made(np.random.default_rng(17), 300, 200, 0.2)
    answers = TopAnswers.of(y_true, scores, 9)
    assert 200**9 > 2**62
    assert answers.hits(9) / 300 == top_k_accuracy_score(y_true, scores, k=9)
    assert answers.answer_counts.sum() == 300


# --- what may be passed ---------------------------------------------------------------------------


def score_of(y_true: Any, scores: Any, **options: Any) -> float:
    """Return the top-2 accuracy of a single model."""
    (verdict,) = br.evaluate(y_true, scores, "top-2 accuracy", **options)
    return verdict.score


def test_scores_of_every_kind() -> None:
    """Arrays, lists of rows and data frames have one score; named columns in any order."""
    y_true, models = example()
    net = models["net"]
    expected = top_k_accuracy_score(y_true, net, k=2)
    frame = pd.DataFrame(net, columns=list("abcd"))
    for scores in (
        net,
        net.tolist(),
        np.ma.masked_array(net),
        net.astype(object),
        frame,
        frame[list("dbca")],
        frame.astype("Float64"),
        pd.DataFrame(net),
        pl.from_pandas(frame),
        pl.from_pandas(frame).to_arrow(),
        {"net": frame},
    ):
        assert score_of(y_true, scores) == expected
    assert score_of(pd.Series(y_true), frame) == expected
    assert score_of(pl.Series(y_true), pl.from_pandas(frame)) == expected


def test_classes_that_never_occur() -> None:
    """Columns may name classes that are not in the truth, as labels= says in scikit-learn."""
    y_true = [0, 2, 2, 0, 3]
    scores = np.random.default_rng(18).integers(0, 3, (5, 5)).astype(float)
    expected = top_k_accuracy_score(y_true, scores, k=2, labels=range(5))
    assert score_of(y_true, pd.DataFrame(scores)) == expected
    texts = pl.DataFrame(scores, schema=list("01234"))
    assert score_of(y_true, texts) == expected
    assert score_of(list(map(str, y_true)), texts) == expected


def test_missing_scores_may_be_dropped() -> None:
    """Rows without a score or a label are left out of all models, if that is asked for."""
    y_true, models = example()
    net = models["net"].copy()
    net[3, 1] = np.nan
    truth = [None if place == 5 else label for place, label in enumerate(y_true)]
    report = br.evaluate(truth, models | {"net": net}, "top-2 accuracy", missing="drop")
    assert report.dropped == 2
    kept = [place for place in range(160) if place not in (3, 5)]
    expected = top_k_accuracy_score([y_true[each] for each in kept], net[kept], k=2)
    assert report["net", "top-2 accuracy"].score == expected
    with pytest.raises(InvalidScoresError, match=r"missing scores .* first at position 3"):
        br.evaluate(y_true, {"net": net}, "top-2 accuracy")
    with pytest.raises(InvalidLabelsError, match="first at position 5"):
        br.evaluate(truth, models, "top-2 accuracy")


def test_weights_count_observations() -> None:
    """A row of weight 2 counts twice; one of weight 0 does not."""
    y_true, models = example()
    weights = np.random.default_rng(19).integers(0, 3, 160)
    found = TOP_K.reader.weigh(y_true, models["net"], None, weights)
    expected = top_k_accuracy_score(y_true, models["net"], k=2, sample_weight=weights)
    assert top_k_accuracy(2).score(found) == pytest.approx(expected)
    with pytest.raises(InvalidWeightsError, match="whole numbers"):
        TOP_K.reader.weigh(y_true, models["net"], None, weights + 0.3)


SCORES = np.arange(21).reshape(7, 3) % 5 / 5
TRUTH = ["a", "b", "c", "a", "b", "c", "a"]


@pytest.mark.parametrize(
    ("error", "message", "predictions", "measures"),
    [
        (InvalidScoresError, "one column.*takes scores", {"net": TRUTH}, "top-2 accuracy"),
        (InvalidScoresError, "one column.*takes scores", [0, 1, 2, 0, 1, 2, 0], "top-2 accuracy"),
        (InvalidLabelsError, "which take a column per class", {"net": SCORES}, "accuracy"),
        (InvalidLabelsError, "which take a column per class", SCORES, "macro F1"),
        (InvalidLabelsError, "which take a column per class", {"net": SCORES}, None),
        (InvalidMeasureError, "of one task", {"net": SCORES}, ["accuracy", "top-2 accuracy"]),
        (InvalidMeasureError, "more than 3 classes", {"net": SCORES}, "top-3 accuracy"),
        (InvalidMeasureError, "k must be at least 1", {"net": SCORES}, "top-0 accuracy"),
        (InvalidScoresError, "4 columns for the 3", np.ones((7, 4)), "top-2 accuracy"),
        (InvalidScoresError, "6 rows and 7 labels", np.ones((6, 3)), "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", [list("abc")] * 7, "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", [[1, 2], [1]], "top-2 accuracy"),
        (
            InvalidScoresError,
            "table of numbers",
            np.array([["0.5", 0.2, None]] * 7, dtype=object),
            "top-2 accuracy",
        ),
        (InvalidScoresError, "table of numbers", np.ones((0, 3)), "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", {"net": 3}, "top-2 accuracy"),
        (InvalidScoresError, "3 dimensions", np.ones((7, 3, 2)), "top-2 accuracy"),
        (
            InvalidScoresError,
            "none for 'c'",
            pd.DataFrame(SCORES, columns=list("abx")),
            "top-2 accuracy",
        ),
        (
            InvalidScoresError,
            "each once",
            pd.DataFrame(SCORES, columns=list("abb")),
            "top-2 accuracy",
        ),
        (InvalidScoresError, "LazyFrame", {"net": pl.LazyFrame({"a": [1]})}, "top-2 accuracy"),
        (InvalidPredictionsError, "at least one model", {}, "top-2 accuracy"),
        (InvalidPredictionsError, "at least one model", None, "top-2 accuracy"),
    ],
)
def test_what_cannot_be_judged(
    error: type[Exception], message: str, predictions: Any, measures: Any
) -> None:
    """An error says what was passed, and what to pass instead."""
    with pytest.raises(error, match=message):
        br.evaluate(TRUTH, predictions, measures)


def test_other_errors() -> None:
    """Rows that do not match, one column of a frame, and answers without rows."""
    shifted = pd.DataFrame(SCORES, columns=list("abc"), index=range(1, 8))
    with pytest.raises(MisalignedRowsError, match="same index"):
        br.evaluate(pd.Series(TRUTH), {"net": shifted}, "top-2 accuracy")
    frame = pd.DataFrame({"label": TRUTH, "net": TRUTH})
    for function in (br.evaluate, br.compare):
        with pytest.raises(InvalidFrameError, match="not one column"):
            function(frame, ["net", "label"], "top-2 accuracy", truth="label")
    answers = TopAnswers.of(TRUTH, SCORES)
    with pytest.raises(InvalidPredictionsError, match="no rows to group"):
        br.evaluate(TRUTH, answers, "top-2 accuracy", by=TRUTH)
    with pytest.raises(InvalidPredictionsError, match="counted on the labels"):
        br.evaluate(["a"] * 7, answers, "top-2 accuracy")
    with pytest.raises(InvalidPredictionsError, match="y_true must be given"):
        br.evaluate(None, SCORES, "top-2 accuracy")
    with pytest.raises(InvalidMeasureError, match=r"top 1 classes \(got the top 2\)"):
        br.evaluate(TRUTH, answers, "top-1 accuracy")
    with pytest.raises(InvalidMeasureError, match="given TopAnswers"):
        top_k_accuracy(2).score(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidCountError, match="whole number"):
        top_k_accuracy(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["top accuracy", "top-2", "top", 3, None, "accuracy"])
def test_names_of_other_things(name: Any) -> None:
    """Other names are unknown, and the error says how to write one."""
    assert TOP_K.named(name) is None
    with pytest.raises(UnknownMeasureError, match="write 'top-3 accuracy'"):
        get_top_k(name)
    with pytest.raises(UnknownMeasureError):
        TOP_K.chosen(name if name is not None else [None])


def test_the_baseline_of_a_file(tmp_path: Path) -> None:
    """The true classes are enough: the two most frequent ones are always answered."""
    pl.DataFrame({"y": list("aaabbc")}).write_csv(tmp_path / "y.csv")
    words = ["baseline", str(tmp_path / "y.csv"), "--truth", "y", "-m", "top-2 accuracy"]
    result = CliRunner().invoke(program, [*words, "--format", "json"])
    (found,) = json.loads(result.stdout)["baselines"]
    assert found["baseline"] == br.baseline(list("aaabbc"), "top-2 accuracy").best.value == 5 / 6


def test_given_answers_need_no_truth() -> None:
    """Counted answers may take the place of the truth and the scores, next to other models."""
    answers = TopAnswers.of(TRUTH, SCORES)
    (alone,) = br.evaluate(None, answers, "top-2 accuracy")
    report = br.evaluate(TRUTH, {"one": answers, "two": SCORES}, "top-2 accuracy")
    assert [verdict.score for verdict in report] == [alone.score] * 2


def test_another_direction_is_refused() -> None:
    """Hits are counted, and nothing asks whether fewer of them are better."""
    with pytest.raises(InvalidMeasureError, match="top-3 accuracy must have the direction 'max"):
        dataclasses.replace(top_k_accuracy(3), direction=Direction.MINIMIZE)
