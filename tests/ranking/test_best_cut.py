"""The distribution of the best cut-off: against enumeration, simulation and itself."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest

import baserate as br
import exact
import exact_scores
from baserate.binary.rescaling import scale_of
from baserate.null.hypergeometric import Hypergeometric
from baserate.ranking.law.best_cut import coarse, search, walk
from baserate.ranking.law.best_cut import law as best_cut
from baserate.ranking.law.best_cut.law import BestCutLaw
from baserate.ranking.law.best_cut.masses import Labels, masses
from baserate.ranking.law.best_cut.simulated import simulated
from baserate.ranking.law.best_cut.target import Cuts, Reached, Target
from baserate.ranking.law.best_cut.walk import Bounds, Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UP = br.Direction.MAXIMIZE
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
KEYS = sorted(set(exact.DEFINITIONS) & set(br.MEASURES))


def _law(sizes: Sequence[int], positives: int, measure: Any) -> BestCutLaw:
    base = br.baseline(br.BaseRate(positives=positives, total=sum(sizes)), measure)
    ends = np.append(0, np.cumsum(sizes))
    return BestCutLaw(Cuts(base.measure, base.base_rate, ends), scale_of(base))


def _value(key: str) -> Callable[[int, int, int, int], Fraction | None]:
    """A measure in exact numbers that order the scores, higher for better ones."""
    sign = 1 if br.get_measure(key).direction is br.Direction.MAXIMIZE else -1

    def value(tp: int, fp: int, fn: int, tn: int) -> Fraction | None:
        try:
            score = exact.DEFINITIONS[key](tp, fp, fn, tn)
        except ZeroDivisionError:
            return None
        return sign * (score.sign * score.square if isinstance(score, exact.Root) else score)

    return value


def _score(key: str, value: Fraction) -> float:
    sign = 1 if br.get_measure(key).direction is br.Direction.MAXIMIZE else -1
    table = exact.DEFINITIONS[key](3, 2, 2, 4)
    if isinstance(table, exact.Root):
        return sign * math.copysign(
            float(mpmath.sqrt(abs(mpmath.mpf(value.numerator)) / value.denominator)), value
        )
    return sign * float(value)


def _cases(seed: int, count: int, most: int) -> list[tuple[tuple[int, ...], int]]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        total = int(rng.integers(2, most + 1))
        cuts = np.flatnonzero(rng.random(total - 1) < rng.random()) + 1
        sizes = tuple(np.diff([0, *cuts.tolist(), total]).tolist())
        found.append((sizes, int(rng.integers(1, total))))
    return found


def _agree(sizes: Sequence[int], positives: int, key: str) -> int:
    """Compare all tails with enumeration, in both directions; return how many there were."""
    known = exact_scores.best_cut_law(sizes, positives, _value(key))
    law = _law(sizes, positives, key)
    better = br.get_measure(key).direction
    values = sorted(value for value in known if value is not None)
    for value in values:
        score = _score(key, value)
        reached = sum(p for each, p in known.items() if each is not None and each >= value)
        beyond = sum(p for each, p in known.items() if each is not None and each > value)
        assert law.tail(score, better) == pytest.approx(float(reached), rel=1e-13)
        assert law.tail(score, better.opposite) == pytest.approx(1 - float(beyond), abs=1e-14)
    return len(values)


@pytest.mark.parametrize("key", KEYS)
def test_every_tail_is_that_of_enumeration(key: str) -> None:
    """All measures, with ties of all kinds, up to rounding: scores that tie count as reached."""
    assert sum(_agree(*case, key) for case in _cases(len(key), 12, 12)) > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", KEYS)
def test_every_tail_of_all_small_test_sets(key: str) -> None:
    """All compositions of up to 9 observations, and many of up to 12."""
    for total in range(2, 10):
        for sizes, positives in itertools.product(
            exact_scores.compositions(total), range(1, total)
        ):
            _agree(sizes, positives, key)
    for case in _cases(1, 100, 12):
        _agree(*case, key)


@pytest.mark.parametrize("key", ["F1", "MCC", "ACC", "kappa", "FDR"])
def test_the_enumeration_is_that_of_all_subsets(key: str) -> None:
    """Placements with multiplicities give the law of `best_cut_off` over all subsets."""
    for sizes, positives in _cases(3, 4, 7):
        scores = exact_scores.scores_of(sizes)
        value = _value(br.get_measure(key).key)
        found: dict[Any, Fraction] = {}
        every = list(exact_scores.truths(len(scores), positives))
        for truth in every:
            try:
                best = exact_scores.best_cut_off(truth, scores, value)
            except ValueError:
                best = None
            found[best] = found.get(best, Fraction()) + Fraction(1, len(every))
        assert found == exact_scores.best_cut_law(sizes, positives, value)


def _wave(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """A function that more true positives may make worse."""
    return (tp * 7 + fp * 3) % 5 - (tn * 2 + fn) % 3


def _partial(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """A function without arrays that often has no value."""
    return math.nan if (tp + 2 * fp) % 3 == 0 else tp - (tp - 2) ** 2 + fn * tn


@pytest.mark.parametrize(
    ("function", "direction"),
    [
        (_wave, "maximize"),
        (_wave, "minimize"),
        (_partial, "maximize"),
        (_partial, "minimize"),
        (lambda tp, fp, fn, tn: fp + 5 * fn, "minimize"),
        (lambda tp, fp, fn, tn: fp + 5 * fn, "maximize"),
    ],
)
def test_functions_of_one_s_own(function: Callable[..., Any], direction: Any) -> None:
    """Functions that are not monotone, or not everywhere defined, have exact tails too."""
    own = br.Measure.custom("own", function, direction=direction)
    sign = 1 if direction == "maximize" else -1

    def value(*cells: int) -> Fraction | None:
        score = function(*cells)
        return None if math.isnan(score) else Fraction(sign * score)

    for sizes, positives in _cases(5, 25, 12):
        known = exact_scores.best_cut_law(sizes, positives, value)
        try:
            law = _law(sizes, positives, own)
        except br.exceptions.BaserateError:  # it has no baseline where a draw has no score
            continue
        for each in known:
            if each is not None:
                reached = sum(p for v, p in known.items() if v is not None and v >= each)
                tail = law.tail(sign * float(each), own.direction)
                assert tail == pytest.approx(float(reached), rel=1e-13)
        assert law.tail(sign * 1e9, own.direction) == 0


@pytest.mark.parametrize("key", ["F1", "MCC", "FDR", "ACC"])
def test_quantiles_mean_and_variance(key: str) -> None:
    """They are those of the enumerated law, given that there is a score."""
    for sizes, positives in _cases(7, 10, 11):
        known = exact_scores.best_cut_law(sizes, positives, _value(key))
        if None in known:
            continue
        law = _law(sizes, positives, key)
        pairs = sorted((_score(key, value), float(p)) for value, p in known.items())
        scores, chances = np.array(pairs).T
        mean = float(scores @ chances)
        assert law.mean() == pytest.approx(mean, rel=1e-12)
        spread = float((scores - mean) ** 2 @ chances)
        assert law.var() == pytest.approx(spread, rel=1e-9, abs=1e-15)
        below = np.cumsum(chances)
        for level in (0.025, 0.3, 0.61, 0.975):
            wanted = float(scores[np.searchsorted(below, level - 1e-12)])
            assert law.ppf(level) == pytest.approx(wanted, rel=1e-12)
        assert law.interval(0.95) == (law.ppf(0.025), law.ppf(0.975))


def test_what_random_scores_expect() -> None:
    """With 4 positives among 20, random scores have a best F1 of 0.44; the best draw has 0.33."""
    law = _law([1] * 20, 4, "F1")
    assert law.mean() == pytest.approx(0.4395, abs=5e-5)
    assert br.baseline(br.BaseRate(positives=4, total=20), "F1").best.value == pytest.approx(1 / 3)
    assert law.exact
    assert law.method == "lattice path"


def test_a_tiny_chance_keeps_its_digits() -> None:
    """All positives first is one labelling of many, whatever the size."""
    for positives, negatives in ((5, 20), (20, 80), (40, 400), (100, 900)):
        law = _law([1] * (positives + negatives), positives, "F1")
        wanted = 1 / mpmath.binomial(positives + negatives, positives)
        found = law.tail(1.0, br.Direction.MAXIMIZE)
        assert abs(found / wanted - 1) < 1e-11


def test_masses_to_nearly_all_digits() -> None:
    """Binomial probabilities agree with 50 digits, ends included."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        total = int(10 ** rng.uniform(0, 6))
        chance = float(rng.choice([0.5, 0.1, 0.01, 0.3, 0.9]))
        count = int(rng.choice([0, total, rng.binomial(total, chance)]))
        wanted = (
            mpmath.binomial(total, count)
            * mpmath.mpf(chance) ** count
            * (1 - mpmath.mpf(chance)) ** (total - count)
        )
        if wanted > 1e-290:
            assert abs(float(masses(count, total, chance) / wanted) - 1) < 1e-12


