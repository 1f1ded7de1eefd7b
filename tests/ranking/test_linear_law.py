"""The law of a sum of weights over positives placed at random, against all ways to place them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import hypergeom

import exact_scores as oracle
from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.core.direction import Direction
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.linear_blocks import WeightedBlocks, _distinct
from baserate.ranking.law.linear_exact import exact_sum
from baserate.ranking.law.linear_grid import GridSum
from baserate.ranking.law.linear_rest import Rest
from baserate.ranking.law.linear_saddlepoint import SaddlepointSum
from baserate.ranking.law.linear_simulation import SimulatedSum
from baserate.ranking.law.linear_window import _rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.ranking.law.dealt import DealtLaw

    Floats = NDArray[np.float64]

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE


def law_of(weights: Any, positives: int, slope: Any = 1.0, intercept: Any = 0.0) -> LinearLaw:
    """Return the law of weights given row by row, some of them the same."""
    values, sizes = np.unique(np.array([float(each) for each in weights]), return_counts=True)
    rate = BaseRate(positives=positives, total=len(weights))
    return LinearLaw(rate, sizes[::-1], values[::-1], slope, intercept)


def enumerated(
    weights: Any, positives: int, slope: Any, intercept: Any
) -> dict[Fraction, Fraction]:
    """Return the distribution of the score, in fractions."""

    def score(truth: Any, rows: Any) -> Fraction:
        return intercept + slope * sum(t * row for t, row in zip(truth, rows, strict=True))

    return oracle.law(score, weights, positives)


def weights_of(sizes: Any, kind: str) -> list[Fraction]:
    """Return weights for blocks of these sizes."""
    values = {
        "steps": [Fraction(place, 3) for place in range(len(sizes))],
        "squares": [Fraction(place**2, 10) - 2 for place in range(len(sizes))],
        "outlier": [Fraction(place, 7) - 36 * (place == 0) for place in range(len(sizes))],
    }[kind]
    return [value for value, size in zip(values, sizes, strict=True) for _ in range(size)]


def cases(total: int, every: int) -> Iterator[tuple[int, ...]]:
    """Yield some tie compositions, every so many."""
    yield from list(oracle.compositions(total))[::every]


@pytest.mark.parametrize("kind", ["steps", "squares", "outlier"])
@pytest.mark.parametrize(
    ("total", "every"),
    [
        (1, 1),
        (2, 1),
        (4, 1),
        (7, 9),
        (9, 67),
        *(pytest.param(total, 1, marks=pytest.mark.exhaustive) for total in range(5, 10)),
    ],
)
def test_all_questions_agree_with_all_ways_to_place_the_positives(
    total: int, every: int, kind: str
) -> None:
    """Mean, variance, tails and quantiles of every score, for ties of all kinds."""
    slope, intercept = (Fraction(-2, 7), Fraction(3)) if kind == "squares" else (Fraction(1, 3), 0)
    for sizes in cases(total, every):
        weights = weights_of(sizes, kind)
        for positives in range(total + 1):
            found = law_of(weights, positives, float(slope), float(intercept))
            check(found, enumerated(weights, positives, slope, intercept))


def check(found: DealtLaw, truth: Any) -> None:
    """Compare a law with the enumeration of all ways."""
    assert found.exact
    assert found.error == 0
    assert found.method == "counting"
    size = float(max(map(abs, truth)))
    assert found.mean() == pytest.approx(float(oracle.mean(truth)), rel=1e-13, abs=1e-14 * size)
    spread = float(oracle.variance(truth))
    assert found.variance() == pytest.approx(spread, rel=1e-12, abs=1e-26 * size**2)
    below = Fraction()
    for score in sorted(truth):
        up, down = oracle.at_least(truth, score), oracle.at_most(truth, score)
        assert found.tail(float(score), UP) == pytest.approx(float(up), rel=1e-12)
        assert found.tail(float(score), DOWN) == pytest.approx(float(down), rel=1e-12)
        middle = float((below + down) / 2)
        assert found.quantile(middle) == pytest.approx(float(score), rel=1e-12, abs=1e-13 * size)
        assert found.quantile(float(down)) == pytest.approx(
            float(score), rel=1e-12, abs=1e-13 * size
        )
        below = down


def integer_law(sizes: Any, weights: Any, positives: int) -> Floats:
    """Return the chance of each sum of whole weights, from 0 on, by adding block after block."""
    ways = np.zeros((positives + 1, positives * max(weights) + 1))
    ways[0, 0] = 1.0
    for size, weight in zip(sizes, weights, strict=True):
        grown = ways.copy()
        for count in range(1, min(size, positives) + 1):
            shift = count * weight
            part = ways[: positives + 1 - count, : ways.shape[1] - shift]
            grown[count:, shift:] += math.comb(size, count) * part
        ways = grown
    return ways[positives] / math.comb(sum(sizes), positives)


def assert_close(
    law: Any, masses: Floats, centre: float, within: float, smallest: float = 1e-8
) -> None:
    """Compare both tails, wherever a sum is attained."""
    up, down = np.cumsum(masses[::-1])[::-1], np.cumsum(masses)
    known = np.flatnonzero((masses > 0) & (np.minimum(up, down) >= smallest))
    for place in known[:: max(1, known.size // 15)].tolist():
        assert law.at_least(place - centre) == pytest.approx(up[place], rel=within)
        assert law.at_most(place - centre) == pytest.approx(down[place], rel=within)


def blocks_of(sizes: Any, weights: Any, positives: int) -> tuple[WeightedBlocks, float]:
    """Return the blocks of whole weights, and the average weight."""
    return WeightedBlocks.of(np.array(sizes), np.array(weights, dtype=float), positives)


def test_halves_of_the_blocks_are_as_exact_as_all_of_them() -> None:
    """Looking up half of the ways among the other half loses nothing."""
    sizes, weights = [1, 2, 1, 3, 1, 1, 2, 1, 1, 4, 1, 2, 1, 1, 1, 2, 9], [*range(0, 64, 4), 30]
    blocks, centre = blocks_of(sizes, weights, 8)
    law = exact_sum(blocks)
    assert type(law).__name__ == "HalvedSum"
    masses = integer_law(sizes, weights, 8)
    assert_close(law, masses, 8 * centre, 1e-12, smallest=0)
    cumulative = np.cumsum(masses)
    for level in (1e-9, 0.025, 0.3, 0.5, 0.975, 1 - 1e-9, 1.0):
        wanted = int(np.flatnonzero(cumulative >= level * (1 - 1e-13))[0])
        assert law.quantile(level) + 8 * centre == pytest.approx(wanted, abs=1e-9)


def test_two_positives_in_many_blocks_are_exact() -> None:
    """Pairs of observations are counted one by one."""
    rng = np.random.default_rng(3)
    weights = np.cumsum(rng.integers(1, 4, 900)).tolist()
    sizes = rng.integers(1, 3, 900).tolist()
    blocks, centre = blocks_of(sizes, weights, 2)
    law = exact_sum(blocks)
    assert type(law).__name__ == "PairSum"
    masses = integer_law(sizes, weights, 2)
    assert_close(law, masses, 2 * centre, 1e-11, smallest=0)
    cumulative = np.cumsum(masses)
    for level in (1e-7, 0.025, 0.5, 0.999):
        wanted = int(np.flatnonzero(cumulative >= level)[0])
        assert law.quantile(level) + 2 * centre == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("positives", [3, 7, 10])
def test_a_grid_brackets_the_tails(positives: int) -> None:
    """Rounding all weights up, and all down, gives an upper and a lower end."""
    rng = np.random.default_rng(positives)
    sizes, weights = rng.integers(1, 20, 40).tolist(), rng.choice(90, 40, replace=False).tolist()
    blocks, centre = blocks_of(sizes, weights, positives)
    law, masses = GridSum(blocks), integer_law(sizes, weights, positives)
    assert_close(law, masses, positives * centre, 1e-7)
    up = np.cumsum(masses[::-1])[::-1]
    irrational = GridSum(blocks_of(sizes, np.sqrt(weights), positives)[0])
    for z in (-2, 0, 1, 3, 5):
        value = z * irrational.blocks.sd
        low, high = irrational.fewest_at_least(value), irrational.at_least(value)
        assert low * (1 - 1e-12) <= high <= 1.01 * low + 1e-15  # transforms have noise
        low, high = irrational.fewest_at_most(value), irrational.at_most(value)
        assert low * (1 - 1e-12) <= high <= 1.01 * low + 1e-15  # transforms have noise
    assert law.at_least(law.blocks.ends[1].value) == pytest.approx(up[up > 0][-1], rel=1e-10)


@pytest.mark.parametrize(
    ("positives", "each"), [(20, 1), (40, 3), (60, 1)], ids=["few", "ties", "many"]
)
def test_a_saddlepoint_is_within_its_error(positives: int, each: int) -> None:
    """The formula is as good as it says, down to p = 1e-8."""
    rng = np.random.default_rng(positives)
    weights = np.unique(np.rint(150 * rng.beta(2, 3, 120)).astype(int)).tolist()
    sizes = (each * rng.integers(1, 4, len(weights))).tolist()
    blocks, centre = blocks_of(sizes, weights, positives)
    law = SaddlepointSum(blocks)
    assert law.is_smooth
    assert_close(law, integer_law(sizes, weights, positives), positives * centre, law.error)


def test_a_large_block_far_away_is_summed_over() -> None:
    """A block whose positives make the law lumpy is no problem for the formula."""
    sizes, weights = [300, *[4] * 100], [0, *range(100, 200)]
    blocks, centre = blocks_of(sizes, weights, 60)
    law = SaddlepointSum(blocks)
    assert law._lumps == [0]
    assert SaddlepointSum(blocks_of([300, 100, 100], [0, 1, 3], 60)[0])._lumps == [2]
    assert_close(law, integer_law(sizes, weights, 60), 60 * centre, law.error)


def test_a_simulation_is_within_its_error_and_never_0() -> None:
    """A simulated p-value counts the observed deal as one of the random ones."""
    sizes, weights = [90, 5, 5, 400], [1, 40, 43, 0]
    blocks, centre = blocks_of(sizes, weights, 50)
    law, masses = SimulatedSum(blocks), integer_law(sizes, weights, 50)
    up = np.cumsum(masses[::-1])[::-1]
    for place in np.flatnonzero((up > 0.001) & (masses > 0)).tolist():
        error = math.sqrt(up[place] * (1 - up[place]) / 39_999)
        assert law.at_least(place - 50 * centre) == pytest.approx(up[place], abs=5 * error + 1e-4)
    assert law.at_least(1e9) == law.at_most(-1e9) == 1 / 40_000
    assert 0.02 < law.error < 0.03


@pytest.mark.parametrize(
    ("positives", "method"), [(17, "counting on a grid"), (45, "saddlepoint")], ids=["few", "more"]
)
def test_long_tails_are_counted_on_a_grid_or_fairly_approximated(
    positives: int, method: str
) -> None:
    """A few large weights are too many for 2%; with more positives a formula is within 5%."""
    weights = np.rint(9 * np.random.default_rng(8).exponential(size=300) ** 1.8)
    weights, sizes = np.unique(weights.astype(int), return_counts=True)
    rate = BaseRate(positives=positives, total=300)
    law = LinearLaw(rate, sizes, weights.astype(float))
    assert law.method == method
    assert 0.02 < law.error <= 0.07
    masses = integer_law(sizes, weights, positives)
    up, down = np.cumsum(masses[::-1])[::-1], np.cumsum(masses)
    for place in np.searchsorted(down, [0.02, 0.999]).tolist():
        for direction, known in ((UP, up[place]), (DOWN, down[place])):
            low, high = law.bracket(place, direction)
            assert high == law.tail(place, direction) == pytest.approx(known, rel=law.error)
            if method == "saddlepoint":
                assert low == high
            else:
                assert 0.8 * high < low <= known * (1 + 1e-9) <= high * (1 + 2e-9)
    cheapest = np.repeat(weights, sizes)[:positives].sum()
    assert law.quantile(0.0) == pytest.approx(cheapest, abs=1e-6)
    assert law.quantile(1.0) == pytest.approx(np.repeat(weights, sizes)[-positives:].sum())


def test_rare_weights_are_simulated() -> None:
    """Few of very many observations are drawn until they differ, and quantiles are those drawn."""
    sizes, weights = [99_880, *[15] * 8], list(range(9))
    law = LinearLaw(BaseRate(positives=50, total=10**5), np.array(sizes), np.array(weights) * 1.0)
    assert law.method == "simulation"
    masses = integer_law(sizes, weights, 50)
    up, down = np.cumsum(masses[::-1])[::-1], np.cumsum(masses)
    for place in np.flatnonzero(up > 1e-4).tolist():
        error = 5 * math.sqrt(up[place] * (1 - up[place]) / 39_999) + 1e-4
        assert law.tail(place, UP) == pytest.approx(up[place], abs=error)
    for level in (0.9, 0.99, 0.999):
        assert law.quantile(level) == pytest.approx(np.searchsorted(down, level), abs=1)
    assert law.quantile(0.0) == pytest.approx(0, abs=1e-9)


def test_a_lattice_as_wide_as_the_spread_has_no_waves() -> None:
    """One small weight beside 40 huge ones, among a million: that is simulated, as it should be."""
    sizes, weights = np.array([10**6, 40, 1]), np.array([0.0, 1e6, 1.0])
    law = LinearLaw(BaseRate(positives=500_000, total=1_000_041), sizes, weights)
    assert SaddlepointSum(law._blocks)._rest.ripple(0.5) == 0
    assert law.method == "simulation"
    for count in (15, 20, 25):
        chance = hypergeom(1_000_041, 40, 500_000).sf(count - 1)
        assert law.tail(count * 1e6, UP) == pytest.approx(chance, abs=0.015)


def test_one_positive_or_one_negative_needs_no_formula() -> None:
    """The tails of a single weight are counted."""
    sizes, weights = np.array([2, 3, 5]), np.array([-1.0, 0.5, 4.0])
    rooms, every = np.array([0.0, 4.0, 5.0]), float(sizes @ weights)
    rest = Rest(sizes, weights)
    one = rest.at_least(np.ones(3, int), rooms, 0.0)
    assert one.tolist() == pytest.approx([0.8, 0.5, 0.0])
    # All but one: what is left out is at most so much.
    but_one = rest.at_least(np.full(3, 9), every - np.array([-1.0, 0.5, -2.0]), 0.0)
    assert but_one.tolist() == pytest.approx([0.2, 0.5, 0.0])


def test_blocks_without_observations_and_weights_that_stay_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither changes a law: an empty block, nor weights that differ by rounding only."""
    sizes, weights = np.array([3, 0, 2, 1, 4]), np.array([0.3, 9.0, 0.1 + 0.2, 0.7, 0.1])
    rate = BaseRate(positives=4, total=10)
    laws = [LinearLaw(rate, sizes, weights)]
    assert laws[0]._blocks.sizes.tolist() == [4, 5, 1]
    monkeypatch.setattr("baserate.ranking.law.linear_blocks.MANY", 3)
    laws.append(LinearLaw(rate, sizes, weights))
    assert laws[1]._blocks.sizes.tolist() == [4, 3, 2, 1]
    rows = np.repeat(weights, sizes).tolist()
    sums = [math.fsum(each) for each in combinations(rows, 4)]
    for law in laws:
        assert law.mean() == pytest.approx(np.mean(sums))
        for score in (0.8, 1.0, 1.2, 1.6):
            expected = np.mean([each >= score - 1e-9 for each in sums])
            assert law.tail(score, UP) == pytest.approx(expected)


