"""How often confidence intervals are wrong, and how wide they are: `make intervals`.

Test sets are drawn from populations (`populations.py`), and the intervals of `br.evaluate` compared
with the true score and the true margin, beside BCa (Efron 1987) and the t-interval. What was found
is kept in intervals.json (delete it to begin anew), so that a run can be done in pieces:

    python bench/intervals.py --kind numbers --rows 30,60 --sims 400 --seed 7 --jobs 2
    python bench/intervals.py --redraw     # corners whose lower end looks wrong, 2,000 test sets
    python bench/intervals.py --report     # what was found, without drawing more
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import warnings
import zlib
from collections import defaultdict
from dataclasses import asdict, astuple, dataclass, fields, replace
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as many processes as are asked for

import numpy as np
from scipy import special, stats
from tqdm import tqdm

import baserate as br

sys.path.insert(0, str(Path(__file__).parent))
from populations import FAMILIES, GRID, LOGITS, Population, TestSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Rng = np.random.Generator
    Ends = tuple[float, float]

RESULTS = Path(__file__).parent / "intervals.json"
PAGE = Path(__file__).parent.parent / "docs" / "ideas" / "intervals.md"
MARKS = ("<!-- written by make intervals -->", "<!-- end -->")
ALPHA = 0.05
ROWS = (20, 30, 60, 100, 300, 1000)
REDRAWN, SUSPECT = 2_000, 3.25  # test sets; percent wrong below
TOLERANCE = 1e-9
COVERED = ("binary", "classes", "scores", "numbers")


@dataclass(frozen=True)
class Found:
    """What was found for one number in one corner; percentages are of test sets with the number.

    `below` and `above` are percent of intervals that begin above the truth and end below it, here
    and by BCa and t, and `width` is the median. `positive` is percent of lower ends above 0 (or of
    p-values below alpha), `claims` of verdicts that clear, and `t_test` of significant t-tests.
    What looked wrong is `redrawn`, and only the new test sets count.
    """

    kind: str
    population: str
    rows: int
    measure: str
    number: str
    test_sets: int
    seed: int
    truth: float | None = None
    below: float | None = None
    above: float | None = None
    width: float | None = None
    positive: float | None = None
    claims: float | None = None
    bca_below: float | None = None
    bca_above: float | None = None
    bca_width: float | None = None
    t_below: float | None = None
    t_above: float | None = None
    t_width: float | None = None
    t_test: float | None = None
    redrawn: bool = False

    @property
    def corner(self) -> tuple[str, str, int]:
        """Where it was found."""
        return self.kind, self.population, self.rows

    @property
    def suspect(self) -> bool:
        """Whether the lower end of a margin looks wrong too often."""
        margin = self.kind in COVERED and self.number == "margin" and not self.redrawn
        return bool(margin and self.below > SUSPECT)

    def wrong(self, method: str = "") -> float:
        """Percent of intervals that do not hold the truth."""
        return float(getattr(self, f"{method}below") + getattr(self, f"{method}above"))


# BCa and the t-interval of any number that is a function of weights.

SCALES: dict[str, tuple[Callable[[float], float], ...]] = {  # to it, its slope, and back
    "log": (np.log, lambda x: np.divide(1, x), np.exp),
    "share": (lambda x: -np.log1p(-x), lambda x: np.divide(1, 1 - x), lambda z: -np.expm1(-z)),
    "fisher": (np.arctanh, lambda x: np.divide(1, 1 - x**2), np.tanh),
    "plain": (lambda x: x, lambda x: 1.0, lambda z: z),
}
SCALE_OF = {
    **dict.fromkeys(("RMSE", "MAE", "MAPE", "log loss", "Brier"), "log"),
    **dict.fromkeys(("Pearson", "Spearman", "MCC"), "fisher"),
    "R2": "share",
}


def influences_of(test_set: TestSet, step: float = 1e-4) -> dict[str, tuple[Array, Array]]:
    """Return the infinitesimal jackknife: how score and margin change with a row of each cell."""
    counts = test_set.counts.astype(float)
    rows, held = counts.sum(), np.flatnonzero(counts)
    at = test_set.values(counts[None])
    more = np.repeat(counts[None], held.size, axis=0)
    more[np.arange(held.size), held] += step
    return {
        name: tuple(rows / step * (v - a) for v, a in zip(number, at[name], strict=True))
        for name, number in test_set.values(more).items()
    }


def t_interval(estimate: float, influence: Array, counts: Array, scale: str) -> Ends:
    """Return Student's interval with the standard error of the infinitesimal jackknife."""
    rows = int(counts.sum())
    error = np.sqrt((counts * influence**2).sum() / rows / (rows - 1))
    to, slope, back = SCALES[scale]
    if not np.isfinite(slope(estimate)):
        return estimate, estimate
    reach = special.stdtrit(rows - 1, 1 - ALPHA / 2) * error * slope(estimate)
    return float(back(to(estimate) - reach)), float(back(to(estimate) + reach))


