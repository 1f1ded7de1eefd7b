"""How far off tails of null distributions are: `make nulls`, written into docs/ideas/methods.md.

Random sums of every form are drawn, their tails found by the library's front door for sums, and
compared with an exact count (whole-number gains) or with many permutations. A row of the table is
one family: how many tails, by which method, and their relative errors.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata
from tqdm import tqdm

import baserate as br
from baserate.null.sums import linear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[Any]

PAGE = Path(__file__).parent.parent / "docs" / "ideas" / "methods.md"
# Tails of permutations are known to 1% at 0.01 with so many of them.
PERMUTATIONS, NUMBER_DRAWS = 10**6, 3 * 10**5
# Probabilities at which tails are compared: with exact counts down to 1e-8.
COUNTED = (0.9, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
PERMUTED = (0.5, 0.3, 0.1, 0.03, 0.01)
# Permutations of larger test sets take too long.
MOST_PERMUTED_ROWS = 400


def cases(rng: np.random.Generator) -> Iterator[tuple[str, Array, Array, Array]]:
    """Yield families of random sums for ever: a name, both margins, and what a row adds."""
    while True:
        rows = int(rng.choice([8, 12, 20, 30, 50, 80, 120, 200, 400, 2_000, 20_000]))
        rate = float(rng.choice([0.03, 0.1, 0.3, 0.5]))
        truth = np.array([rows - max(1, round(rows * rate)), max(1, round(rows * rate))])
        z = rng.normal(size=rows)
        sizes = np.ones(rows)
        for name, gains in {
            "AUC": np.arange(rows),
            "AUC, ties": np.floor(np.arange(rows) / 3) * 3,
            "Brier": np.round(50 * np.tanh(z)),
            "log loss": np.round(20 * z),
            "NDCG": np.round(1000 / np.log2(np.arange(rows) + 2)),
            "lognormal gains": np.round(10 * np.exp(z)),
        }.items():
            yield name, truth, sizes, np.vstack([np.zeros(rows), gains])
        shares = rng.dirichlet(np.full(3, 3.0))
        n = np.maximum(rng.multinomial(rows, shares), 1)
        m = rng.multinomial(int(n.sum()), rng.dirichlet(np.full(3, 3.0)))
        yield "accuracy", n, m, np.eye(3)
        yield "macro F1", n, m, np.diag(2 / (n + m) / 3)
        yield "quadratic kappa", n, m, -(np.subtract.outer(np.arange(3.0), np.arange(3)) ** 2)
        if rows <= MOST_PERMUTED_ROWS:
            p = rng.dirichlet(np.full(3, 2.0), size=int(n.sum()))
            yield "log loss of classes", n, np.ones(len(p)), np.log(p).T


def exact_of(n: Array, a: Array) -> dict[int, float] | None:
    """Return the chance of every sum, by adding column after column in whole numbers of logs."""
    if n.size != 2 or not (a == np.round(a)).all() or a.max() * n[1] * n[1] > 3e6:
        return None
    gains = (a[1] - a[0]).astype(int) - int((a[1] - a[0]).min())
    positives, most = int(n[1]), int(gains.max()) * int(n[1])
    if positives * most * gains.size > 3e9:
        return None
    ways = np.full((positives + 1, most + 1), 0.0)
    ways[0, 0] = 1.0
    for place, gain in enumerate(gains.tolist()):
        # Sampling without replacement, one row after another: all terms are positive.
        left = gains.size - place
        taken = np.arange(positives + 1)[:, None]
        odds = (positives - taken) / left
        moved = np.zeros_like(ways)
        moved[1:, gain:] = (ways * odds)[:-1, : most + 1 - gain]
        ways = ways * np.clip(1 - odds, 0, 1) + moved
    offset = int((a[1] - a[0]).min()) * positives
    return {offset + value: float(p) for value, p in enumerate(ways[positives]) if p > 0}


def permuted(n: Array, m: Array, a: Array, rng: np.random.Generator) -> Array:
    """Return sums of random permutations."""
    rows = np.repeat(np.arange(n.size), n)
    columns = np.repeat(np.arange(m.size), m.astype(int))
    found = []
    for _ in range(100):
        order = rng.permuted(np.broadcast_to(columns, (PERMUTATIONS // 100, columns.size)), axis=1)
        found.append(a[rows, order].sum(axis=1))
    return np.sort(np.concatenate(found))


def tails_of(
    n: Array, m: Array, a: Array, rng: np.random.Generator
) -> Iterator[tuple[float, float, bool]]:
    """Yield a value, the chance of reaching it, and whether that is upwards."""
    exact = exact_of(n, a)
    if exact is not None:
        values = np.array(sorted(exact))
        chances = np.array([exact[value] for value in values])
        above, below = np.cumsum(chances[::-1])[::-1], np.cumsum(chances)
        for p in COUNTED:
            yield from ((values[i], float(above[i]), True) for i in [_last(above, p)] if i >= 0)
            yield from ((values[i], float(below[i]), False) for i in [_first(below, p)] if i >= 0)
        return
    if n.sum() > MOST_PERMUTED_ROWS:
        return
    drawn = permuted(n, m, a, rng)
    slack = 1e-9 * np.abs(drawn).max()
    for p in PERMUTED:
        for value, upper in (
            (drawn[int((1 - p) * drawn.size)], True),
            (drawn[int(p * drawn.size)], False),
        ):
            reached = drawn >= value - slack if upper else drawn <= value + slack
            yield float(value), float(reached.mean()), upper


def _last(above: Array, p: float) -> int:
    return int(np.flatnonzero(above >= p)[-1]) if (above >= p).any() and above[-1] < p else -1


def _first(below: Array, p: float) -> int:
    return int(np.flatnonzero(below >= p)[0]) if below[0] < p else -1


def _correlations(y: Array, x: Array) -> Array:
    y, x = y - y.mean(), x - x.mean(axis=-1, keepdims=True)
    return (x @ y) / np.sqrt((y @ y) * (x**2).sum(axis=-1))


NUMBERS: dict[str, Callable[[Array, Array], Array]] = {
    "RMSE": lambda y, x: np.sqrt(((y - x) ** 2).mean(axis=-1)),
    "MAE": lambda y, x: np.abs(y - x).mean(axis=-1),
    "Pearson": _correlations,
    "Spearman": lambda y, x: _correlations(rankdata(y), rankdata(x, axis=-1)),
}
"""What predicted numbers score, as a textbook has it."""


def number_tails(rng: np.random.Generator) -> Iterator[tuple[str, str, float, float]]:
    """Yield the name, the method, the true tail and the relative error of scores of numbers."""
    rows = int(rng.choice([11, 20, 50, 120, 400]))
    kind = str(rng.choice(["normal", "lognormal", "ties", "two values"]))
    y, x = rng.normal(size=(2, rows))
    if kind == "lognormal":
        y, x = np.exp(y), np.exp(x)
    elif kind == "ties":
        y, x = np.round(y), np.round(x)
    elif kind == "two values":
        y = (rng.permutation(rows) < max(2, rows // 5)) * 1.0
    if np.ptp(y) == 0 or np.ptp(x) == 0:
        return
    for key, score in NUMBERS.items():
        null = br.null_distribution(y, x, key)
        drawn = np.sort(
            np.concatenate(
                [
                    score(y, rng.permuted(np.broadcast_to(x, (NUMBER_DRAWS // 100, rows)), axis=1))
                    for _ in range(100)
                ]
            )
        )
        slack = 1e-9 * np.abs(drawn).max()
        for p in PERMUTED:
            for value, upper in (
                (drawn[int((1 - p) * drawn.size)], True),
                (drawn[int(p * drawn.size)], False),
            ):
                reached = drawn >= value - slack if upper else drawn <= value + slack
                mine = null.sf(float(value)) if upper else null.cdf(float(value))
                name = f"{key} of numbers"
                yield name, null.method, float(reached.mean()), mine / float(reached.mean()) - 1


def study(seconds: float, seed: int) -> dict[str, list[tuple[str, float, float]]]:
    """Return for each family the method, the true tail and the relative error of many tails."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    end = time.monotonic() + seconds
    bar = tqdm(unit="sum")
    for name, n, m, a in cases(rng):
        null = linear(n, m, a)
        for value, p, upper in tails_of(n, m, a, rng):
            mine = null.sf(value) if upper else null.cdf(value)
            found[name].append((null.method, p, mine / p - 1))
        if name == "accuracy":  # once in a round
            for key, method, p, error in number_tails(rng):
                found[key].append((method, p, error))
        bar.update()
        if time.monotonic() > end:
            bar.close()
            return found
    raise AssertionError("there are always more cases")


def table(found: dict[str, list[tuple[str, float, float]]]) -> str:
    """Return the errors of all families in Markdown."""
    lines = [
        "| sum | method | tails | median error | 99% are within | p ≥ 0.001: from | to |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, rows in found.items():
        for method in ("exact", "saddlepoint", "permutations"):
            errors = np.array([(p, error) for how, p, error in rows if how == method])
            if method == "permutations":  # smaller ones are known to their standard error only
                errors = errors[errors[:, 0] >= 0.01] if len(errors) else errors
            if not len(errors):
                continue
            size = np.abs(errors[:, 1])
            large = errors[errors[:, 0] >= 1e-3, 1]
            cells = [
                name, method, f"{len(errors):,}", f"{np.median(size):.2%}",
                f"{np.quantile(size, 0.99):.1%}", f"{large.min():+.1%}", f"{large.max():+.1%}",
            ]  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the table into the page on methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    written = table(study(arguments.seconds, arguments.seed))
    print(written)
    start, end = "<!-- nulls -->", "<!-- end of nulls -->"
    before, rest = PAGE.read_text(encoding="utf-8").split(start)
    PAGE.write_text(f"{before}{start}\n\n{written}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