def test_many_positives_and_many_negatives_are_the_same_question() -> None:
    """Exchanging the classes and the sign of the weights changes nothing."""
    rng = np.random.default_rng(5)
    weights = rng.normal(size=400)
    few, most = law_of(weights, 90), law_of(-weights, 310)
    for z in (-3.0, 0.2, 2.0):
        score = few.mean() + z * few.variance() ** 0.5
        other = most.mean() + z * most.variance() ** 0.5
        assert most.tail(other, UP) == pytest.approx(few.tail(score, UP), rel=1e-9)
    assert few.method == most.method == "saddlepoint"


def test_the_ends_of_the_range_are_exact() -> None:
    """No approximation is needed for the best and the worst score."""
    rng = np.random.default_rng(6)
    weights = np.concatenate([rng.normal(size=60), np.full(20, 5.0)])
    found = law_of(weights, 25)
    best = math.fsum(np.sort(weights)[-25:])
    assert found.method == "saddlepoint"
    assert found.tail(best, UP) == pytest.approx(1 / math.comb(80, 25), rel=1e-10)
    assert found.tail(best + 1e-6, UP) == 0
    assert found.tail(best, DOWN) == 1
    assert found.quantile(1.0) == pytest.approx(best)
    worst = math.fsum(np.sort(weights)[:25])
    assert found.tail(worst, DOWN) == pytest.approx(1 / math.comb(80, 25), rel=1e-10)
    assert found.quantile(0.0) == pytest.approx(worst)