def bca(estimate: float, influence: Array, counts: Array, resampled: Array) -> Ends:
    """Return the bias-corrected and accelerated interval (Efron 1987)."""
    resampled = resampled[np.isfinite(resampled)]
    if resampled.size <= 10:
        return -np.inf, np.inf
    below = np.mean(resampled < estimate) + np.mean(resampled == estimate) / 2
    bias = special.ndtri(np.clip(below, 1 / resampled.size, 1 - 1 / resampled.size))
    square = (counts * influence**2).sum()
    bend = (counts * influence**3).sum() / (6 * square**1.5) if square > 0 else 0.0
    z = bias + special.ndtri(np.array([ALPHA / 2, 1 - ALPHA / 2]))
    low, high = np.quantile(resampled, special.ndtr(bias + z / (1 - bend * z)))
    return float(low), float(high)


def peers(test_set: TestSet, rng: Rng) -> dict[tuple[str, str], tuple[Ends, Ends]]:
    """Return the intervals by BCa and by t of every score and margin."""
    counts, rows = test_set.counts, int(test_set.counts.sum())
    draws = rng.multinomial(rows, counts / rows, 1000 if rows < 100 else 500).astype(float)
    at, resampled = test_set.values(counts[None].astype(float)), test_set.values(draws)
    held, found = counts[counts > 0], {}
    for name, influences in influences_of(test_set).items():
        for place, number in enumerate(("score", "margin")):
            estimate, influence = float(at[name][place][0]), influences[place]
            influence = influence - (held * influence).sum() / rows
            plain = number == "margin" and SCALE_OF.get(name) == "log"
            scale = "plain" if plain else SCALE_OF.get(name, "plain")
            found[name, number] = (
                bca(estimate, influence, held, resampled[name][place]),
                t_interval(estimate, influence, held, scale),
            )
    return found


# Corners: what is drawn, and how often it is wrong.


def streams(*parts: object) -> Rng:
    """Return a stream of its own for each corner, whatever else is run."""
    return np.random.default_rng([zlib.crc32(repr(part).encode()) for part in parts])


def drawn(population: Population, rows: int, test_sets: int, rng: Rng) -> Iterator[TestSet]:
    """Yield test sets that have a score; there may be fewer where most have one class only."""
    tries = (population.draw(rows, rng) for _ in range(20 * test_sets))
    yield from itertools.islice((each for each in tries if each is not None), test_sets)


def ends(low: float, high: float) -> Ends:
    """Return the ends of an interval; one without a number is infinite."""
    return (-np.inf if np.isnan(low) else low), (np.inf if np.isnan(high) else high)


def rates(intervals: Sequence[Ends], truth: float, method: str = "") -> dict[str, float | None]:
    """Return percent wrong below and above, and the median width if it is finite."""
    low, high = np.array([ends(*each) for each in intervals]).T
    width = float(f"{np.median(high - low):.4g}")
    return {
        f"{method}below": percent(low > truth + TOLERANCE),
        f"{method}above": percent(high < truth - TOLERANCE),
        f"{method}width": width if np.isfinite(width) else None,
    }


def percent(flags: Iterable[float]) -> float:
    """Return the percentage of flags that are set, to two digits."""
    return round(100 * float(np.mean(list(flags))), 2)


@dataclass(frozen=True)
class Job:
    """A corner to be drawn: all measures, or only those that looked wrong."""

    kind: str
    population: Any
    rows: int
    test_sets: int
    seed: int
    only: frozenset[str] | None = None

    @property
    def corner(self) -> tuple[str, str, int]:
        """Where it is."""
        return self.kind, str(self.population), self.rows


def verdicts_of(test_set: TestSet, measures: Sequence[str]) -> list[Any]:
    """Return the verdict of the library by each measure."""
    arguments = test_set.truth, test_set.prediction, list(measures)
    return list(br.evaluate(*arguments, **test_set.options).verdicts)


