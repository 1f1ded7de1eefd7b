"""The calls whose results are recorded: every kind of prediction, plain and odd."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import front_door as br
from golden import data

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: dict[str, Callable[[], dict[str, Any]]] = {}


def case(title: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Add a call to the net."""
    if title in CASES:
        raise ValueError(f"there are two cases called {title!r}")
    CASES[title] = partial(call, *arguments, **options)


# --- Two classes ----------------------------------------------------------------------------------

for seed, (rows, rate, skill) in enumerate(
    [
        (6, 0.5, 0.5), (12, 0.3, 0.7), (12, 0.3, 0.0), (20, 0.1, 0.6), (30, 0.5, 0.4),
        (30, 0.2, -0.6), (40, 0.5, 0.9), (60, 0.05, 0.5), (100, 0.4, 0.3), (100, 0.9, 0.4),
        (150, 0.1, 0.0), (300, 0.46, 0.5), (1_000, 0.02, 0.4), (1_000, 0.5, 0.1),
        (10_000, 0.3, 0.05), (100_000, 0.001, 0.3),
    ]
):  # fmt: skip
    y = data.truth(seed, rows, rate)
    model = data.labels(seed + 100, y, skill)
    case(f"two classes: {rows} rows, {rate:.0%}, skill {skill}", br.evaluate, y, model)

for title, table in {
    "the paper's test set": (98, 62, 41, 102),
    "one row": (1, 0, 0, 0),
    "two rows, wrong": (0, 1, 1, 0),
    "perfect": (40, 0, 0, 60),
    "all wrong": (0, 60, 40, 0),
    "everyone positive": (40, 60, 0, 0),
    "everyone negative": (0, 0, 40, 60),
    "no positives": (0, 3, 0, 47),
    "no negatives": (45, 0, 5, 0),
    "one positive": (1, 4, 0, 95),
    "rare and good": (9, 20, 3, 100_000),
    "a million": (310_000, 90_000, 95_000, 505_000),
    "ten to the ninth": (10**8, 2 * 10**8, 10**8, 6 * 10**8),
    "ten to the fourteenth": (10**13, 10**13, 2 * 10**13, 6 * 10**13),
}.items():
    case(f"two classes: all measures, {title}", br.evaluate, None, br.two_classes(*table), "all")

for positives, total in [(1, 2), (3, 10), (50, 100), (139, 303), (999, 1_000), (10**6, 10**9)]:
    test_set = br.base_rate(positives, total)
    for key in br.catalogue("two classes"):
        case(f"two classes: baseline of {key}, {positives} of {total}", br.baseline, test_set, key)