def test_probabilities_and_their_bounds() -> None:
    """The hypergeometric law, and a bound of its tail that is never too small."""
    rate = br.BaseRate(positives=30, total=100)
    labels = Labels(rate)
    for end in (1, 7, 30, 50, 99):
        law = Hypergeometric(rate.positives, rate.negatives, end)
        for count in range(-1, 33):
            found = float(labels.probabilities(end, count))
            assert found == pytest.approx(law.pmf(count), rel=1e-12, abs=1e-300)
            tail, bound = law.sf(count - 1), float(labels.tails(end, count))
            assert tail * (1 - 1e-12) <= bound
            if count > 1.3 * float(law.mean) + 1:
                assert bound <= 12 * tail


@pytest.mark.parametrize(
    "key",
    [
        "F1",
        "ACC",
        *(pytest.param(key, marks=pytest.mark.exhaustive) for key in ("MCC", "G2", "NPV", "FDR")),
    ],
)
def test_the_bracket_holds_the_probability(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some cut-offs give bounds on both sides of what all of them give."""
    monkeypatch.setattr(coarse, "_APART", (1 / 8, 1 / 4))
    monkeypatch.setattr(coarse, "_TINY", 0.0)
    rng, looked, better = np.random.default_rng(3), 0, br.get_measure(key).direction
    for positives, total in ((15, 150), (75, 150), (4, 150), (130, 150)):
        ties = (rng.multinomial(total - 40, np.full(40, 1 / 40)) + 1).tolist()
        for sizes in ([1] * total, ties):
            law = _law(sizes, positives, key)
            for level in (0.5, 0.95, 0.9999):
                score = law.ppf(level if better is br.Direction.MAXIMIZE else 1 - level)
                tail = law.tail(score, better)
                slack = law.scale.slack(score, score)
                goodness = score if better is br.Direction.MAXIMIZE else -score
                low, high = coarse.bracket(Target(law.cuts, goodness - slack))
                if Target(law.cuts, goodness - slack).is_certain:
                    continue
                assert low <= tail * (1 + 1e-9)
                assert tail <= high * (1 + 1e-9)
                looked += low < high
    assert looked >= 5


def test_a_bracket_of_all_cut_offs_is_the_probability() -> None:
    """Few cut-offs are all looked at, and then nothing is left open."""
    law = _law([1] * 60, 15, "F1")
    score = law.ppf(0.95)
    low, high = coarse.bracket(Target(law.cuts, score - law.scale.slack(score, score)))
    assert low == high == pytest.approx(law.tail(score, UP), rel=1e-12)


def test_the_bracket_of_costs_holds_the_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cost may take fewer true positives at a lower cut-off; and no walk is short enough here."""
    monkeypatch.setattr(coarse, "_APART", (1 / 8, 1 / 4))
    monkeypatch.setattr(coarse, "_MOST_WORK", 0)
    law = _law([1] * 150, 30, COST)
    assert law.cuts.monotone
    assert not law.cuts.rising
    for level in (0.5, 0.05, 0.001):
        cost = law.ppf(level)
        low, high = coarse.bracket(Target(law.cuts, -cost - law.scale.slack(cost, cost)))
        assert low < law.tail(cost, br.Direction.MINIMIZE) < high < 1


def test_steps_by_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have noise: it does not change a large chance, and leaves a bracket of a small one."""
    law = _law([50] * 20, 300, "MCC")
    known = {score: law.reaching(score) for score in (0.05, 0.1, 0.2)}
    monkeypatch.setattr(walk, "_LONG", 1)
    for score, summed in known.items():
        found = law.reaching(score)
        assert found.low <= summed.low * (1 + 1e-9) <= found.high * (1 + 2e-9)
        assert found.low == pytest.approx(found.high, rel=1e-3)
        assert found.method == ("lattice path" if summed.low > 1e-6 else "bracket")


def test_a_walk_that_ends_early() -> None:
    """What is left 20 deviations below the mean does not matter, and no barrier may be in reach."""
    ends = np.array([5000, 6000])
    found = Walk(br.BaseRate(positives=2000, total=10_000), ends).meets(Bounds(ends // 10 + 100))
    assert found == pytest.approx(1, abs=1e-12)
    assert Walk(br.BaseRate(positives=20, total=100), ends // 100).meets(Bounds(ends)) == 0


def test_counts_that_cannot_be_reach_nothing() -> None:
    """Among 10 observations there are not 30 positives, whatever their score would be."""
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: tp * 0 + fp * 0 + 1.0)
    target = Target(Cuts(own, br.BaseRate(positives=20, total=100), np.array([10])), 0.5)
    assert target.is_reached(3, 10)
    start, reached, left = Reached(target).reached(0, 30, np.ones(5))
    assert (start, reached.size, left.tolist()) == (0, 0, [1.0] * 5)


def test_quantiles_of_more_scores_than_are_listed() -> None:
    """They are still exact: at most so much has the level, and less than so much has not."""
    law = _law([1] * 400, 200, "MCC")
    found = law.ppf(0.95)
    assert law.tail(found, br.Direction.MINIMIZE) >= 0.95 > 1 - law.tail(found, UP)
    assert law.ppf(1.0) == 1


def test_quantiles_of_long_walks() -> None:
    """A score whose tail is within 2% of the level is close enough."""
    law = _law([1] * 700, 200, "F1")
    for level in (0.8, 0.9, 0.95):
        assert law.tail(law.ppf(level), UP) == pytest.approx(1 - level, rel=0.02)


def test_the_mean_of_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many scores some are taken, ends included: a mean over them is lower, and close."""
    every = _law([1] * 18, 7, "MCC")
    mean, values = every.mean(), every._masses[0]
    monkeypatch.setattr(search, "_SUMMED", 60)
    fewer = _law([1] * 18, 7, "MCC")
    assert fewer._masses[0].size == 60 < values.size
    assert fewer._masses[0][[0, -1]].tolist() == values[[0, -1]].tolist()
    assert 0.95 * mean < fewer.mean() < mean


def test_more_cut_offs_make_a_narrower_bracket() -> None:
    """At ten thousand observations the default is within a quarter."""
    law = _law([1] * 10_000, 1000, "MCC")
    target = Target(law.cuts, 0.0350)
    low, high = coarse.bracket(target)
    assert low <= law.reaching(0.0350).high <= high <= 1.25 * low


def test_large_test_sets_have_a_bracket() -> None:
    """Beyond the exact walk, the p-value is the upper end of a bracket."""
    law = _law([1] * 60_000, 200, "F1")
    assert not law.exact
    assert law.method == "bracket"
    low, high = law.bracket(0.02, br.Direction.MAXIMIZE)
    assert 0 < low < high < 1.5 * low
    assert law.tail(0.02, br.Direction.MAXIMIZE) == high
    least, most = law.bracket(0.5, br.Direction.MAXIMIZE)
    assert 0 <= least <= most < 1e-50
    first, last = law.interval(0.95)
    assert 0 < first < last < 0.02
    assert law.tail(last, br.Direction.MAXIMIZE) == pytest.approx(0.025, abs=0.01)


def test_large_blocks_of_ties() -> None:
    """Ten thousand observations in each block: steps by transforms, like those by sums."""
    law = _law([10_000] * 30, 90_000, "MCC")
    score = 0.004
    tail = law.tail(score, br.Direction.MAXIMIZE)
    rng = np.random.default_rng(0)
    hits = np.cumsum(
        rng.multivariate_hypergeometric([10_000] * 30, 90_000, size=20_000, method="marginals"), 1
    )
    best = law.cuts.goodness(hits[:, :-1], law.cuts.ends[1:-1]).max(axis=1)
    share = float((best >= score).mean())
    assert tail == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 20_000))