def coverage(job: Job) -> list[Found]:
    """Return how often the library's, BCa's and t's intervals are wrong in a corner."""
    rng, truth = streams(job.seed, job.corner), job.population.true(job.rows)
    names = [name for name in job.population.measures if job.only is None or name in job.only]
    known: dict[bytes, tuple[list[Any], Any]] = {}  # tables of small test sets are often equal
    seen: dict[tuple[str, str], list[tuple[Any, Any, float]]] = defaultdict(list)
    for test_set in drawn(job.population, job.rows, job.test_sets, rng):
        key = test_set.counts.tobytes()
        if job.kind != "binary" or key not in known:
            other = {} if job.only else peers(test_set, rng)
            known[key] = verdicts_of(test_set, names), other
        verdicts, other = known[key]
        for name, verdict in zip(names, verdicts, strict=True):
            shown = significant(test_set.gains[name]) if name in test_set.gains else np.nan
            for number, true in zip(("score", "margin"), truth[name], strict=True):
                if np.isfinite(getattr(verdict, number)) and np.isfinite(true):
                    seen[name, number].append((verdict, other.get((name, number)), shown))
    return [
        summary(job, name, number, truth[name][number == "margin"], each)
        for (name, number), each in seen.items()
    ]


def significant(gains: Array) -> bool:
    """Return whether a one-sided t-test at alpha / 2 shows that rows gain on average."""
    error = gains.std(ddof=1) / np.sqrt(gains.size)
    return bool(gains.mean() > special.stdtrit(gains.size - 1, 1 - ALPHA / 2) * error)


def summary(
    job: Job, name: str, number: str, truth: float, seen: Sequence[tuple[Any, Any, float]]
) -> Found:
    """Return the percentages of one number in one corner."""
    verdicts, others, shown = zip(*seen, strict=True)
    low, high = ("low", "high") if number == "score" else ("margin_low", "margin_high")
    mine = [(getattr(each, low), getattr(each, high)) for each in verdicts]
    now: dict[str, Any] = {"truth": float(f"{truth:.6g}"), **rates(mine, truth)}
    if not job.only:
        bca_, t_ = zip(*others, strict=True)
        now |= rates(bca_, truth, "bca_") | rates(t_, truth, "t_")
    if number == "margin":
        now["positive"] = percent(each[0] > 0 for each in mine)
        now["claims"] = percent(each.outcome == br.Outcome.CLEARS for each in verdicts)
        now["t_test"] = None if np.isnan(shown[0]) else percent(shown)
    now["redrawn"] = bool(job.only)
    return Found(*job.corner, name, number, len(seen), job.seed, **now)


# Many models at once.


def families(job: Job) -> list[Found]:
    """Return how many reports hold a claim though no model is better than the best guess."""
    rng, hits = streams(job.seed, job.corner), []
    for _ in range(job.test_sets):
        y, models = job.population.draw(job.rows, rng)
        report = br.evaluate(y, models, job.population.measure, adjust="holm")
        hits.append(any(each.outcome == br.Outcome.CLEARS for each in report.verdicts))
    name = job.population.measure
    return [Found(*job.corner, name, "report", len(hits), job.seed, claims=percent(hits))]


PARTS: dict[str, tuple[Callable[[Job], list[Found]], Sequence[Any], tuple[int, ...]]] = {
    **{kind: (coverage, GRID[kind], ROWS) for kind in COVERED},
    "power": (coverage, GRID["power"], (30, 60, 120)),
    "families": (families, FAMILIES, (60, 200)),
}

# What was asked for, and what came out.


def margins(rows: Iterable[Found]) -> list[Found]:
    """Return margins in the corners that count: 30 rows or more."""
    return [r for r in rows if r.kind in COVERED and r.number == "margin" and r.rows >= 30]


def widths(rows: Iterable[Found]) -> list[float]:
    """Return widths beside BCa's, where BCa is itself wrong at most 5% of the time."""
    fair = [r for r in rows if r.bca_width and r.wrong("bca_") <= 100 * ALPHA]
    # Where all resamples are alike, BCa has no width but rounding.
    return [r.width / r.bca_width for r in fair if r.width is not None and r.bca_width > 1e-9]


