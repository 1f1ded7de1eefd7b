"""One call for every public name, with arguments from a pool."""

from __future__ import annotations

import copy
import io
import math
import pickle
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import baserate as br
from baserate.core.measure import Codomain
from baserate.kinds.class_scores.measures import CLASS_SCORE_MEASURES
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.numbers import Numbers
from fuzz.pools import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.pools import Pool

Call: TypeAlias = "Callable[[Pool], object]"
CALLS: dict[str, Call] = {}
"""One call per public name; some have several, with a suffix after a dot."""

# The values that calls return. Users read them, and the calls below query them.
RETURNED = {"Baseline", "Comparison", "Difference", "Outcome", "Report", "Verdict"}
RETURNED |= {"NullDistribution", "ReliabilityCurve", "ThresholdCurve"}
RETURNED |= {"MEASURES", "datasets", "exceptions", "plots", "sklearn"}


def _calls(name: str) -> Callable[[Call], Call]:
    def keep(call: Call) -> Call:
        CALLS[name] = call
        return call

    return keep


@_calls("BaseRate")
def _base_rate(pool: Pool) -> object:
    rate = br.BaseRate(positives=pool.count(), total=pool.count())
    return rate.rate, rate.negatives, str(rate), pickle.loads(pickle.dumps(rate)) == rate


@_calls("BaseRate.of")
def _base_rate_of(pool: Pool) -> object:
    pair = pool.pair()
    return br.BaseRate.of(pool.labels(pair), _positive(pool, pair))


@_calls("Confusion")
def _confusion(pool: Pool) -> object:
    table = br.Confusion(tp=pool.count(), fp=pool.count(), fn=pool.count(), tn=pool.count())
    return table + table, table.base_rate, table.total, copy.deepcopy(table)