@pytest.mark.parametrize("positives", [5, 30, 3000])
def test_a_quantile_agrees_with_the_tails(positives: int) -> None:
    """The tail at a quantile is the level."""
    rng = np.random.default_rng(positives)
    found = law_of(rng.beta(2, 5, 20_000), positives, slope=-1 / 20_000, intercept=1.0)
    for level in (1e-6, 0.025, 0.5, 0.975):
        score = found.quantile(level)
        assert found.tail(score, DOWN) == pytest.approx(level, rel=2e-3)


def test_scores_that_differ_by_rounding_are_the_same() -> None:
    """A tail includes a score that was added up in another order."""
    weights = [0.1, 0.2, 0.3, 0.1 + 0.2, 0.4, 0.7, 0.8]
    found = law_of(weights, 3)
    sums = [math.fsum(each) for each in combinations(weights, 3)]
    for total in sums:
        expected = sum(other >= total - 1e-9 for other in sums) / len(sums)
        for score in (total * (1 - 4e-16), total, total * (1 + 4e-16)):
            assert found.tail(score, UP) == pytest.approx(expected)


def test_one_weight_is_no_chance_at_all() -> None:
    """With equal weights there is one score."""
    found = law_of([0.3] * 50, 7, slope=2.0, intercept=1.0)
    assert found.mean() == pytest.approx(5.2)
    assert found.variance() == 0
    assert found.quantile(0.1) == found.quantile(1.0) == pytest.approx(5.2)
    assert found.tail(5.2, UP) == found.tail(5.2, DOWN) == 1
    assert found.tail(5.3, UP) == found.tail(5.1, DOWN) == 0