def test_a_function_beyond_all_walks_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same shuffles every time, and a p-value that counts the observed labels too."""
    monkeypatch.setattr(best_cut, "_MOST_WORK", 0)
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: abs(tp - 3.0 * fp / 7))
    law = _law([1] * 60, 20, own)
    assert (law.method, law.exact) == ("simulation", False)
    found = simulated(law.cuts)
    assert found.size == 4999
    assert law.tail(100.0, br.Direction.MAXIMIZE) == 1 / 5000
    monkeypatch.undo()
    again = _law([1] * 60, 20, own)
    assert again.exact
    score = float(np.quantile(found, 0.9))
    walked = again.tail(score, br.Direction.MAXIMIZE)
    assert law.tail(score, br.Direction.MAXIMIZE) == pytest.approx(walked, abs=0.02)
    assert law.ppf(0.9) == pytest.approx(again.quantile(0.9), rel=0.1)
    assert law.mean() == pytest.approx(float(found.mean()))


def test_one_class_only() -> None:
    """Without a choice a score is reached surely, or never."""
    for positives, total in ((5, 5), (0, 5)):
        law = _law([1] * total, positives, "ACC")
        assert law.tail(1.0, br.Direction.MAXIMIZE) == 1.0
        assert law.reaching(1.1).high == 0.0
    assert _law([1], 1, "ACC").tail(1.0, br.Direction.MAXIMIZE) == 1.0


def test_no_score_has_no_chance() -> None:
    """Where every cut-off is undefined, there is neither a p-value nor an interval."""
    law = _law([5], 2, "MCC")
    assert math.isnan(law.tail(math.nan, br.Direction.MAXIMIZE))
    assert all(math.isnan(end) for end in law.interval(0.95))
    assert law.tail(0.5, br.Direction.MAXIMIZE) == 0.0
    assert math.isnan(law.mean())
    assert math.isnan(law.var())