def criteria(rows: Sequence[Found]) -> Iterator[tuple[bool, str]]:
    """Yield whether each goal is met, and the number that decides it."""
    yield from coverage_goals(margins(rows))
    yield from power_goals([r for r in rows if r.kind == "power" and r.t_test is not None])
    rare = [r for r in rows if (r.kind, r.measure, r.number) == ("numbers", "Pearson", "score")]
    rare = [r for r in rare if r.population.startswith("2% ones") and r.rows >= 30]
    yield from least_covered("Pearson with 2% ones", rare, 93)
    reports = sorted((r for r in rows if r.kind == "families"), key=lambda r: r.claims)
    if reports:
        low, high = reports[0], reports[-1]
        span = f"{low.claims}% ({where(low)}) to {high.claims}% ({where(high)})"
        text = f"reports of models at the baseline hold a claim {span} of the time (0 to 5)"
        yield high.claims <= 5, text


def coverage_goals(mine: Sequence[Found]) -> Iterator[tuple[bool, str]]:
    """Yield the goals for lower ends, false claims and widths of margins."""
    if not mine:
        return
    low, worst = np.array([r.below for r in mine]), max(mine, key=lambda r: r.below)
    again = sum(r.suspect for r in mine)
    share = 100 * np.mean(low <= 6)
    yield low.mean() <= 2.5, f"lower end of the margin wrong {low.mean():.2f}% on average (2.5)"
    yield share >= 98, f"at most 6% in {share:.1f}% of {low.size} corners (98)"
    yield low.max() <= 10, f"worst {low.max():.1f}% (10): {where(worst)}"
    yield again == 0, f"{again} corners above {SUSPECT}% are still to be drawn again (0)"
    free = [r for r in mine if r.truth <= TOLERANCE]
    if free:  # the smallest p of all corners is significant by Holm if it is by Bonferroni
        hits = [round(r.claims * r.test_sets / 100) for r in free]
        p = [stats.binom.sf(k - 1, r.test_sets, ALPHA) for k, r in zip(hits, free, strict=True)]
        first, worst = min(p) * len(p), max(free, key=lambda r: r.claims)
        text = f"claims where the true margin is at most 0: worst {worst.claims}%, {where(worst)}"
        yield first > ALPHA, f"{text}; smallest p of {len(p)} corners by Holm {min(first, 1):.2g}"
    for name, some, most in (
        ("", mine, 1.25),
        (" at 30 rows", [r for r in mine if r.rows == 30], 1.35),
    ):
        ratio = np.median(widths(some) or [np.nan])
        yield ratio <= most, f"median width{name} {ratio:.2f} times BCa's ({most})"


def power_goals(rows: Sequence[Found]) -> Iterator[tuple[bool, str]]:
    """Yield the goals for true claims, beside a t-test of the rows' losses."""
    for r in rows:
        if (r.population, r.rows, r.measure) == (str(LOGITS), 60, "log loss"):
            yield r.claims >= 85, f"{where(r)}: clears {r.claims}% (85), t-test {r.t_test}%"
    for name, size in sorted({(r.measure, r.rows) for r in rows}):
        some = [r for r in rows if (r.measure, r.rows) == (name, size)]
        lost, most = [r.t_test - r.claims for r in some], 12 if name == "log loss" else 10
        text = f"{name}, {size} rows: clears {np.mean(lost):.1f} points less often than the t-test"
        yield np.mean(lost) <= most, f"{text} ({most}), at most {max(lost):.1f}"


def least_covered(name: str, rows: Sequence[Found], least: float) -> Iterator[tuple[bool, str]]:
    """Yield whether intervals cover enough in all corners."""
    if rows:
        worst = max(rows, key=Found.wrong)
        covered = 100 - worst.wrong()
        yield covered >= least, f"{name}: covers at least {covered:.1f}% ({least}), {where(worst)}"


def where(row: Found) -> str:
    """Name a corner."""
    name = "" if row.measure in row.population else f"{row.measure}, "
    return f"{name}{row.population}, {row.rows:,} rows"


# The page and the results.


HEAD = (
    "predictions", "measure", "score: wrong below, above", "margin: wrong below", "worst",
    "above", "BCa: below", "worst", "t: below", "worst", "width / BCa's", "with 30 rows",
)  # fmt: skip