def test_a_score_that_is_not_finite() -> None:
    """No score is infinite, and nan has no tail."""
    found = law_of([0.1, 0.5, 0.6], 1)
    assert math.isnan(found.tail(math.nan, UP))
    assert found.tail(math.inf, UP) == found.tail(-math.inf, DOWN) == 0
    assert found.tail(-math.inf, UP) == found.tail(math.inf, DOWN) == 1


def test_huge_counts() -> None:
    """Nothing overflows at 6·10¹⁴ observations."""
    sizes = np.array([4 * 10**14, 10**14, 10**14])
    rate = BaseRate(positives=10**13, total=6 * 10**14)
    found = LinearLaw(rate, sizes, np.array([0.1, 0.5, 0.9]))
    assert found.mean() == pytest.approx(10**13 * 0.3)
    spread = np.dot(sizes / 6e14, (np.array([0.1, 0.5, 0.9]) - 0.3) ** 2)
    assert found.variance() == pytest.approx(1e13 * (1 - 1 / 60) * spread)
    score = found.mean() + 2 * found.variance() ** 0.5
    assert found.tail(score, UP) == pytest.approx(0.02275, rel=1e-3)


def test_merging_ten_thousand_weights_changes_little() -> None:
    """Merged weights keep the variance and the range."""
    rng = np.random.default_rng(8)
    weights = np.concatenate([rng.normal(size=10_000), rng.normal(size=20) * 30])
    blocks, _ = WeightedBlocks.of(np.ones(10_020, int), weights, 900)
    merged = blocks.merged
    assert merged.sizes.size < 1500
    assert merged.sizes.sum() == 10_020
    assert merged.variance == pytest.approx(blocks.variance, rel=1e-4)
    assert merged.ends[0].value == pytest.approx(blocks.ends[0].value, rel=1e-4)