for positives, total in [(3, 10), (139, 303), (10**5, 10**7)]:
    test_set = br.base_rate(positives, total)
    for key in ("F1", "ACC", "MCC", "G2", "TS"):
        title = f"{key}, {positives} of {total}"
        case(f"two classes: Dutch Draws by {title}", br.expected_score, test_set, key,
             [0.1, 0.25, 0.5, 0.9])  # fmt: skip
        case(f"two classes: null distribution of {title}", br.null_distribution, test_set,
             total // 3, key, [0.2, 0.4, 0.6])  # fmt: skip

for key in ("F1", "ACC", "MCC", "BACC", "G2", "MK"):
    table = br.two_classes(98, 62, 41, 102)
    case(f"two classes: rescaled {key}", br.rescaled_score, table, key)
    case(f"two classes: Dutch Scaler of {key}", br.dutch_scaler, table, key)
    case(f"two classes: interval of {key}", br.confidence_interval, table, key)

case("two classes: 99.9% interval of F1", br.confidence_interval, br.two_classes(98, 62, 41, 102),
     "F1", alpha=0.001)  # fmt: skip

for tp, fp, fn, tn in [(3, 0, 1, 4), (12, 3, 2, 13), (120, 30, 19, 134), (5, 50, 95, 9_850)]:
    table = br.two_classes(tp, fp, fn, tn)
    case(f"two classes: p-value of {tp} {fp} {fn} {tn}", br.p_value, table, exact=True)

profit = br.custom("profit", lambda tp, fp, fn, tn: 5 * tp - fp)
lopsided = br.custom("lopsided", lambda tp, fp, fn, tn: (tp + tn * tn) / (1 + fp + fn))
for mine in (profit, lopsided):
    y = data.truth(7, 60, 0.3)
    case(f"two classes: a function of the user's, {mine.key}", br.evaluate, y,
         data.labels(70, y, 0.6), [mine])  # fmt: skip
    case(f"two classes: baseline of {mine.key}", br.baseline, br.base_rate(18, 60), mine)

y = data.truth(8, 80, 0.35)
many = {f"m{k}": data.labels(80 + k, y, k / 8) for k in range(6)}
case("two classes: six models", br.evaluate, y, many, ["F1", "MCC"])
case("two classes: six models, Holm", br.evaluate, y, many, ["F1", "MCC"], adjust="holm")
case("two classes: six models, false discoveries", br.evaluate, y, many, "F1", adjust="bh")
case("two classes: six models, the best of 20", br.evaluate, y, many, "F1", tries=20)
case("two classes: six models, 99%", br.evaluate, y, many, "F1", alpha=0.01)
case("two classes: names", br.evaluate, np.where(y == 1, "yes", "no"),
     np.where(many["m4"] == 1, "yes", "no"), pos_label="yes")  # fmt: skip
case("two classes: one of three against the rest", br.evaluate, data.classes(9, 60, [1, 2, 3]),
     data.classes(10, 60, [1, 2, 3]), "F1", pos_label=2)  # fmt: skip
for skill in (0, 2, 5):
    case(f"two classes: gate, {skill}", br.passes_gate, y, many[f"m{skill}"], "F1")
    case(f"two classes: gate of the number alone, {skill}", br.passes_gate, y, many[f"m{skill}"],
         "F1", alpha=None)  # fmt: skip
    case(f"two classes: gate with a margin, {skill}", br.passes_gate, y, many[f"m{skill}"], "F1",
         margin=0.1)  # fmt: skip

# --- Several classes ------------------------------------------------------------------------------

TABLES = {
    "three, 100 rows": [[50, 15, 5], [8, 10, 2], [4, 3, 3]],
    "three, useless": [[49, 14, 7], [14, 4, 2], [7, 2, 1]],
    "three, perfect": [[7, 0, 0], [0, 2, 0], [0, 0, 1]],
    "three, always one": [[7, 0, 0], [5, 0, 0], [2, 0, 0]],
    "four, 12 rows": [[2, 1, 0, 0], [0, 3, 1, 0], [1, 0, 2, 0], [0, 0, 1, 1]],
    "three, a rare one": [[90, 5, 1], [6, 80, 1], [1, 1, 1]],
}
for title, table in {
    "every one wrong": [[0, 5, 0], [0, 0, 4], [3, 0, 0]],
    "a row each": [[1, 0, 0], [0, 1, 0], [0, 1, 0]],
    "two": [[40, 12], [9, 25]],
    "large": [[5_000, 1_500, 500], [800, 1_000, 200], [400, 300, 300]],
}.items():
    case(f"several classes: {title}", br.evaluate, None, br.several_classes(table),
         ["accuracy", "balanced accuracy", "macro F1", "MCC"])  # fmt: skip

for title, table in TABLES.items():
    case(f"several classes: all measures, {title}", br.evaluate, None, br.several_classes(table),
         "all")  # fmt: skip

for seed, (rows, shares, skill) in enumerate(
    [
        (9, [1, 1, 1], 0.5), (25, [1, 1, 1], 0.4), (40, [6, 3, 1], 0.3), (60, [1, 1, 1, 1], 0.0),
        (120, [5, 3, 1, 1], 0.2), (200, [1] * 10, 0.3), (250, [1] * 50, 0.2),
        (1_000, [8, 1, 1], 0.1), (20_000, [5, 4, 1], 0.02),
    ]
):  # fmt: skip
    y = data.classes(seed + 20, rows, shares)
    model = data.class_labels(seed + 120, y, skill)
    case(f"several classes: {len(shares)}, {rows} rows, skill {skill}", br.evaluate,
         data.NAMES[y], data.NAMES[model])  # fmt: skip

for title, counts in {
    "70, 20, 10": {"a": 70, "b": 20, "c": 10},
    "8, 2, 2": {"a": 8, "b": 2, "c": 2},
    "five alike": dict.fromkeys("abcde", 6),
    "large": {"a": 700_000, "b": 200_000, "c": 99_990, "d": 10},
}.items():
    for key in br.catalogue("several classes"):
        case(f"several classes: baseline of {key}, {title}", br.baseline, br.class_counts(counts),
             key)  # fmt: skip

for key in ("accuracy", "macro F1", "weighted F1", "quadratic kappa", "macro Jaccard", "G-mean"):
    counts = {"a": 14, "b": 4, "c": 2}
    case(f"several classes: null distribution of {key}", br.null_distribution,
         br.class_counts(counts), [12, 6, 2], key, [0.3, 0.5, 0.7])  # fmt: skip
    table = br.several_classes(TABLES["three, 100 rows"])
    case(f"several classes: interval of {key}", br.confidence_interval, table, key)
    case(f"several classes: rescaled {key}", br.rescaled_score, table, key)

worst_recall = br.custom_of_table(
    "worst recall", lambda c: min(c[..., k, k].sum() / c[..., k, :].sum() for k in range(3))
)
y = data.classes(31, 15, [3, 2, 1])
case("several classes: a function of the user's", br.evaluate, y, data.class_labels(131, y, 0.5),
     [worst_recall])  # fmt: skip
hospital = np.array(["east", "west", "south"])[np.arange(120) % 3]
y = data.classes(32, 120, [3, 2, 1])
several = {f"m{k}": data.class_labels(132 + k, y, 0.15 * k) for k in range(4)}
case(
    "several classes: by group",
    br.evaluate,
    y,
    several["m2"],
    ["accuracy", "macro F1"],
    by=hospital,
)
case("several classes: Holm", br.evaluate, y, several, "macro F1", adjust="holm")

# --- Top-k ----------------------------------------------------------------------------------------

for seed, (rows, count, signal) in enumerate(
    [(8, 3, 1.0), (30, 4, 0.5), (30, 4, 0.0), (100, 5, 1.0), (400, 10, 0.3), (60, 3, 9.0)]
):
    y = data.classes(seed + 40, rows, [1.0 + k for k in range(count)])
    table = data.probabilities(seed + 140, y, count, signal)
    case(f"top-k: {count} classes, {rows} rows, signal {signal}", br.evaluate, y, table,
         ["top-1 accuracy", "top-2 accuracy"], task="class-scores")  # fmt: skip
for k in (1, 2, 3):
    case(f"top-k: baseline of {k}", br.baseline,
         br.class_counts({"a": 40, "b": 30, "c": 20, "d": 10}), f"top-{k} accuracy")  # fmt: skip

# --- Scores of two classes ------------------------------------------------------------------------

for seed, (rows, rate, signal, digits) in enumerate(
    [
        (6, 0.5, 1.0, 2), (12, 0.3, 2.0, 1), (12, 0.3, 0.0, 6), (20, 0.1, 1.0, 6),
        (30, 0.5, 1.0, 1), (40, 0.5, 9.0, 6), (20, 0.4, -1.0, 2), (60, 0.05, 1.0, 6),
        (60, 0.4, 0.7, 2), (60, 0.9, 0.5, 6), (300, 0.46, 1.0, 1), (1_000, 0.02, 1.0, 2),
        (1_000, 0.3, 0.2, 6), (10_000, 0.01, 0.3, 3), (50_000, 0.2, 0.05, 6),
    ]
):  # fmt: skip
    y = data.truth(seed + 200, rows, rate)
    model = data.scores(seed + 300, y, signal, digits)
    case(f"scores: {rows} rows, {rate:.0%}, signal {signal}, {digits} digits", br.evaluate, y,
         model)  # fmt: skip

for title, rows, signal, digits in [
    ("small", 15, 1.0, 6), ("tied", 40, 1.0, 1), ("plain", 50, 0.8, 6),
]:  # fmt: skip
    y = data.truth(rows, rows, 0.3)
    model = data.scores(rows + 1, y, signal, digits)
    case(f"scores: all measures, {title}", br.evaluate, y, model, "all")
    case(f"scores: at a threshold, {title}", br.evaluate, y, model, ["AUC", "F1", "MCC"],
         threshold=0.4)  # fmt: skip
case("scores: all the same", br.evaluate, [0, 1, 1, 0, 1], [0.3] * 5, ["AUC", "AP", "Brier"])
case("scores: not probabilities", br.evaluate, y, np.round(9 * model - 4, 3), ["AUC", "AP"])

for positives, total in [(2, 20), (10, 100), (100, 10_000)]:
    for key in br.catalogue("scores"):
        case(f"scores: baseline of {key}, {positives} of {total}", br.baseline,
             br.base_rate(positives, total), key)  # fmt: skip

y = data.truth(210, 16, 0.4)
for key, at in {
    "AUC": (0.5, 0.6, 0.8), "AP": (0.4, 0.5, 0.7), "NDCG": (0.7, 0.8, 0.9),
    "Brier": (0.2, 0.3, 0.4), "log loss": (0.6, 0.9, 1.2), "precision@3": (0.3, 0.6, 1.0),
}.items():  # fmt: skip
    case(f"scores: null distribution of {key}", br.null_distribution, y,
         data.scores(310, y, 0.5, 2), key, at)  # fmt: skip
    case(f"scores: interval of {key}", br.confidence_interval, y, data.scores(310, y, 0.5, 2), key)
    case(f"scores: p-value of {key}", br.p_value, y, data.scores(311, y, 1.0, 2), key, exact=False)

hospital = np.array(["east", "west", "south"])[np.arange(90) % 3]
y = data.truth(220, 90, 0.3)
ranked = {f"m{k}": data.scores(320 + k, y, 0.4 * k) for k in range(2)}
case("scores: by group", br.evaluate, y, ranked["m1"], ["AUC", "AP"], by=hospital)

# --- Probabilities of several classes -------------------------------------------------------------

for seed, (rows, count, signal) in enumerate(
    [(6, 3, 1.0), (20, 3, 0.5), (60, 4, 1.0), (60, 4, 0.0), (150, 3, 2.0), (200, 10, 0.5)]
):
    y = data.classes(seed + 60, rows, [1.0 + k for k in range(count)])
    table = data.probabilities(seed + 160, y, count, signal)
    case(f"class probabilities: {count} classes, {rows} rows, signal {signal}", br.evaluate, y,
         table, ["log loss", "Brier", "spherical", "D2 log loss", "ECE"],
         task="class-scores")  # fmt: skip
for key in br.catalogue("class probabilities"):
    case(f"class probabilities: baseline of {key}", br.baseline,
         br.class_counts({"a": 70, "b": 20, "c": 10}), key, task="class-scores")  # fmt: skip
y = data.truth(70, 60, 0.4)
column = data.scores(170, y, 1.5)
case("class probabilities: two classes, one column", br.evaluate, y, column, ["log loss", "Brier"])
case("class probabilities: two classes, two columns", br.evaluate, y,
     np.column_stack([1 - column, column]), ["log loss", "Brier"],
     task="class-scores")  # fmt: skip

# --- Numbers --------------------------------------------------------------------------------------

for seed, (rows, kind, noise) in enumerate(
    [
        (4, "normal", 0.5), (6, "normal", 2.0), (8, "lognormal", 0.5), (12, "normal", 0.3),
        (15, "tied", 1.0), (25, "rare", 0.5), (30, "normal", 1.0), (30, "lognormal", 0.3),
        (40, "counts", 0.5), (60, "signed", 3.0), (60, "rare", 1.0), (100, "normal", 0.05),
        (100, "lognormal", 1.0), (300, "counts", 1.5), (1_000, "normal", 2.0),
        (3_000, "tied", 4.0),
    ]
):  # fmt: skip
    y = data.numbers(seed + 400, rows, kind)
    case(f"numbers: {rows} rows, {kind}, noise {noise}", br.evaluate, y,
         data.forecasts(seed + 500, y, noise), ["RMSE", "MAE", "R2", "Pearson", "Spearman"],
         task="regression")  # fmt: skip

for rows, kind, noise in [(7, "normal", 0.5), (30, "lognormal", 0.6), (80, "normal", 1.0)]:
    y = data.positive(data.numbers(rows, rows, kind))
    model = data.positive(data.forecasts(rows + 1, y, noise))
    case(f"numbers: all measures, {rows} rows, {kind}", br.evaluate, y, model, "all",
         task="regression")  # fmt: skip
for title, y, model in [
    ("perfect", [1.5, 2, 3, 10], [1.5, 2, 3, 10]),
    ("a constant", [1.5, 2, 3, 10, 4, 4], [3.0] * 6),
    ("a constant truth", [2.5] * 6, [1.0, 2, 3, 4, 5, 6]),
    ("reversed", [1.5, 2, 3, 4, 5, 6, 7], [7.0, 6, 5, 4, 3, 2, 1]),
    ("two rows", [1.5, 3], [1.0, 4]),
    ("huge", [1e200, 2e200, -3e200, 4e200], [2e200, 2e200, -1e200, 1e200]),
]:
    case(f"numbers: {title}", br.evaluate, y, model, ["RMSE", "MAE", "R2", "Pearson"],
         task="regression")  # fmt: skip

for title, y in {
    "five": [1.0, 2, 3, 10, 100],
    "30, lognormal": data.positive(data.numbers(430, 30, "lognormal")),
}.items():
    for key in br.catalogue("numbers"):
        case(f"numbers: baseline of {key}, {title}", br.baseline, y, key, task="regression")

y = data.numbers(440, 7, "normal")
for key, at in {
    "RMSE": (1.0, 2.0, 3.0), "MAE": (1.0, 2.0, 3.0), "Pearson": (0.2, 0.5, 0.9),
    "Spearman": (0.2, 0.5, 0.9), "Kendall": (0.2, 0.5, 0.9), "MedAE": (0.5, 1.0, 2.0),
}.items():  # fmt: skip
    model = data.forecasts(540, y, 0.8)
    case(f"numbers: null distribution of {key}", br.null_distribution, y, model, key, at)
    case(f"numbers: interval of {key}", br.confidence_interval, y, model, key)
    case(f"numbers: p-value of {key}", br.p_value, y, model, key, exact=True)

y = data.numbers(450, 90, "normal")
hospital = np.array(["east", "west", "south"])[np.arange(90) % 3]
fitted = {f"m{k}": data.forecasts(550 + k, y, 0.3 + 0.5 * k) for k in range(4)}
case("numbers: by group", br.evaluate, y, fitted["m1"], ["RMSE", "MAE"], by=hospital)
case("numbers: Holm", br.evaluate, y, fitted, ["MAE"], adjust="holm")
case("numbers: the best of 5", br.evaluate, y, fitted, ["MAE"], tries=5)

# --- Weights --------------------------------------------------------------------------------------

for seed, rows in enumerate([10, 30]):
    y = data.truth(seed + 600, rows, 0.4)
    often = 1 + np.floor(3 * data.uniforms(seed + 610, rows)).astype(int)
    matter = np.round(0.2 + 4 * data.uniforms(seed + 620, rows) ** 3, 2)
    model = data.labels(seed + 630, y, 0.5)
    wide = data.numbers(seed + 640, rows, "normal")
    fit = data.forecasts(seed + 650, wide, 0.8)
    of_three = data.classes(seed + 660, rows, [3, 2, 1])
    for kind, weight in {"frequency": often, "importance": matter}.items():
        options: dict[str, Any] = {"sample_weight": weight, "weights": kind}
        case(f"weights: {kind}, labels, {rows} rows", br.evaluate, y, model,
             ["F1", "ACC", "MCC", "BACC"], **options)  # fmt: skip
        case(f"weights: {kind}, numbers, {rows} rows", br.evaluate, wide, fit,
             ["RMSE", "MAE", "Pearson"], **options)  # fmt: skip
        case(f"weights: {kind}, compared, {rows} rows", br.compare, y,
             {"a": model, "b": data.labels(seed + 670, y, 0.2)}, ["F1", "ACC"],
             **options)  # fmt: skip
    options = {"sample_weight": often, "weights": "frequency"}
    case(f"weights: frequency, several classes, {rows} rows", br.evaluate, of_three,
         data.class_labels(seed + 680, of_three, 0.4), ["accuracy", "macro F1"],
         **options)  # fmt: skip
    case(f"weights: frequency, scores, {rows} rows", br.evaluate, y,
         data.scores(seed + 690, y, 1.0, 1), ["AUC", "Brier"], **options)  # fmt: skip

# --- Groups, references and comparisons -----------------------------------------------------------

y = data.truth(700, 120, 0.4)
hospital = np.array(["east", "west", "south"])[np.arange(120) % 3]
two = {"a": data.labels(710, y, 0.6), "b": data.labels(711, y, 0.3)}
case("groups: labels", br.evaluate, y, two, ["F1", "ACC"], by=hospital)
case("groups: labels, Holm", br.evaluate, y, two, ["F1", "ACC"], by=hospital, adjust="holm")
case("groups: compared", br.compare, y, two, ["F1", "ACC"], by=hospital)
case("groups: numbered", br.evaluate, y, two, "F1", by=np.arange(120) % 2)

for title, rows, first, second in [
    ("small", 10, 0.8, 0.2), ("alike", 60, 0.4, 0.4), ("apart", 100, 0.8, 0.1),
    ("large", 1_500, 0.30, 0.25),
]:  # fmt: skip
    y = data.truth(rows, rows, 0.4)
    pair = {"a": data.labels(rows + 1, y, first), "b": data.labels(rows + 2, y, second)}
    case(f"compared: labels, {title}", br.compare, y, pair, ["F1", "ACC", "MCC", "BACC"])
    case(f"reference: labels, {title}", br.evaluate, y, {"a": pair["a"]}, ["F1", "ACC", "MCC"],
         reference=pair["b"])  # fmt: skip
    kinds = data.classes(rows + 3, rows, [3, 2, 1])
    pair = {
        "a": data.class_labels(rows + 4, kinds, first),
        "b": data.class_labels(rows + 5, kinds, second),
    }
    case(f"compared: several classes, {title}", br.compare, kinds, pair,
         ["accuracy", "macro F1", "kappa"])  # fmt: skip
    case(f"reference: several classes, {title}", br.evaluate, kinds, {"a": pair["a"]},
         ["accuracy", "macro F1"], reference=pair["b"])  # fmt: skip
    pair = {"a": data.scores(rows + 6, y, 3 * first), "b": data.scores(rows + 7, y, 3 * second)}
    case(f"compared: scores, {title}", br.compare, y, pair, ["AUC", "AP", "Brier", "log loss"])
    case(f"reference: scores, {title}", br.evaluate, y, {"a": pair["a"]}, ["AUC", "Brier"],
         reference=pair["b"])  # fmt: skip
    table = data.probabilities(rows + 8, kinds, 3, 3 * first)
    other = data.probabilities(rows + 9, kinds, 3, 3 * second)
    case(f"compared: class probabilities, {title}", br.compare, kinds, {"a": table, "b": other},
         ["log loss", "Brier"], task="class-scores")  # fmt: skip
    case(f"compared: top-k, {title}", br.compare, kinds, {"a": table, "b": other},
         ["top-2 accuracy"], task="class-scores")  # fmt: skip
    wide = data.numbers(rows + 10, rows, "normal")
    pair = {
        "a": data.forecasts(rows + 11, wide, 1 - first),
        "b": data.forecasts(rows + 12, wide, 1 - second),
    }
    case(f"compared: numbers, {title}", br.compare, wide, pair,
         ["RMSE", "MAE", "R2", "Pearson"])  # fmt: skip
    case(f"reference: numbers, {title}", br.evaluate, wide, {"a": pair["a"]}, ["RMSE", "MAE"],
         reference=pair["b"])  # fmt: skip

y = data.truth(720, 90, 0.4)
three = {f"m{k}": data.labels(721 + k, y, 0.3 * k) for k in range(3)}
case("compared: three models, Holm", br.compare, y, three, ["F1"], adjust="holm")
case("compared: equal models", br.compare, y, {"a": three["m1"], "b": three["m1"]}, ["F1", "ACC"])
case("reference: one of the models", br.evaluate, y, three, ["F1"], reference="m0")
few = data.numbers(730, 12, "normal")
pair = {"a": data.forecasts(731, few, 0.2), "b": data.forecasts(732, few, 0.9)}
case("compared: numbers, all swaps", br.compare, few, pair, ["RMSE", "MAE", "Spearman"])

# --- Curves and multiple choice -------------------------------------------------------------------

for title, rows, rate, signal, digits in [
    ("small", 12, 0.4, 1.5, 2), ("tied", 60, 0.3, 1.0, 1), ("useless", 80, 0.3, 0.0, 6),
    ("plain", 300, 0.2, 1.0, 6), ("rare", 400, 0.02, 1.5, 6), ("perfect", 30, 0.5, 20.0, 6),
]:  # fmt: skip
    y = data.truth(rows + 800, rows, rate)
    model = data.scores(rows + 801, y, signal, digits)
    for key in ("F1", "ACC", "MCC"):
        case(f"threshold curve: {key}, {title}", br.threshold_curve, y, model, key, threshold=0.5)
    case(f"reliability curve: {title}", br.reliability_curve, y, model)

for title, options_of, facts in [
    ("198 questions", [4] * 198, {}),
    ("the best of 20", [4] * 198, {"tries": 20}),
    ("the best of 100", {4: 198}, {"tries": 100}),
    ("mixed", {2: 10, 3: 5, 5: 20}, {}),
    ("mixed, the best of 3", {2: 10, 3: 5, 5: 20}, {"tries": 3}),
    ("one question", [2], {}),
    ("answers known", [4] * 20, {"answers": list("abcd") * 4 + list("aabb")}),
    ("many", {4: 14_042}, {"tries": 10}),
]:
    case(f"chance: {title}", br.chance, options_of, [0.2, 0.3, 0.35, 0.5], **facts)