def table(rows: Sequence[Found]) -> str:
    """Return what was found by kind of prediction and measure, in Markdown."""
    seen: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for row in rows:
        if row.kind in COVERED and row.rows >= 30:
            seen[row.kind, row.measure].append(row)
    lines = [f"| {' | '.join(HEAD)} |", "| --- | --- " + "| ---: " * (len(HEAD) - 2) + "|"]
    for (kind, name), each in sorted(seen.items(), key=lambda item: COVERED.index(item[0][0])):
        scores = [r for r in each if r.number != "margin"]
        low, high = (np.mean([getattr(r, part) for r in scores]) for part in ("below", "above"))
        cells = [kind, name, f"{low:.1f}, {high:.1f}"]
        mine = margins(each)
        if mine:
            worst = max(mine, key=lambda r: r.below)
            cells += [_mean(mine, "below"), f"{worst.below:.1f} ({worst.population}, {worst.rows})"]
            cells += [_mean(mine, "above")]
            for part in ("bca_below", "t_below"):
                cells += [_mean(mine, part), f"{max(getattr(r, part) for r in mine):.1f}"]
            for some in (mine, [r for r in mine if r.rows == 30]):
                cells += [f"{np.median(widths(some)):.2f}" if widths(some) else ""]
        lines.append(f"| {' | '.join(cells + [''] * (len(HEAD) - len(cells)))} |")
    return "\n".join(lines)


def _mean(rows: Iterable[Found], part: str) -> str:
    return f"{np.mean([getattr(r, part) for r in rows]):.1f}"


def written(page: str, rows: Sequence[Found]) -> str:
    """Return the page with a new table and what of the goals is met."""
    goals = "\n".join(f"- {'' if met else '**not met** '}{text}" for met, text in criteria(rows))
    before, rest = page.split(MARKS[0])
    text = "\n\n".join(part for part in (MARKS[0], table(rows), goals, MARKS[1]) if part)
    return f"{before}{text}{rest.split(MARKS[1])[1]}"


def saved(path: Path) -> list[Found]:
    """Return what was found before."""
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    return [Found(*row) for row in rows]


def save(rows: Iterable[Found], path: Path) -> None:
    """Keep what was found, one line for each number."""
    head = json.dumps([each.name for each in fields(Found)])
    lines = ",\n".join(json.dumps(astuple(row)) for row in sorted(rows, key=identity))
    path.write_text(f'{{"columns": {head},\n"rows": [\n{lines}\n]}}\n', encoding="utf-8")


def identity(row: Found) -> tuple[Any, ...]:
    """Return what makes a row different from all others."""
    return *row.corner, row.measure, row.number


def run(job: Job) -> tuple[Job, list[Found]]:
    """Draw one corner, in a process of its own."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    return job, PARTS[job.kind][0](job)


def jobs(arguments: argparse.Namespace, rows: Sequence[Found]) -> Iterator[Job]:
    """Yield the corners that are asked for and were not drawn yet."""
    done = {row.corner for row in rows}
    suspects: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    for row in rows:
        if row.suspect:
            suspects[row.corner].add(row.measure)
    for kind in arguments.kind:
        _, populations, sizes = PARTS[kind]
        for population, size in itertools.product(populations, arguments.rows or sizes):
            job = Job(kind, population, size, arguments.sims, arguments.seed)
            if not arguments.redraw and job.corner not in done:
                yield job
            if arguments.redraw and job.corner in suspects:
                only = frozenset(suspects[job.corner])
                yield replace(job, test_sets=REDRAWN, seed=arguments.seed + 1, only=only)


def merged(old: Sequence[Found], job: Job, found: Iterable[Found]) -> list[Found]:
    """Return all rows with those of a corner; what was drawn again keeps BCa and t of before."""
    known = {identity(row): row for row in old}
    for row in found:
        now = {name: value for name, value in asdict(row).items() if value is not None}
        known[identity(row)] = replace(known[identity(row)], **now) if job.only else row
    return list(known.values())


def main() -> None:
    """Draw the corners that are asked for, keep the others, print what is met, write the table."""
    whole = lambda text: [int(each) for each in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--kind", type=lambda text: text.split(","), default=list(PARTS), help=", ".join(PARTS)
    )
    parser.add_argument("--rows", type=whole, help="sizes of test sets, such as 30,60")
    parser.add_argument("--sims", type=int, default=400, help="test sets in each corner")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--redraw", action="store_true", help=f"{REDRAWN} where it looks wrong")
    parser.add_argument("--report", action="store_true", help="draw nothing")
    parser.add_argument("--results", type=Path, default=RESULTS, help="another file: no page")
    arguments = parser.parse_args()
    rows = saved(arguments.results)
    todo = [] if arguments.report else list(jobs(arguments, rows))
    with Pool(arguments.jobs) as pool:
        for job, found in tqdm(pool.imap_unordered(run, todo), total=len(todo), unit="corner"):
            rows = merged(rows, job, found)
            save(rows, arguments.results)
    save(rows, arguments.results)
    for met, text in criteria(rows):
        print("met:    " if met else "NOT met:", text)
    if arguments.results == RESULTS:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
