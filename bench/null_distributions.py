"""How far off p-values are: `make nulls`, written into docs/ideas/methods.md.

Test sets of many kinds are drawn, tails of their null distributions are found by the library, and
compared with references that share no code with it: exact ones where gains are whole numbers, by a
count or by a characteristic function, and permutations otherwise. A row of the table is one family
by one method: how many tails, and their relative errors. A second table has how often models that
know nothing are called significant, by measures that are permuted. Seconds are those of one
processor.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import binom, rankdata
from tqdm import tqdm

import baserate as br
from baserate.null.sums import linear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Array = NDArray[Any]

PAGE = Path(__file__).parent.parent / "docs" / "ideas" / "methods.md"
# At p = 0.01 these tell p to 1%. Cells of so many are drawn at once: what a cache holds.
PERMUTATIONS, MOST_AT_ONCE = 10**6, 100_000
# Probabilities at which tails are compared: with exact counts down to 1e-8.
COUNTED = (0.9, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
DRAWN = (0.9, 0.5, 0.3, 0.1, 0.03, 0.01)
# Additions of one exact count, and terms of one characteristic function: about a second.
MOST_WORK, MOST_TERMS = 3e8, 1e7
ROWS = (8, 12, 20, 30, 50, 80, 120, 200, 400, 1_000, 2_000, 10_000, 100_000)
MOST_PERMUTED_ROWS = 2_000
# What is asked of the relative errors of sums: at the median, of 99%, and of tails above 0.001.
MEDIAN, MOST, TOO_SMALL = 0.001, 0.03, 0.05
# Models that know nothing of each test set.
LEVELS, ARRANGEMENTS = (0.05, 0.01), 500


class Reference(NamedTuple):
    """Values of a statistic, ascending, and how likely each is; drawn ones are all alike."""

    values: Array
    chances: Array
    exact: bool

    def tails(self) -> Iterator[tuple[float, float, bool]]:
        """Yield a value, the chance of reaching it, and whether that is upwards."""
        above, below = np.cumsum(self.chances[::-1])[::-1], np.cumsum(self.chances)
        for p in COUNTED if self.exact else DRAWN:
            if above[-1] < p <= above[0]:
                place = int(np.flatnonzero(above >= p)[-1])
                yield float(self.values[place]), float(above[place]), True
            if below[0] < p <= below[-1]:
                place = int(np.searchsorted(below, p))
                yield float(self.values[place]), float(below[place]), False


def counted(positives: int, gains: Array) -> Reference | None:
    """Return all sums of the gains of some rows drawn without replacement, by adding up ways.

    Rows of equal gains are binomial, given how many are drawn in all: every term is positive.
    """
    if not (gains == np.round(gains)).all():
        return None
    least = int(gains.min())
    steps, sizes = np.unique(gains.astype(int) - least, return_counts=True)
    unit = int(np.gcd.reduce(steps)) or 1
    steps = steps // unit
    most = positives * int(steps[-1])
    if float((np.minimum(sizes, positives) + 1).sum()) * positives * most > MOST_WORK:
        return None
    ways = np.zeros((positives + 1, most + 1))
    ways[0, 0] = 1.0
    for step, size in zip(steps.tolist(), sizes.tolist(), strict=True):
        chance = binom.pmf(np.arange(min(size, positives) + 1), size, positives / gains.size)
        before, ways = ways, ways * chance[0]
        for taken in range(1, chance.size):
            moved = before[: positives + 1 - taken, : most + 1 - taken * step]
            ways[taken:, taken * step :] += chance[taken] * moved
    chances = ways[positives] / ways[positives].sum()
    values = least * positives + unit * np.arange(most + 1.0)
    return Reference(values[chances > 0], chances[chances > 0], exact=True)


def inverted(n: Array, m: Array, a: Array) -> Reference | None:
    """Return all sums of whole numbers over random tables, by their characteristic function.

    Columns choose rows independently, given how many choose each. Both are found modulo a number
    that is far larger than they vary: what else falls there is below 1e-20.
    """
    order, total = np.argsort(n), int(n.sum())
    n, a = n[order], a[order]
    share, mean = n / total, n @ a @ m / total
    away = a - (a @ m)[:, None] / total - n @ a / total + mean / total
    low, high = int(m @ a.min(axis=0)), int(m @ a.max(axis=0))
    length = min(high - low + 1, int(40 * math.sqrt(n @ away**2 @ m / (total - 1))) + 2)
    sizes = [min(total + 1, int(10 * math.sqrt(total * p * (1 - p))) + 8) for p in share[:-1]]
    half = np.arange(length // 2 + 1)
    if math.prod(sizes) * half.size * m.size > MOST_TERMS:
        return None
    grid = np.meshgrid(*(np.arange(size) / size for size in sizes), indexing="ij")
    turns = np.stack([each.ravel() for each in grid], axis=1)
    cells = share[:, None, None] * _turned(a[..., None] * half % length / length)
    found = np.zeros(half.size, dtype=complex)
    for some in np.array_split(turns, -(-len(turns) * half.size // 200_000)):
        product = _turned(-some @ n[:-1])[:, None]
        for size, column in zip(m.tolist(), cells.transpose(1, 0, 2), strict=True):
            product = product * (_turned(some) @ column[:-1] + column[-1]) ** size
        found += product.sum(axis=0)
    values = np.arange(length) + (low if length > high - low else math.ceil(mean - length / 2))
    chances = np.fft.irfft(found.conj(), length)[values % length]
    chances = np.where(chances > 1e-13 * chances.max(), chances / chances.sum(), 0.0)
    return Reference(values[chances > 0] * 1.0, chances[chances > 0], exact=True)


def _turned(turns: Array) -> Array:
    return np.exp(2j * np.pi * turns)


def drawn(values: Array) -> Reference:
    """Return random values as a reference; equal ones but for rounding are one."""
    found, times = np.unique(np.round(values, 12), return_counts=True)
    return Reference(found, times / values.size, exact=False)


class Tail(NamedTuple):
    """One tail: how it was found, and beside what; the true one and the relative error."""

    method: str
    exact: bool
    p: float
    error: float


def compared(
    null: NullDistribution, reference: Reference, score: Callable[[float], float] | None = None
) -> Iterator[Tail]:
    """Yield the tails of a null distribution beside a reference, whose values may be read."""
    for value, p, upper in reference.tails():
        at = value if score is None else score(value)
        rises = score is None or score(value + 1) > at
        mine = null.sf(at) if upper == rises else null.cdf(at)
        yield Tail(null.method, reference.exact, p, mine / p - 1)


def of_two_classes(rng: np.random.Generator) -> Iterator[tuple[str, Iterator[Tail]]]:
    """Yield families of sums over positives: whole-number gains that can be counted."""
    rows = int(rng.choice(ROWS))
    rate = float(rng.choice([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5]))
    positives = max(2, round(rows * rate))
    z = np.sort(rng.normal(size=rows))
    for name, gains in {
        "AUC": np.arange(rows),
        "AUC, ties": np.arange(rows) // max(rows // 40, 3),
        "Brier": np.round(50 * np.tanh(z)),
        "log loss": np.round(20 * z),
        "NDCG": np.round(1000 / np.log2(np.arange(rows) + 2)),
        "lognormal gains": np.round(10 * np.exp(z)),
    }.items():
        reference = counted(positives, gains)
        if reference is not None and reference.values.size > 1:
            blocks, sizes = np.unique(gains, return_counts=True)
            a = np.vstack([np.zeros(blocks.size), blocks])
            null = linear(np.array([rows - positives, positives]), sizes, a)
            yield name, compared(null, reference)


def of_three_classes(rng: np.random.Generator) -> Iterator[tuple[str, Iterator[Tail]]]:
    """Yield families of sums over tables of three classes, one of them rare now and then."""
    rows = int(rng.choice(ROWS))
    n, m = (
        np.maximum(rng.multinomial(rows, rng.dirichlet(np.full(3, float(rng.choice([0.7, 3]))))), 1)
        for _ in range(2)
    )
    m[np.argmax(m)] += n.sum() - m.sum()
    apart = np.subtract.outer(np.arange(3), np.arange(3)) ** 2
    probabilities = rng.dirichlet(np.full(3, 2.0), size=int(rng.choice([5, 12, 40])))
    few = len(probabilities)
    sizes = 1 + rng.multinomial(max(n.sum() - few, 0), np.full(few, 1 / few))
    cases = {
        "accuracy": (n, m, np.eye(3, dtype=int)),
        "quadratic kappa": (n, m, apart.max() - apart),
        "macro F1": _of_simple_shares(rows, rng),
    }
    if sizes.sum() == n.sum():
        points = np.round(float(rng.choice([2, 5])) * np.log(probabilities)).astype(int).T
        cases["log loss of classes"] = n, sizes, points
    for name, (truth, answers, a) in cases.items():
        reference = inverted(truth, answers, a)
        if reference is not None and reference.values.size > 1:
            yield name, compared(linear(truth, answers, a * 1.0), reference)


def _of_simple_shares(rows: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return margins of three classes whose F1 scores add whole numbers, up to a factor.

    A right answer adds 2 / (n + m): these sums of margins are whole multiples of a large number.
    """
    share = np.array([(1, 1, 1), (1, 1, 2), (1, 2, 3), (1, 3, 4), (1, 1, 8)][rng.integers(5)])
    unit = max(2 * rows // share.sum(), 2)
    unit += unit * share.sum() % 2
    both = unit * share
    half = both.sum() // 2
    truth = rng.multivariate_hypergeometric(both - 2, half - 3) + 1
    return truth, both - truth, np.diag(np.lcm.reduce(share) // share)


def permuted(y: Array, x: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Return what random permutations of predicted numbers score.

    Random keys that carry the place of a row in their last bits are sorted: half the time of a
    shuffle. Sums of products are found for a whole block at once.
    """
    rows, bits = y.size, max((y.size - 1).bit_length(), 1)
    ranks = rankdata(y), rankdata(x)
    size = max(MOST_AT_ONCE // rows, 1)
    means, sums, of_ranks = (np.empty(-(-PERMUTATIONS // size) * size) for _ in range(3))
    for start in range(0, means.size, size):
        keys = rng.integers(0, 2**63, (size, rows)) >> bits << bits
        keys += np.arange(rows)
        keys.sort(axis=1)
        keys &= 2**bits - 1
        some, block = x.take(keys), slice(start, start + size)
        sums[block], of_ranks[block] = some @ y, ranks[1].take(keys) @ ranks[0]
        some -= y
        means[block] = np.abs(some, out=some).mean(axis=1)
    return {
        "RMSE": np.sqrt(np.maximum((x @ x + y @ y - 2 * sums) / rows, 0)),
        "MAE": means,
        "Pearson": _correlations(sums, y, x),
        "Spearman": _correlations(of_ranks, *ranks),
    }


def _correlations(sums: Array, y: Array, x: Array) -> Array:
    return (sums / y.size - y.mean() * x.mean()) / (y.std() * x.std())


def of_numbers(rng: np.random.Generator) -> Iterator[tuple[str, Iterator[Tail]]]:
    """Yield scores of numbers, normal, lognormal or tied, beside permutations."""
    rows = int(rng.choice([each for each in ROWS if 8 < each <= MOST_PERMUTED_ROWS]))
    kind = str(rng.choice(["normal", "lognormal", "ties"]))
    y, x = rng.normal(size=(2, rows))
    if kind == "lognormal":
        y, x = np.exp(y), np.exp(x)
    elif kind == "ties":
        y, x = np.round(y), np.round(x)
    if np.ptp(y) == 0 or np.ptp(x) == 0:
        return
    for key, scores in permuted(y, x, rng).items():
        yield f"{key} of numbers", compared(br.null_distribution(y, x, key), drawn(scores))


def of_two_values(rng: np.random.Generator) -> Iterator[tuple[str, Iterator[Tail]]]:
    """Yield scores of numbers whose truth has two values, beside exact counts."""
    rows = int(rng.choice([each for each in ROWS if each > 8]))
    ones = max(2, round(rows * float(rng.choice([0.003, 0.01, 0.03, 0.1, 0.3]))))
    x = np.round(rng.choice([5, 20]) * np.exp(rng.normal(size=rows)))
    high = float(np.round(np.median(x) * 2) + 1)
    y = np.repeat([0.0, high], [rows - ones, ones])
    if np.ptp(x) == 0:
        return
    sides = {
        "Pearson": (x, lambda s: high * (s - ones * x.mean()) / rows / y.std() / x.std()),
        "RMSE": (x, lambda s: math.sqrt((x @ x + ones * high**2 - 2 * high * s) / rows)),
        "MAE": (np.abs(high - x) - np.abs(x), lambda s: (np.abs(x).sum() + s) / rows),
        "Spearman": (
            2 * rankdata(x),
            lambda s: (s / 2 / rows - ones / rows * (rows + 1) / 2)
            * rows / math.sqrt(ones * (rows - ones)) / rankdata(x).std(),
        ),
    }  # fmt: skip
    for key, (gains, score) in sides.items():
        reference = counted(ones, gains)
        if reference is not None and reference.values.size > 1:
            null = br.null_distribution(y, x, key)
            yield f"{key} of numbers", compared(null, reference, score)


# Kinds of test sets, and what share of the time is theirs.
KINDS = {of_two_classes: 1, of_three_classes: 1, of_two_values: 1, of_numbers: 6}


def study(seconds: float, seed: int) -> dict[str, list[Tail]]:
    """Return the tails of each family: kinds of test sets in turn, as long as there is time."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[Tail]] = defaultdict(list)
    spent = dict.fromkeys(KINDS, 0.0)
    with tqdm(unit="test set") as bar, suppress(KeyboardInterrupt):  # which ends it earlier
        while sum(spent.values()) < seconds:
            kind = min(KINDS, key=lambda each: spent[each] / KINDS[each])
            start = time.process_time()
            for name, tails in kind(rng):
                found[name].extend(tails)
            spent[kind] += time.process_time() - start
            bar.update()
    return dict(sorted(found.items()))


def goals(found: dict[str, list[Tail]]) -> str:
    """Return whether each family of sums, counted or by a saddlepoint, meets its three goals."""
    lines = [
        (
            f"| score | tails | median error ≤ {MEDIAN:.1%} | 99% within {MOST:.0%} | "
            f"p ≥ 0.001: none too small by more than {TOO_SMALL:.0%} | all met |"
        ),
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, tails in found.items():
        errors = np.array([each.error for each in tails if each.method != "permutations"])
        large = [t.error for t in tails if t.method != "permutations" and t.p >= 1e-3]
        if not large:
            continue
        middle, most = np.quantile(np.abs(errors), (0.5, 0.99))
        is_met = middle <= MEDIAN and most <= MOST and min(large) >= -TOO_SMALL
        cells = [name, f"{errors.size:,}", f"{middle:.3%}", f"{most:.2%}", f"{min(large):+.1%}"]
        lines.append(f"| {' | '.join(cells)} | {'yes' if is_met else 'no'} |")
    return "\n".join(lines)


def table(found: dict[str, list[Tail]]) -> str:
    """Return the errors of all families by each method in Markdown."""
    lines = [
        "| score | method | beside | tails | median error | 99% within | p ≥ 0.001: least | most |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, tails in found.items():
        for method in ("exact", "saddlepoint", "permutations"):
            for exact, beside in ((True, "counts"), (False, "draws")):
                # Permutations below 0.01 are known to their standard error only.
                errors = np.array([
                    (each.p, each.error) for each in tails
                    if (each.method, each.exact) == (method, exact)
                    and (method != "permutations" or each.p >= 0.01)
                ])  # fmt: skip
                if not len(errors):
                    continue
                size, large = np.abs(errors[:, 1]), errors[errors[:, 0] >= 1e-3, 1]
                cells = [
                    name, method, beside, f"{len(errors):,}", f"{np.median(size):.2%}",
                    f"{np.quantile(size, 0.99):.1%}", f"{large.min():+.1%}", f"{large.max():+.1%}",
                ]  # fmt: skip
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


ERRORS: dict[str, Callable[[Array, Array], Array]] = {
    "MedAE": lambda y, x: np.median(np.abs(y - x), axis=-1),
    "max error": lambda y, x: np.abs(y - x).max(axis=-1),
}


def levels(seconds: float, seed: int) -> str:
    """Return how often models that know nothing are significant, by measures that are permuted."""
    rng, end = np.random.default_rng(seed), time.process_time() + seconds
    found: dict[str, list[Array]] = defaultdict(list)
    while time.process_time() < end:
        for measure, score in ERRORS.items():
            y, x = rng.normal(size=(2, 30))
            null = br.null_distribution(y, x, measure)
            scores = score(rng.permuted(np.tile(y, (ARRANGEMENTS, 1)), axis=1), x)
            found[measure].append(np.array([null.cdf(each) for each in scores.tolist()]))
        # Test sets of other sizes each time, as those of one size share their shuffles.
        positives = int(rng.integers(15, 26))
        rows = 5 * positives
        x, y = rng.uniform(size=rows), np.arange(rows) < positives
        null = br.null_distribution(y, x, "AP")
        orders = rng.permuted(np.tile(np.arange(rows), (ARRANGEMENTS, 1)), axis=1)
        places = np.sort(orders[:, :positives])
        scores = (np.arange(1, positives + 1) / (places + 1)).mean(axis=1)
        found["AP"].append(np.array([null.sf(each) for each in scores.tolist()]))
    lines = [
        "| score | rows | models | " + " | ".join(f"p ≤ {each:g}" for each in LEVELS) + " |",
        "| --- | ---: | ---: |" + " ---: |" * len(LEVELS),
    ]
    for measure, p_values in found.items():
        shares = [f"{np.mean(np.concatenate(p_values) <= level):.2%}" for level in LEVELS]
        cells = [measure, "75 to 125" if measure == "AP" else "30"]
        cells += [f"{len(p_values) * ARRANGEMENTS:,}", *shares]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write both tables into the page on methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1_500)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    shares = levels(arguments.seconds / 16, arguments.seed)
    found = study(arguments.seconds, arguments.seed)
    written = {"levels": shares, "goals": goals(found), "nulls": table(found)}
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in written.items():
        print(lines)
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, rest = page.split(start)
        page = f"{before}{start}\n\n{lines}\n\n{end}{rest.split(end)[1]}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