@_calls("Confusion.of")
def _confusion_of(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.randint(1, 12)
    return br.Confusion.of(pool.labels(pair, size), pool.labels(pair, size), _positive(pool, pair))


@_calls("Confusion.from_tp")
def _from_tp(pool: Pool) -> object:
    return br.Confusion.from_tp(pool.count(), pool.base_rate(), pool.count())


@_calls("Confusion.from_frame")
def _from_frame(pool: Pool) -> object:
    pair = pool.pair()
    return br.Confusion.from_frame(
        pool.frame(pair),
        pool.text("y"),
        pool.text("tree"),
        by=pool.text("region") if pool.random.random() < 0.3 else None,
        pos_label=_positive(pool, pair),
        missing=pool.text("error", "drop"),
    )


@_calls("evaluate")
def _evaluate(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    models: Any = {pool.text("a", "b"): pool.labels(pair, size) for _ in range(2)}
    if pool.random.random() < 0.4:
        models = pool.of([pool.labels(pair, size), pool.table(), pool.anything()])
    by = pool.labels(("n", "s"), size) if pool.random.random() < 0.3 else None
    return _shown(
        br.evaluate(
            pool.labels(pair, size),
            models,
            pool.measures(),
            pos_label=_positive(pool, pair),
            by=pool.sometimes(by, pool.anything, 0.05),
            missing=pool.text("error", "drop"),
        )
    )


@_calls("evaluate.weights")
def _evaluate_weights(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    weights = [pool.random.choice([0, 1, 1, 3, 2.0, 0.5, 500]) for _ in range(size)]
    numbers = [pool.random.choice([0.5, 1.5, 2.5, -1.0]) for _ in range(size)]
    is_of_numbers = pool.random.random() < 0.3
    return _shown(
        br.evaluate(
            numbers if is_of_numbers else pool.labels(pair, size),
            numbers[::-1] if is_of_numbers else pool.labels(pair, size),
            "MAE" if is_of_numbers else pool.measures(),
            pos_label=None if is_of_numbers else _positive(pool, pair),
            missing=pool.text("error", "drop"),
            sample_weight=pool.sometimes(weights, pool.anything, 0.1),
            weights=pool.of(["frequency", "frequency", "importance", pool.anything()]),
        )
    )


@_calls("evaluate.reference")
def _evaluate_reference(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    rule: Any = pool.labels(pair, size)
    return _shown(
        br.evaluate(
            pool.labels(pair, size),
            {"a": pool.labels(pair, size), "b": pool.labels(pair, size)},
            pool.measures(),
            pos_label=_positive(pool, pair),
            missing=pool.text("error", "drop"),
            tries=pool.random.choice([1, 1, 20]),
            reference=pool.of(
                [rule, {pool.text("rule"): rule}, "a", pool.table(), pool.anything()]
            ),
        )
    )


@_calls("evaluate.frame")
def _evaluate_frame(pool: Pool) -> object:
    pair = pool.pair()
    return br.evaluate(
        pool.frame(pair),
        predictions=pool.sometimes(["tree", "knn"], pool.anything, 0.1),
        measures=pool.measures(),
        truth=pool.text("y"),
        pos_label=_positive(pool, pair),
        by=pool.of([None, None, "region", pool.anything()]),
        missing=pool.text("error", "drop"),
        reference=pool.of([None, None, "knn", {pool.text("rule"): "knn"}, pool.anything()]),
    )


@_calls("compare")
def _compare(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    models: Any = {pool.text("a", "b"): pool.labels(pair, size) for _ in range(3)}
    by = pool.labels(("n", "s"), size) if pool.random.random() < 0.3 else None
    comparison = br.compare(
        pool.labels(pair, size),
        pool.sometimes(models, pool.anything, 0.1),
        pool.custom() if pool.random.random() < 0.2 else pool.measures(),
        pos_label=_positive(pool, pair),
        by=pool.sometimes(by, pool.anything, 0.05),
        missing=pool.text("error", "drop"),
        alpha=pool.number(0.05, 0.1),
        adjust=pool.of([None, "holm", "bh", pool.anything()]),
    )
    return _compared(comparison)


@_calls("compare.frame")
def _compare_frame(pool: Pool) -> object:
    pair = pool.pair()
    return br.compare(
        pool.frame(pair),
        pool.sometimes(["tree", "knn"], pool.anything, 0.1),
        pool.measures(),
        truth=pool.text("y"),
        pos_label=_positive(pool, pair),
        by=pool.of([None, None, "region", pool.anything()]),
        missing=pool.text("error", "drop"),
    )


@_calls("Comparison")
def _comparison(pool: Pool) -> object:
    models = {"a": [1, 1, 0, 0, 0], "b": [1, 0, 0, 1, 0]}
    comparison = br.compare([1, 1, 1, 0, 0], models, ["F1", "ACC"])
    text = comparison.to_json()
    at = pool.random.randrange(len(text))
    intruder = pool.text('"', "{", "}", "null", "1e999", "9" * 400, "[]", "NaN", "\ud800", "-1")
    asked = pool.of(
        [
            lambda: comparison[pool.text("a"), pool.text("b")],
            lambda: comparison[pool.text("a"), pool.text("b"), pool.measure()],
            lambda: comparison["a", "b", pool.measure(), pool.anything()],
            lambda: comparison[pool.anything()],
            lambda: comparison.measure(pool.measure()),
            lambda: comparison.group(pool.anything()),
            lambda: comparison.to_frame(pool.text("pandas", "polars", "pyarrow")),
            lambda: br.Comparison.from_json(text[:at] + str(intruder) + text[at + 3 :]),
            lambda: br.Comparison.from_json(pool.anything()),
        ]
    )
    return asked()


def _compared(comparison: br.Comparison) -> object:
    if br.Comparison.from_json(comparison.to_json()) != comparison:
        raise AssertionError("the comparison that was read is not the one that was written")
    shown = str(comparison), comparison.to_html(), comparison._repr_html_()
    return shown, comparison.to_markdown(), comparison.to_latex(), comparison.to_csv()


@_calls("Report")
def _report(pool: Pool) -> object:
    tables = {pool.text("a", "b", "c"): pool.table() for _ in range(pool.random.randint(1, 3))}
    report = br.evaluate(predictions=tables, measures=pool.measures())
    copied = br.Report.from_json(report.to_json())
    if copied != report:
        raise AssertionError("the report that was read is not the one that was written")
    _shown(report)
    asked = pool.of(
        [
            lambda: report[pool.text("a", "b")],
            lambda: report[pool.text("a"), pool.measure()],
            lambda: report[pool.text("a"), pool.measure(), pool.anything()],
            lambda: report.measure(pool.measure()),
            lambda: report.group(pool.anything()),
            lambda: report.to_frame(pool.text("pandas", "polars", "pyarrow")),
            lambda: br.Report.from_json(pool.text(report.to_json(), report.to_json()[:-9])),
            lambda: br.Report((), pool.anything()),
        ]
    )
    return asked()


@_calls("Report.from_json")
def _from_json(pool: Pool) -> object:
    """Read a report with one thing changed."""
    text = br.evaluate(predictions=br.Confusion(tp=3, fp=1, fn=2, tn=9), measures="F1").to_json()
    at = pool.random.randrange(len(text))
    intruder = pool.text('"', "{", "}", "null", "1e999", "9" * 400, "[]", "NaN", "\ud800", "-1")
    return br.Report.from_json(text[:at] + str(intruder) + text[at + pool.random.randint(0, 9) :])


@_calls("assert_beats_baseline")
def _assert(pool: Pool) -> object:
    try:
        return br.assert_beats_baseline(
            None,
            pool.sometimes(pool.table(), pool.anything),
            pool.measure(),
            margin=pool.number(0, 0.1),
            alpha=pool.number(None, 0.05),
            threshold=pool.sometimes(None, lambda: pool.number(0.5)),
        )
    except AssertionError:  # its purpose
        return None


@_calls("baseline")
def _baseline(pool: Pool) -> object:
    base = br.baseline(pool.base_rate(), pool.measure())
    stars = base.max.guesses
    return (
        base.best,
        base.min.guesses.intervals,
        len(stars) > 0,
        pool.anything() in stars,
        str(base),
    )


@_calls("ClassCounts")
def _class_counts(pool: Pool) -> object:
    counts = br.ClassCounts(pool.sometimes({"a": pool.count(), "b": pool.count()}, pool.anything))
    known = pickle.loads(pickle.dumps(counts)) == counts
    return counts.described, counts.total, counts.occurring, counts.facts, str(counts), known


@_calls("ClassCounts.of")
def _class_counts_of(pool: Pool) -> object:
    return br.ClassCounts.of(pool.classes())


@_calls("ConfusionMatrix")
def _matrix(pool: Pool) -> object:
    rows = [[pool.count() for _ in range(3)] for _ in range(3)]
    matrix = br.ConfusionMatrix(pool.sometimes(rows, pool.anything), pool.of([None, "abc"]))
    return matrix + matrix, matrix.one_class, matrix.test_set, str(matrix), hash(matrix)


@_calls("ConfusionMatrix.of")
def _matrix_of(pool: Pool) -> object:
    size = pool.random.randint(1, 12)
    return br.ConfusionMatrix.of(pool.classes(size), pool.classes(size))


@_calls("ClassMeasure")
def _class_measure(pool: Pool) -> object:
    measure = br.Measure.custom(
        pool.text("mine"),
        pool.sometimes(lambda table: table[0, 0], pool.anything),
        direction=pool.text("maximize", "minimize"),
        codomain=pool.sometimes((0, 1), pool.anything),
    )
    return measure.score(pool.matrix()), str(measure)


@_calls("evaluate.classes")
def _evaluate_classes(pool: Pool) -> object:
    size = pool.random.choice([1, 5, 40])
    models: Any = {pool.text("a", "b"): pool.classes(size) for _ in range(2)}
    if pool.random.random() < 0.4:
        models = pool.of([pool.classes(size), pool.matrix(), pool.anything()])
    by = pool.labels(("n", "s"), size) if pool.random.random() < 0.3 else None
    return _shown(
        br.evaluate(
            pool.classes(size),
            models,
            pool.class_measures(),
            by=by,
            missing=pool.text("error", "drop"),
            task=pool.of([None, "multiclass", "multiclass", pool.anything()]),
        )
    )


@_calls("compare.classes")
def _compare_classes(pool: Pool) -> object:
    size = pool.random.choice([1, 5, 40])
    models = {name: pool.classes(size) for name in ("a", "b")}
    comparison = br.compare(pool.classes(size), models, pool.class_measures(), task="multiclass")
    return str(comparison), comparison.to_json(), comparison.to_html(), comparison.to_latex()


@_calls("baseline.classes")
def _class_baseline(pool: Pool) -> object:
    base = br.baseline(pool.class_counts(), pool.of([*CLASS_MEASURES]))
    decks = base.guesses
    return base.worst, base.reference, str(base), pool.anything() in decks, next(iter(decks))


@_calls("MixSet")
def _deck_set(pool: Pool) -> object:
    decks = br.baseline(br.ClassCounts({"a": 2, "b": 2, "c": 1}), "accuracy").guesses
    return pool.anything() in decks, list(decks), len(decks), decks.size


@_calls("null_distribution")
def _null_distribution(pool: Pool) -> object:
    truth = pool.of([[1, 1, 0, 0, 0], pool.base_rate(), pool.table(), pool.anything()])
    guess = pool.of([[1, 0, 0, 1, 0], 2, {0: 3, 1: 2}, br.DutchDraw([1, 0], 0.5), pool.anything()])
    null = br.null_distribution(truth, guess, pool.measure())
    return null.mean(), null.var(), null.interval(pool.number(0.9)), repr(null)


@_calls("null_distribution.classes")
def _null_distribution_classes(pool: Pool) -> object:
    counts = br.ClassCounts({"a": 7, "b": 2, "c": 1})
    guess = pool.sometimes([5, 3, 2], lambda: pool.of([{"a": 10}, {"d": 10}, pool.anything()]))
    null = br.null_distribution(counts, guess, pool.of([*CLASS_MEASURES, pool.anything()]))
    return null.mean(), null.var(), null.interval(pool.number(0.9)), repr(null)


@_calls("interval.classes")
def _interval_classes(pool: Pool) -> object:
    measure = pool.of([*CLASS_MEASURES])
    return br.confidence_interval(pool.matrix(), measure), br.rescaled_score(pool.matrix(), measure)


@_calls("p_value.classes")
def _p_value_classes(pool: Pool) -> object:
    return br.p_value(pool.matrix(), pool.of([None, *CLASS_MEASURES]))


@_calls("plots.MatrixDisplay")
def _matrix_display(pool: Pool) -> object:
    size = pool.random.randint(1, 12)
    return _frames(
        pool,
        lambda: br.plots.MatrixDisplay.from_predictions(pool.classes(size), pool.classes(size)),
    )


@_calls("ClassMixClassifier")
def _deck_classifier(pool: Pool) -> object:
    size = pool.random.randint(1, 12)
    draw = br.sklearn.ClassMixClassifier(
        pool.of(["macro F1", "accuracy", pool.anything()]), pool.text("best", "max", "min")
    )
    return draw.fit(np.zeros((size, 1)), pool.random.choices("abc", k=size)).predict([[0]] * size)


@_calls("ThetaSet")
def _theta_set(pool: Pool) -> object:
    stars = br.baseline(br.BaseRate(positives=3, total=10), "F1").max.guesses
    interval = stars.intervals[0]
    return pool.anything() in stars, pool.anything() in interval, list(stars)


@_calls("DutchDraw")
def _draw(pool: Pool) -> object:
    rate = pool.base_rate()
    draw = (
        br.DutchDraw(rate, pool.number(0, 0.3, 1))
        if pool.random.random() < 0.7
        else br.DutchDraw(rate, predicted_positives=pool.count())
    )
    return draw.score(pool.measure()), draw.theta_star, str(draw)


@_calls("DutchDraw.predict")
def _predict(pool: Pool) -> object:
    """Draw labels, not more than fit on a table; or far more than fit in memory."""
    rate = br.BaseRate(positives=3, total=pool.of([10, 10_007, 10**15]))
    return br.DutchDraw(rate, pool.number(0, 0.3, 1)).predict(pool.number(0, 7, None))


@_calls("NullDistribution")
def _null(pool: Pool) -> object:
    total = pool.random.choice([1, 10, 57, 303, 10_007])
    rate = br.BaseRate(positives=pool.random.randint(0, total), total=total)
    measure = pool.measure() if pool.random.random() < 0.8 else pool.custom()
    null = br.DutchDraw(rate, pool.of([0, 0.1, 0.5, 1])).score(measure)
    score = pool.of([0, 0.3, 1, -math.inf, math.inf, math.nan, 1e300])
    asked = pool.of(
        [
            lambda: (null.cdf(score), null.sf(score)),
            lambda: (null.mean(), null.var(), repr(null)),
            lambda: null.ppf(pool.of([0, 0.5, 1, 1e-300])),
            lambda: null.interval(pool.number(0.9, 0.5)),
        ]
    )
    return asked()


@_calls("expected_score")
def _expected(pool: Pool) -> object:
    theta = pool.number(0, 0.3, 1, [0.1, 0.9], np.linspace(0, 1, 5), [])
    return br.expected_score(pool.base_rate(), pool.measure(), theta, pool.number(0.0, 1))


@_calls("expected_score.custom")
def _expected_custom(pool: Pool) -> object:
    rate = br.BaseRate(positives=3, total=10 + pool.small())
    return br.expected_score(rate, pool.custom(), pool.number(0, 0.3, [0.1, 0.9]))


@_calls("Measure")
def _measure(pool: Pool) -> object:
    measure = br.Measure.custom(
        pool.text("mine"),
        pool.of(FUNCTIONS),
        direction=pool.text("maximize", "minimize"),
        codomain=pool.sometimes((0, 1), pool.anything, 0.1),
    )
    table = br.Confusion(tp=pool.small(), fp=pool.small(), fn=pool.small(), tn=1 + pool.small())
    return measure.score(table, pool.number(0.0)), br.baseline(table, measure), str(measure)


@_calls("Measure.score")
def _score(pool: Pool) -> object:
    table = pool.sometimes(pool.table(), pool.anything)
    return pool.of(list(TWO_CLASS_MEASURES.values())).score(table, pool.number(0.0, 1))


@_calls("Codomain")
def _codomain(pool: Pool) -> object:
    return Codomain.of(pool.sometimes((pool.number(0), pool.number(1)), pool.anything))


@_calls("fbeta")
def _fbeta(pool: Pool) -> object:
    measure = br.fbeta(pool.number(0, 0.5, 1, 2, 1e150))
    return measure.score(pool.table()), br.baseline(pool.base_rate(), measure)


@_calls("get_measure")
def _get_measure(pool: Pool) -> object:
    return br.get_measure(pool.measure(), beta=pool.number(None, None, 2))


@_calls("p_value")
def _p_value(pool: Pool) -> object:
    p = br.p_value(pool.sometimes(pool.table(), pool.anything))
    if not 0 <= p <= 1:
        raise AssertionError(f"a p-value of {p}")
    return p


@_calls("rescaled_score")
def _rescaled(pool: Pool) -> object:
    return br.rescaled_score(pool.base_rate(), pool.measure(), pool.number(0, 0.7, 1))


@_calls("dutch_scaler")
def _dutch_scaler(pool: Pool) -> object:
    score, rho = pool.number(0, 0.7, 1), pool.number(0, 0.1)
    return br.dutch_scaler(pool.base_rate(), pool.measure(), score, rho=rho)


@_calls("p_value.labels")
def _p_value_of_labels(pool: Pool) -> object:
    return br.p_value(*_misplaced(pool), pos_label=pool.of([None, pool.anything()]))


@_calls("rescaled_score.labels")
def _rescaled_labels(pool: Pool) -> object:
    return br.rescaled_score(*_misplaced(pool), pos_label=pool.of([None, pool.anything()]))


@_calls("dutch_scaler.labels")
def _dutch_scaler_of_labels(pool: Pool) -> object:
    return br.dutch_scaler(*_misplaced(pool), rho=pool.number(0, 0.1))


def _misplaced(pool: Pool) -> list[Any]:
    """Return labels and a measure, in order or not."""
    pair, size = pool.pair(), pool.random.randint(1, 12)
    given = [pool.labels(pair, size), pool.labels(pair, size), pool.measure()]
    if pool.random.random() < 0.3:
        given[pool.random.randrange(3)] = pool.of([pool.table(), pool.number(0.5), pool.anything()])
    if pool.random.random() < 0.2:
        pool.random.shuffle(given)
    return given


@_calls("interval")
def _interval(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    found = br.confidence_interval(
        pool.labels(pair, size),
        pool.sometimes(pool.labels(pair, size), pool.anything, 0.1),
        pool.custom() if pool.random.random() < 0.2 else pool.measure(),
        pos_label=_positive(pool, pair),
        alpha=pool.number(0.05, 0.1),
    )
    return str(found)


@_calls("chance")
def _chance(pool: Pool) -> object:
    options = pool.of([[4] * 9, {4: 20, 5: 3}, {1: 4}, [2, 3, 4], pool.anything()])
    answers = pool.of([None, None, list("ABACADAAB"), pool.anything()])
    law = br.chance(options, tries=pool.of([1, 20, 10**9, pool.anything()]), answers=answers)
    score = pool.number(0.3, 0.1)
    return str(law), law.p_value(score), law.cdf(score), law.pmf(score), law.std()


@_calls("rows_needed")
def _rows_needed(pool: Pool) -> object:
    return br.rows_needed(
        pool.of(["F1", "AUC", "macro F1", "R2", pool.measure()]),
        base_rate=pool.number(0.2, 0.4),
        score=pool.number(0.7, 0.6),
        alpha=pool.number(0.05, 0.1),
    )


@_calls("threshold_curve")
def _threshold(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    curve = br.threshold_curve(
        pool.labels(pair, size),
        pool.scores(size),
        pool.measure(),
        pos_label=_positive(pool, pair),
        threshold=pool.number(None, 0.5),
    )
    return str(curve), curve.best, curve.at(pool.number(0.5, 0.1)), curve.diagnosis


@_calls("scan")
def _scan(pool: Pool) -> object:
    return br.scan(pool.sometimes(pool.anything(), lambda: [pool.anything()]))


@_calls("make_scorer")
def _make_scorer(pool: Pool) -> object:
    scorer = br.sklearn.make_scorer(
        pool.measure(),
        scaled=pool.of([False, True, "margin", "rescaled", pool.anything()]),
        pos_label=pool.of([None, None, 1, pool.anything()]),
        undefined=pool.number(0.0),
    )
    return scorer(_Guess(), np.zeros((6, 1)), pool.labels((1, 0), 6))


@_calls("scorers")
def _scorers(pool: Pool) -> object:
    chosen = br.sklearn.scorers(*(pool.measure() for _ in range(2)), pos_label=pool.of([None, 1]))
    return [scorer(_Guess(), np.zeros((6, 1)), [0, 1, 1, 0, 1, 0]) for scorer in chosen.values()]


@_calls("DutchDrawClassifier")
def _classifier(pool: Pool) -> object:
    classifier = br.sklearn.DutchDrawClassifier(
        measure=pool.measure(),
        strategy=pool.text("max", "min", "best"),
        theta=pool.number(None, None, 0.3),
        random_state=pool.number(0, 1),
        pos_label=pool.of([None, None, 1, "ill", pool.anything()]),
    )
    size = pool.random.choice([2, 9])
    rows = pool.sometimes(np.zeros((size, 2)), pool.anything, 0.1)
    fitted = classifier.fit(rows, pool.labels(pool.pair(), size))
    return fitted.predict(rows), fitted.predict_proba(rows)


@_calls("ClassMixClassifier")
def _deck_classifier(pool: Pool) -> object:
    classifier = br.sklearn.ClassMixClassifier(
        measure=pool.sometimes(pool.text(*CLASS_MEASURES), pool.measure),
        strategy=pool.text("max", "min", "best"),
        random_state=pool.number(0, 1),
    )
    size = pool.random.choice([2, 9])
    rows = pool.sometimes(np.zeros((size, 2)), pool.anything, 0.1)
    fitted = classifier.fit(rows, pool.labels(pool.pair(), size))
    return fitted.predict(rows), fitted.predict_proba(rows)


@_calls("plots.MatrixDisplay")
def _matrix_display(pool: Pool) -> object:
    size = pool.random.choice([2, 9])
    labels = pool.labels(pool.pair(), size), pool.labels(pool.pair(), size)
    return _frames(pool, lambda: br.plots.MatrixDisplay.from_predictions(*labels))


@_calls("plots.BaselineDisplay")
def _baseline_display(pool: Pool) -> object:
    rate = pool.sometimes(br.BaseRate(positives=3, total=10), pool.base_rate)
    return _frames(pool, lambda: br.baseline(rate, pool.measure()).plot())


@_calls("plots.NullDistributionDisplay")
def _distribution_display(pool: Pool) -> object:
    table = pool.sometimes(pool.table(), pool.anything)
    make = br.plots.NullDistributionDisplay.from_predictions
    return _frames(pool, lambda: make(None, table, pool.measure(), name=pool.text("tree")))


@_calls("plots.ReportDisplay")
def _comparison_display(pool: Pool) -> object:
    tables = {pool.text("a", "b"): br.Confusion(tp=3, fp=1, fn=2, tn=4) for _ in range(2)}
    return _frames(
        pool, lambda: br.plots.ReportDisplay.from_predictions(None, tables, pool.measures())
    )


@_calls("plots.ComparisonDisplay")
def _difference_display(pool: Pool) -> object:
    pair, size = pool.pair(), pool.random.choice([1, 5, 40])
    models = {pool.text("a", "b"): pool.labels(pair, size) for _ in range(2)}
    truth, make = pool.labels(pair, size), br.plots.ComparisonDisplay.from_predictions
    return _frames(pool, lambda: make(truth, models, pool.measures()))


@_calls("BestConstantRegressor")
def _best_constant(pool: Pool) -> object:
    size = pool.random.choice([1, 2, 9])
    rows = pool.sometimes(np.zeros((size, 2)), pool.anything, 0.1)
    numbers = [pool.random.choice([0, 1.5, -2, 1e300, 7]) for _ in range(size)]
    weights = [pool.random.choice([0, 1, 0.1, 1e200]) for _ in range(size)]
    fitted = br.sklearn.BestConstantRegressor(
        pool.sometimes(pool.text(*NUMBER_MEASURES), pool.anything, 0.1)
    ).fit(
        rows,
        pool.sometimes(numbers, pool.anything, 0.1),
        pool.of([None, None, weights, pool.anything()]),
    )
    return fitted.predict(rows), str(fitted.constants_), repr(fitted.numbers_)


@_calls("plots.ResidualDisplay")
def _residual_display(pool: Pool) -> object:
    truth, predicted = pool.scores(8), pool.scores(8)
    return _frames(pool, lambda: br.plots.ResidualDisplay.from_predictions(truth, predicted))


@_calls("Numbers")
def _numbers(pool: Pool) -> object:
    weights = [pool.random.choice([0, 1, 0.1, 1e200]) for _ in range(7)]
    numbers = Numbers(pool.scores(7), pool.of([None, None, weights, pool.anything()]))
    return numbers.mean, numbers.described, str(numbers), numbers == Numbers([1.0, 2])


@_calls("Fit")
def _fit(pool: Pool) -> object:
    fit = br.NumericPredictions.of(pool.scores(9), pool.scores(9))
    found = br.evaluate(None, fit, ["RMSE", "MAPE", "Spearman"])
    return fit.residuals, hash(fit), repr(fit), br.Report.from_json(found.to_json()) == found


@_calls("NumberMeasure")
def _number_measure(pool: Pool) -> object:
    measure = br.get_measure(pool.of(list(NUMBER_MEASURES)), task="regression")
    truth, predicted = pool.scores(8), pool.scores(8)
    return br.baseline(truth, measure), br.p_value(truth, predicted, measure)


@_calls("RankedScores")
def _scores(pool: Pool) -> object:
    found = br.RankedScores.of(pool.labels((1, 0), 12), pool.scores(12))
    return found.test_set, hash(found), pickle.loads(pickle.dumps(found)) == found, found.deck


@_calls("ScoreMeasure")
def _score_measure(pool: Pool) -> object:
    names = ["AUC", "AP", "Brier", "log loss", "precision@3", "NDCG", "AUC@0.3", pool.anything()]
    truth, scores = pool.labels((1, 0), 12), pool.scores(12)
    threshold = pool.number(None, 0.5) if pool.random.random() < 0.3 else None
    report = br.evaluate(truth, {"m": scores}, pool.of(names), threshold=threshold)
    return _shown(report)


@_calls("ClassProbabilities")
def _class_probabilities(pool: Pool) -> object:
    rows = [pool.of([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0], [1, 0, 0]]) for _ in range(12)]
    truth = [*"abc", *pool.random.choices("abc", k=9)]
    odd = pool.sometimes(rows, pool.anything, 0.1)
    return br.ClassProbabilities.of(truth, odd).test_set


@_calls("ClassScoreMeasure")
def _class_score_measure(pool: Pool) -> object:
    size = pool.random.randint(3, 12)
    scores = [[pool.random.random() for _ in range(3)] for _ in range(size)]
    rows = ([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0], [0.5, 0.25, 0.25]] * 4)[:size]
    truth = [*"abc", *pool.random.choices("abc", k=size - 3)]
    names = [*CLASS_SCORE_MEASURES, "top-1 accuracy", "macro F1", None, pool.anything()]
    return _shown(br.evaluate(truth, {"net": pool.of([scores, rows])}, pool.of(names)))


@_calls("reliability_curve")
def _reliability(pool: Pool) -> object:
    curve = br.reliability_curve(
        pool.labels((1, 0), 12), pool.scores(12), threshold=pool.number(None, 0.5)
    )
    return str(curve), curve.diagnosis.sentence, curve.decomposition


@_calls("plots.ReliabilityDisplay")
def _reliability_display(pool: Pool) -> object:
    truth, scores = pool.labels((1, 0), 12), pool.scores(12)
    return _frames(pool, lambda: br.plots.ReliabilityDisplay.from_predictions(truth, scores))


@_calls("plots.RankingDisplay")
def _ranking_display(pool: Pool) -> object:
    truth, scores = pool.labels((1, 0), 12), pool.scores(12)
    return _frames(pool, lambda: br.plots.RankingDisplay.from_predictions(truth, {"m": scores}))


@_calls("plots.ThresholdDisplay")
def _threshold_display(pool: Pool) -> object:
    return _frames(
        pool,
        lambda: br.plots.ThresholdDisplay.from_predictions(
            pool.labels((1, 0), 12),
            pool.scores(12),
            pool.measure(),
            threshold=pool.number(None, 0.5),
            name=pool.text("tree"),
        ),
    )


class _Guess(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier with scikit-learn's interface."""

    classes_ = np.array([0, 1])

    def fit(self, *_: Any) -> _Guess:
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.arange(len(X)) % 2


def _positive(pool: Pool, pair: tuple[Any, Any]) -> Any:
    """The positive label most of the time; None if it is obvious."""
    is_evident = pair in ((1, 0), (1, -1))
    return pool.sometimes(None if is_evident else pair[0], pool.anything, 0.1)


def _shown(report: br.Report) -> object:
    """Write a report in every format."""
    written = [str(report), report.to_json(), report.to_csv(), report.to_markdown()]
    return [*written, report.to_latex(), report.to_html(), report.to_dicts()]


def _frames(pool: Pool, make: Callable[[], Any]) -> object:
    """Draw a display, and get its table."""
    import matplotlib.pyplot as plt

    try:
        display = make()
        plt.gcf().savefig(io.BytesIO())
        return display.frame(pool.text("pandas", "polars", "pyarrow"))
    finally:
        plt.close("all")
