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
from collections import Counter, defaultdict
from dataclasses import asdict, astuple, dataclass, fields, replace
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as many processes as are asked for

import numpy as np
from scipy import special, stats
from tqdm import tqdm

import baserate as br
from baserate.intervals.limits import margin_limits, score_limits
from baserate.kinds.classes import MULTICLASS
from baserate.kinds.numbers import REGRESSION
from baserate.kinds.scores import SCORES
from baserate.kinds.two_classes import BINARY
from baserate.task import Task, measure_of

sys.path.insert(0, str(Path(__file__).parent))
from populations import (
    FAMILIES,
    GRID,
    LOGITS,
    Classes,
    Numbers,
    Population,
    Probabilities,
    Tables,
    TestSet,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Rng = np.random.Generator
    Ends = tuple[float, float]
    # The library's interval, BCa's and t's; whether it clears; whether a t-test shows it.
    Interval = tuple[Ends, tuple[Ends, Ends] | None, bool, float]

RESULTS = Path(__file__).parent / "intervals.json"
PAGE = Path(__file__).parent.parent / "docs" / "ideas" / "intervals.md"
MARKS = ("<!-- written by make intervals -->", "<!-- end -->")
ALPHA = 0.05
ROWS = (20, 30, 60, 100, 300, 1000)
REDRAWN, SUSPECT = 2_000, 3.25  # test sets; percent wrong below
TOLERANCE = 1e-9
STEP = 1e-4  # of the infinitesimal jackknife
TASKS: dict[type, Task[Any]] = {
    Tables: BINARY,
    Classes: MULTICLASS,
    Probabilities: SCORES,
    Numbers: REGRESSION,
}
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


def numbers_of(test_set: TestSet, weights: Array) -> Array:
    """Return every score and margin, of shape (measures, 2, weights)."""
    step = max(2**17 // weights.shape[1], 1)  # so that parts stay near the processor
    parts = (weights[start : start + step] for start in range(0, len(weights), step))
    return np.concatenate([list(test_set.values(part).values()) for part in parts], axis=-1)


def resamples(counts: Array, rng: Rng) -> Array:
    """Return how often each cell is drawn again."""
    rows = int(counts.sum())
    size = 1000 if rows < 100 else 500
    if counts.size < rows:
        return rng.multinomial(rows, counts / rows, size).astype(float)
    places = rng.integers(rows, size=(size, rows)) + rows * np.arange(size)[:, None]
    return np.bincount(places.ravel(), minlength=size * rows).reshape(size, rows).astype(float)


def t_interval(estimate: float, influence: Array, counts: Array, scale: str) -> Ends:
    """Return Student's interval with the standard error of the infinitesimal jackknife."""
    rows = int(counts.sum())
    error = np.sqrt((counts * influence**2).sum() / rows / (rows - 1))
    to, slope, back = SCALES[scale]
    if not np.isfinite(slope(estimate)):
        return estimate, estimate
    reach = special.stdtrit(rows - 1, 1 - ALPHA / 2) * error * slope(estimate)
    return float(back(to(estimate) - reach)), float(back(to(estimate) + reach))


def bca(estimates: Array, influences: Array, counts: Array, resampled: Array) -> Array:
    """Return the bias-corrected and accelerated intervals (Efron 1987) of several numbers."""
    ordered = np.sort(np.where(np.isfinite(resampled), resampled, np.nan), axis=-1)  # nan is last
    size = np.maximum(np.isfinite(ordered).sum(axis=-1), 1)
    below = (ordered < estimates[:, None]).sum(axis=-1)
    below = (below + (ordered == estimates[:, None]).sum(axis=-1) / 2) / size
    bias = special.ndtri(np.clip(below, 1 / size, 1 - 1 / size))
    square = (counts * influences**2).sum(axis=-1)
    bend = np.where(square > 0, (counts * influences**3).sum(axis=-1) / (6 * square**1.5), 0.0)
    z = bias + special.ndtri(np.array([[ALPHA / 2], [1 - ALPHA / 2]]))
    place = special.ndtr(bias + z / (1 - bend * z)) * (size - 1)
    first = np.nan_to_num(place).astype(int)
    numbers = np.arange(size.size)
    low, high = ordered[numbers, first], ordered[numbers, np.minimum(first + 1, size - 1)]
    found = low + (place - first) * (high - low)
    return np.asarray(np.where(size > 10, found, [[-np.inf], [np.inf]]).T)


def peers(test_set: TestSet, rng: Rng) -> dict[tuple[str, str], tuple[Ends, Ends]]:
    """Return the intervals by BCa and by t of every score and margin."""
    counts, rows = test_set.counts.astype(float), int(test_set.counts.sum())
    held = np.flatnonzero(counts)
    more = np.repeat(counts[None], held.size, axis=0)
    more[np.arange(held.size), held] += STEP
    at, resampled = (numbers_of(test_set, each) for each in (counts[None], resamples(counts, rng)))
    influences = rows / STEP * (numbers_of(test_set, more) - at)  # the infinitesimal jackknife
    names, counts = list(test_set.values(counts[None])), counts[held]
    influences = influences - (counts * influences).sum(axis=-1, keepdims=True) / rows
    flat = (each.reshape(2 * len(names), -1) for each in (influences, resampled))
    flat_influences, flat_resampled = flat
    bcas = bca(at.ravel(), flat_influences, counts, flat_resampled)
    found = {}
    for place, key in enumerate(itertools.product(names, ("score", "margin"))):
        name, number = key
        plain = number == "margin" and SCALE_OF.get(name) == "log"
        scale = "plain" if plain else SCALE_OF.get(name, "plain")
        t_ends = t_interval(float(at.flat[place]), flat_influences[place], counts, scale)
        found[key] = tuple(bcas[place].tolist()), t_ends
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


def intervals_of(
    task: Task[Any], test_sets: Sequence[TestSet], names: Sequence[str]
) -> list[dict[tuple[str, str], Ends]]:
    """Return the library's intervals of scores and margins that exist, found together.

    They are those of `br.evaluate`, which finds p-values too: these take longer.
    """
    tables = [
        each.prediction if each.truth is None else task.count(each.truth, each.prediction)
        for each in test_sets
    ]
    found: list[dict[tuple[str, str], Ends]] = [{} for _ in tables]
    for name in names:
        measure = measure_of(task, name)
        asked = [task.asked(measure, table) for table in tables]
        bases = [baseline_of(task, table.test_set, measure) for table in tables]
        scores = score_limits(asked, ALPHA)
        margins = margin_limits(asked, bases, scores, ALPHA)
        for known, each, base, score, margin in zip(
            found, asked, bases, scores, margins, strict=True
        ):
            if np.isfinite(each.score):
                known[name, "score"] = ends(*score[:2])
                if not isinstance(base, str):
                    known[name, "margin"] = ends(*margin[:2])
    return found


def baseline_of(task: Task[Any], test_set: Any, measure: Any) -> Any:
    """Return the baseline, or why there is none."""
    try:
        return task.baseline(test_set, measure)
    except br.exceptions.UndefinedMeasureError as error:
        return str(error)


def coverage(job: Job) -> list[Found]:
    """Return how often the library's, BCa's and t's intervals are wrong in a corner."""
    rng, truth = streams(job.seed, job.corner), job.population.true(job.rows)
    test_sets = list(drawn(job.population, job.rows, job.test_sets, rng))
    names = [name for name in job.population.measures if job.only is None or name in job.only]
    if job.kind == "power":
        names = [name for name in names if name in test_sets[0].gains]
    others = job.only is None and job.kind != "power"
    # Tables of small test sets are often equal.
    keys = [
        each.counts.tobytes() if job.kind == "binary" else i for i, each in enumerate(test_sets)
    ]
    different = dict(zip(keys, test_sets, strict=True))
    mine = intervals_of(TASKS[type(job.population)], list(different.values()), names)
    seen: dict[tuple[str, str], dict[Any, Interval]] = defaultdict(dict)
    for (key, test_set), known in zip(different.items(), mine, strict=True):
        beside = peers(test_set, rng) if others else {}
        above = [name for name in names if known.get((name, "margin"), (0, 0))[0] > 0]
        if job.kind != "power":  # claims are counted where they are false, or to be made
            above = [name for name in above if truth[name][1] <= TOLERANCE]
        outcomes = dict(zip(above, verdicts_of(test_set, above) if above else (), strict=True))
        for (name, number), own in known.items():
            if np.isfinite(truth[name][number == "margin"]):
                verdict = outcomes.get(name) if number == "margin" else None
                if verdict:  # one by one, intervals are the same as together
                    assert np.allclose(own, ends(verdict.margin_low, verdict.margin_high))
                clears = verdict is not None and verdict.outcome == br.Outcome.CLEARS
                shown = significant(test_set.gains[name]) if name in test_set.gains else np.nan
                seen[name, number][key] = (own, beside.get((name, number)), clears, shown)
    return [
        summary(
            job, name, number, truth[name][number == "margin"], [each[k] for k in keys if k in each]
        )
        for (name, number), each in seen.items()
    ]


def significant(gains: Array) -> bool:
    """Return whether a one-sided t-test at alpha / 2 shows that rows gain on average."""
    error = gains.std(ddof=1) / np.sqrt(gains.size)
    return bool(gains.mean() > special.stdtrit(gains.size - 1, 1 - ALPHA / 2) * error)


def summary(job: Job, name: str, number: str, truth: float, seen: Sequence[Interval]) -> Found:
    """Return the percentages of one number in one corner."""
    mine, others, clears, shown = zip(*seen, strict=True)
    now: dict[str, Any] = {"truth": float(f"{truth:.6g}"), **rates(mine, truth)}
    if others[0]:
        bca_, t_ = zip(*others, strict=True)
        now |= rates(bca_, truth, "bca_") | rates(t_, truth, "t_")
    if number == "margin":
        now["positive"] = percent(low > 0 for low, _ in mine)
        if job.kind == "power" or truth <= TOLERANCE:
            now["claims"] = percent(clears)
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
    parts = (MARKS[0], "\n".join(what_was_drawn(rows)), table(rows), goals, MARKS[1])
    text = "\n\n".join(part for part in parts if part)
    return f"{before}{text}{rest.split(MARKS[1])[1]}"


def what_was_drawn(rows: Sequence[Found]) -> Iterator[str]:
    """Yield how many populations were drawn of how many there are, for each number of rows."""
    drawn_ = {(r.kind, r.rows, r.population): r.test_sets for r in rows if not r.redrawn}
    for size in sorted({rows for _, rows, _ in drawn_}):
        seen = Counter(kind for kind, rows, _ in drawn_ if rows == size)
        kinds = [f"{kind} {seen[kind]} of {len(PARTS[kind][1])}" for kind in PARTS if seen[kind]]
        most = max(sets for (_, rows, _), sets in drawn_.items() if rows == size)
        yield f"- {size:,} rows, {most} test sets each: populations of {', '.join(kinds)}"
    again = sum(r.redrawn for r in rows)
    yield f"- {again} numbers in corners that looked wrong, drawn again with {REDRAWN:,} test sets"


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