def test_two_blocks_are_hypergeometric_at_any_size() -> None:
    """Hard labels have two scores: their law is exact however many there are."""
    rate = BaseRate(positives=3 * 10**8, total=10**9)
    found = LinearLaw(rate, np.array([10**8, 9 * 10**8]), np.array([0.9, 0.1]))
    exact = Hypergeometric(rate, 10**8)
    assert found.exact
    for positives in (3 * 10**7 - 9000, 3 * 10**7 + 20_000):
        score = 0.9 * positives + 0.1 * (3 * 10**8 - positives)
        assert found.tail(score, UP) == exact.sf(positives - 1)
        assert found.tail(score, DOWN) == exact.cdf(positives)
    assert found.quantile(0.975) == pytest.approx(0.8 * exact.ppf(0.975) + 3 * 10**7, rel=1e-13)


def test_questions_about_a_sum_share_a_tilt() -> None:
    """A quantile far out, its tail and its bracket ask for few transforms, which take the time."""
    law = _grid_law()
    _rounded.cache_clear()
    far = law.quantile(2e-6)
    assert _rounded.cache_info().misses == 1
    assert law.tail(far, Direction.MINIMIZE) == pytest.approx(2e-6, rel=0.05)
    tails = law.tails(far, Direction.MINIMIZE)
    assert tails.worse == pytest.approx(1 - 2e-6, rel=1e-6)
    assert _rounded.cache_info().misses <= 5
    assert repr(law).startswith("<LinearLaw: mean ")


def _grid_law() -> LinearLaw:
    weights = np.sort(np.random.default_rng(3).random(200))[::-1] ** 3
    law = LinearLaw(BaseRate(positives=15, total=200), np.ones(200, dtype=np.int64), weights)
    assert law.method == "counting on a grid"
    return law


@pytest.mark.parametrize("kind", ["lattice", "rounded"])
@pytest.mark.parametrize(("positives", "power"), [(38, 3), (25, 6), (16, 1)])
def test_a_grid_keeps_its_digits_far_out(positives: int, power: int, kind: str) -> None:
    """Tails of 1e-25 are as good as others, though most positives are where they are likely."""
    rng = np.random.default_rng(power)
    weights = np.unique(np.rint(90 * rng.random(90) ** power).astype(int)).tolist()
    sizes = rng.integers(1, 30, len(weights)).tolist()
    blocks, centre = blocks_of(sizes, weights, positives)
    if kind == "rounded":
        blocks.__dict__["span"] = 0.0
    law, masses = GridSum(blocks), integer_law(sizes, weights, positives)
    assert_close(law, masses, positives * centre, 1e-4, smallest=1e-40)
    cumulative = np.cumsum(masses)
    for level in (1e-30, 1e-12, 1e-5, 0.3, 0.99, 1 - 1e-7):
        wanted = int(np.flatnonzero(cumulative >= level * (1 - 1e-13))[0])
        assert law.quantile(level) + positives * centre == pytest.approx(wanted, abs=0.7)


def test_facts_of_blocks() -> None:
    """Empty blocks are left out; the spread of a weight, and of positives, is that of a sample."""
    sizes, weights = np.array([2, 0, 3, 5]), np.array([4.0, 9.0, 1.0, 0.0])
    found_sizes, found_weights = _distinct(sizes, weights)
    assert (found_sizes.tolist(), found_weights.tolist()) == ([5, 3, 2], [0, 1, 4])
    rows = np.repeat(weights, sizes)
    rest = Rest(found_sizes, found_weights)
    assert rest.kurtosis == pytest.approx(stats.kurtosis(rows, fisher=False))
    blocks, _ = WeightedBlocks.of(sizes, weights, 4)
    spread = SaddlepointSum(blocks)._spread(0) * 10 / 9
    assert spread == pytest.approx(stats.hypergeom(10, int(blocks.merged.sizes[0]), 4).var())
