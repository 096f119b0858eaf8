"""Runs to report on: simulated from a seed in the shape that a comparison produces."""

import copy
import json
import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from treatise.compare.explaining import (
    Rows,
    Trial,
    error_segments,
    explained_methods,
    importances,
    learning_curve,
    profile,
    threshold_curve,
)
from treatise.compare.explaining.intervals import predictive_intervals_of
from treatise.compare.inputs import FoldPredictions
from treatise.report.explained import ColumnEffect
from treatise.report.record import VERSION, Metric, to_plain

STANDINGS = ("best", "equivalent", "undecided", "worse", "unjudged")

PAPERS = {
    "v05-1205": {
        "title": "Efficient Feature Selection via Analysis of Relevance and Redundancy",
        "authors": ["Lei Yu", "Huan Liu"], "journal": "JMLR 5", "year": 2004, "pages": "1205-1224",
        "when": "Many columns, most of them irrelevant or repeating one another.",
        "cost": "O(n p log p) in practice; memory O(n p).",
    },
    "v05-0101": {
        "title": "Support Vector Machine Paths", "authors": ["Ada North", "Ben South", "Cy West"],
        "journal": "JMLR 5", "year": 2004, "pages": "101-140",
        "when": "A few thousand rows, and the regularisation is to be chosen along the whole path.",
        "cost": "O(n² p) for the path; memory O(n²).",
    },
    "v12-2121": {
        "title": "Adaptive Steps for Online Learning", "authors": ["Dora East", "Emil Hill"],
        "journal": "JMLR 12", "year": 2011, "pages": "2121-2159",
        "when": "Streams, sparse columns, and more rows than fit into memory.",
        "cost": "O(nnz) a pass; memory two vectors of p.",
    },
    "v15-0495": {
        "title": "A Library for Online Classification", "authors": ["Fay Lake"],
        "journal": "JMLR 15", "year": 2014, "pages": "495-499",
        "when": "Sparse text, where rare words must move fast.",
        "cost": "O(nnz) a pass; memory O(p).",
    },
}  # fmt: skip

# label, paper, baseline, true score (roc_auc scale), standard deviation of a fold, seconds of a fit
CLASSIFIERS = [
    ("FCBF + LogisticRegression", "v05-1205", False, 0.9935, 0.004, 0.21),
    ("SVMPath", "v05-0101", False, 0.9930, 0.004, 3.4),
    ("GradientBoosting", None, True, 0.9912, 0.006, 0.9),
    ("DiagonalAdaGrad", "v12-2121", False, 0.9922, 0.005, 0.012),
    ("SoftConfidenceWeighted", "v15-0495", False, 0.9885, 0.006, 0.006),
    ("RandomForest", None, True, 0.9890, 0.006, 0.42),
    ("PassiveAggressive", "v15-0495", False, 0.9800, 0.010, 0.004),
    ("Perceptron", "v15-0495", False, 0.9710, 0.012, 0.003),
    ("CoresetSVM", "v05-0101", False, 0.9841, 0.008, 0.15),
    ("LogisticRegression", None, True, 0.9925, 0.005, 0.02),
    ("KernelInfluence", "v05-0101", False, 0.9793, 0.008, 7.8),
    ("BoostedStumps", "v12-2121", False, 0.9868, 0.007, 1.7),
    ("DummyClassifier", None, True, 0.5, 0.0, 0.0008),
]


def interval(scores, test_share):
    """Mean and corrected 95 % interval of repeated cross-validation (Nadeau and Bengio)."""
    scores, n = np.asarray(scores), len(scores)
    if n < 2:
        return float(scores.mean()), None, None
    variance = scores.var(ddof=1) * (1 / n + test_share / (1 - test_share))
    half = stats.t.ppf(0.975, n - 1) * math.sqrt(variance)
    return float(scores.mean()), float(scores.mean() - half), float(scores.mean() + half)


def leaderboard(rng, methods, metric, metrics, folds, scale, upper=math.inf):
    """Simulated folds of every method, ranked, with standings from corrected tests after Holm."""
    sign = 1 if metric["greater_is_better"] else -1
    shared, rows = rng.normal(size=folds), []
    for label, paper, baseline, mean, spread, seconds in methods:
        noise = 0.8 * shared + 0.6 * rng.normal(size=folds)
        scores = np.minimum(scale(mean) + scale(spread, spread=True) * noise, upper)
        score, low, high = interval(scores, 1 / 5)
        times = seconds * rng.lognormal(0, 0.1, folds)
        rows.append({
            "key": f"{paper or 'baseline'}/{label}", "label": label, "paper": paper,
            "estimator": f"{'sklearn' if baseline else 'treatise'}.family.{label.split()[0]}", "baseline": baseline,
            "score": score, "low": low, "high": None if high is None else min(high, upper), "folds": folds,
            "scores": [
                {"repeat": i // 5, "fold": i % 5, "score": float(s), "seconds": float(t)}
                for i, (s, t) in enumerate(zip(scores, times))
            ],
            "fit_seconds": float(times.mean()), "predict_seconds": float(times.mean() / 40),
            "metrics": metrics(score), "params": {"C": float(rng.lognormal()), "shuffle": True, "loss": "hinge"},
            "form": "linear" if "Logistic" in label else "other", "stage": "folds", "rows": 400,
            "standing": "unjudged", "behind": None, "behind_low": None, "behind_high": None, "copy_of": None,
        })  # fmt: skip
    rows.sort(key=lambda row: -sign * row["score"])
    best = [fold["score"] for fold in rows[0]["scores"]]
    if folds > 1:
        margin = 0.01 * abs(rows[0]["score"] - rows[-1]["score"])
        quantile = stats.t.ppf(1 - 0.025 / max(1, len(rows) - 1), folds - 1)
        for row in rows[1:]:
            difference = sign * (np.array(best) - [fold["score"] for fold in row["scores"]])
            half = quantile * math.sqrt(difference.var(ddof=1) * (1 / folds + 1 / 4))
            low, high = max(0.0, difference.mean() - half), difference.mean() + half
            row |= {"behind": float(difference.mean()), "behind_low": float(low), "behind_high": float(high)}
            row["standing"] = "worse" if low > margin else "equivalent" if high <= margin else "undecided"
        rows[0] |= {"standing": "best", "behind": 0.0, "behind_low": 0.0, "behind_high": 0.0}
        rows[1]["standing"] = "equivalent"
    for rank, row in enumerate(rows, 1):
        row["rank"] = rank
    return rows


def decision(rows, metric):
    """What such a leaderboard recommends: the quickest of those that are as good as the best."""
    counts = {word: sum(row["standing"] == word for row in rows) for word in STANDINGS[1:]}
    good = [row for row in rows if row["standing"] in ("best", "equivalent")]
    chosen = min(good, key=lambda row: row["fit_seconds"])
    others = [
        {"purpose": purpose, "key": row["key"], "label": row["label"],
         "sentence": f"scores {row['score']:.4g} and fits in {row['fit_seconds']:.2g} s."}
        for purpose, row in zip(("accuracy", "speed", "readable", "runner-up"), rows[:4])
        if row is not chosen
    ]  # fmt: skip
    return {
        "key": chosen["key"], "label": chosen["label"],
        "headline": f"Use {chosen['label']}: {metric['label']} {chosen['score']:.4g} on rows it had not seen.",
        "reasons": [
            f"{rows[0]['label']} scores {rows[0]['score']:.4g}, within the margin, and takes longer to fit.",
            "The best of the usual choices is not better than it.",
        ],
        "prefer": "balanced", "margin": 0.01 * abs(rows[0]["score"] - rows[-1]["score"]), "margin_share": 0.01,
        "fit_seconds": chosen["fit_seconds"], "predict_seconds": chosen["predict_seconds"], **counts,
        "to_decide": "About 900 more rows would decide about the undecided ones." if counts["undecided"] else "",
        "alternatives": others,
    }  # fmt: skip


def race(rows, failures=(), complete=True):
    """How the time went."""
    tried = len(rows)
    return {
        "field": tried + len(failures), "looked": tried, "contended": sum(row["stage"] == "folds" for row in rows),
        "folds": sum(row["folds"] for row in rows), "processor_seconds": 104.5, "compile_seconds": 3.1,
        "rows_sampled": False, "complete": complete,
    }  # fmt: skip


def explained(rows, task, chosen, seed=0, n=400, columns=30, labels=()):
    """What a comparison explains, computed from simulated rows and held-out predictions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)) * 10.0 ** rng.integers(-1, 4, columns)
    strength = X[:, 0] / X[:, 0].std() + 0.5 * np.square(X[:, 1] / X[:, 1].std())
    frame = {name: X[:, i] for i, name in enumerate(column_names(columns))}
    frame["town"] = np.array(["Bern", "Rome", "Oslo", "a town with a remarkably long name"])[rng.integers(0, 4, n)]
    frame["married"] = rng.random(n) < 0.4
    frame["children"] = rng.poisson(1.2, n)
    few = pl.when(pl.col("children") <= 3).then(pl.col("children")).alias("children")
    table = pl.DataFrame(frame).with_columns(few)
    classes, noise = np.array([]), rng.normal(size=n) * np.where(frame["town"] == "Oslo", 6.0, 0.5)
    y = 180_000 + 40_000 * strength
    if task != "regression":
        cuts = np.quantile(strength, np.linspace(0, 1, len(labels) + 1)[1:-1])
        classes = np.array(sorted(labels))
        y = classes[np.searchsorted(cuts, strength)]
    table_rows = Rows(table, y, task, classes, tuple(table.columns))
    entries = explained_methods([SimpleNamespace(**row) for row in rows], chosen)
    curves, intervals, segments = [], [], None
    for place, entry in enumerate(entries):
        told = strength + (1 + 0.3 * place) * noise
        if task == "regression":
            predicted, scores = 180_000 + 40_000 * told, None
        elif task == "binary":
            probability = 1 / (1 + np.exp(-3 * (told - cuts[0])))
            scores, predicted = (
                np.column_stack([1 - probability, probability]),
                classes[(probability > 0.5).astype(int)],
            )
        else:
            predicted, scores = classes[np.searchsorted(cuts, told)], None
        part = FoldPredictions(np.arange(n), y, predicted, scores, scores, np.zeros(n))
        if task == "binary":
            curves.append(threshold_curve(entry.key, entry.label, classes, [part]))
        if task == "regression" and place < 2:
            # The first from errors on other folds, the second its own, and too narrow.
            own = np.column_stack([predicted - 9_000, predicted + 9_000])
            parts = [
                FoldPredictions(i, y[i], predicted[i], None, intervals=own[i] if place else None)
                for i in np.array_split(np.arange(n), 5)
            ]
            intervals.append(predictive_intervals_of(entry.key, entry.label, parts))
        if place == 0:
            segments = error_segments(entry.key, entry.label, table_rows, [part])
    sign = 1 if rows[0]["score"] > rows[-1]["score"] else -1
    spread = abs(rows[0]["score"] - rows[-1]["score"])
    trials = [
        Trial(entry.key, entry.label, size, tuple(entry.score - sign * spread * (20 / size + 0.01 * rng.random(3))))
        for entry in entries
        for size in (25, 50, 100, 200)
    ]
    metric = Metric("m", "M", sign > 0)
    effects = {entry.key: [ColumnEffect(**e) for e in importance(rng, list(table.columns))] for entry in entries[:2]}
    return to_plain({
        "importance": importances(entries, table.columns, effects), "thresholds": tuple(curves),
        "learning": learning_curve(entries, trials, metric, 5), "errors": segments, "profile": profile(table_rows),
        "intervals": tuple(intervals),
    })  # fmt: skip


def column_names(count):
    """Names such as a table of measurements has."""
    return [f"{CELLS[i % 10]} {('mean', 'error', 'worst')[i // 10 % 3]}{i // 30 or ''}" for i in range(count)]


def describe(rows, failures=()):
    """What each method is."""
    return [
        {
            "key": row["key"], "label": row["label"], "estimator": row.get("estimator", "treatise.family.Method"),
            "summary": "Separates the classes by a rule learned from the rows, as its paper describes.",
            "paper": {"id": row["paper"], **PAPERS[row["paper"]]} if row["paper"] else None,
        }
        for row in [*rows, *failures]
    ]  # fmt: skip


def skeleton(name, task, target, metric, rows, features):
    """The parts of a run that do not depend on what happened in it."""
    purpose = f"Predicting {target} from {features} columns of {rows:,} rows"
    facts = {"Rows": f"{rows:,}", "Columns used": str(features), "To predict": target, "Task": task}
    return {
        "version": VERSION, "treatise": "0.1.0", "status": "finished",
        "command": f"treatise compare {name}.csv --target {target}",
        "started": "2026-01-31T12:00:00+00:00", "seconds": 118.2, "budget": 120.0, "jobs": 2, "seed": 0,
        "data": {
            "kind": "table", "name": name, "source": f"{name}.csv", "sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2,
            "rows": rows, "features": features, "target": target, "task": task, "classes": [], "counts": [],
            "columns": {"numeric": features, "categorical": 0}, "dropped": [], "notes": [],
            "size": f"{rows} rows, {features} columns", "question": f"target {target!r}: {task}", "purpose": purpose,
            "facts": [{"name": name, "value": value, "aside": ""} for name, value in facts.items()],
        },
        "metric": {**metric, "lowest": None, "highest": None},
        "folds": {"k": 5, "repeats_done": 3, "grouped": False},
        "race": race([], complete=True), "decision": None,
        "verdict": [], "leaderboard": [], "failures": [], "best": None, "methods": [],
        "importance": [], "thresholds": [], "learning": [], "errors": None, "profile": None, "test": None,
        "selections": [], "intervals": [], "unlabelled": None, "known_groups": None, "theory": [],
    }  # fmt: skip


def winner(run):
    """The method that is recommended."""
    row = next(row for row in run["leaderboard"] if row["key"] == run["decision"]["key"])
    return {name: row[name] for name in ("key", "label", "params")} | {"rows": None}


def saved(model):
    """A model file and how to use it."""
    python = f"model = load_model({json.dumps(model)}).model"
    return {"model": model, "use": {"python": python, "shell": f"treatise predict {model} new.csv -o out.csv"}}


def importance(rng, columns):
    """Falls in score when a column is shuffled."""
    means = np.sort(rng.gamma(0.4, 0.02, len(columns)))[::-1]
    spread = 0.002 + 0.2 * means
    return [
        {"column": column, "mean": float(m), "low": float(m - 2 * s), "high": float(m + 2 * s)}
        for column, m, s in zip(columns, means, spread)
    ]


def calibration(rng, label, rows):
    """A calibration curve with ten cells, somewhat over-confident."""
    predicted = np.sort(rng.beta(0.4, 0.5, (rows,)))
    happened = rng.random(rows) < 0.5 + 0.9 * (predicted - 0.5)
    cells = [cell for cell in np.array_split(np.arange(rows), 10) if len(cell)]
    return {
        "label": label, "predicted": [float(predicted[c].mean()) for c in cells],
        "observed": [float(happened[c].mean()) for c in cells], "count": [len(c) for c in cells],
    }  # fmt: skip


FAILURES = [
    {"key": "v05-0101/SVMPathExact", "label": "SVMPathExact", "paper": "v05-0101", "kind": "time",
     "reason": "One fold was still running when its share of the budget, 20 s, was used up.", "folds": 0},
    {"key": "v12-2121/CountModel", "label": "CountModel", "paper": "v12-2121", "kind": "not applicable",
     "reason": "It needs counts; the column mean texture holds negative values.", "folds": 0},
    {"key": "v15-0495/SecondOrder", "label": "SecondOrder", "paper": "v15-0495", "kind": "error",
     "reason": "LinAlgError: the covariance became singular in fold 3.", "folds": 2},
]  # fmt: skip

CELLS = [
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "points", "symmetry", "dimension",
]  # fmt: skip


def binary_run():
    """A finished comparison on two classes."""
    rng = np.random.default_rng(5)
    metric = {"name": "roc_auc", "label": "ROC AUC", "greater_is_better": True}
    run = skeleton("breast_cancer", "binary", "diagnosis", metric, 569, 20)
    run["data"] |= {
        "classes": ["benign", "malignant"], "counts": [357, 212],
        "dropped": [{"column": "id", "reason": "looks like an identifier: every value differs"}],
        "notes": ["3 duplicated rows are kept in the same fold."],
    }  # fmt: skip
    rows = leaderboard(
        rng, CLASSIFIERS, metric,
        lambda s: {"accuracy": max(0.63, 1 - 3.5 * (1 - s)), "roc_auc": s, "log_loss": 0.05 + 4 * (1 - s)},
        15, lambda value, spread=False: value, upper=1.0,
    )  # fmt: skip
    run["leaderboard"], run["failures"] = rows, FAILURES
    run["methods"] = describe(rows, FAILURES)
    rows[6] |= {"copy_of": rows[4]["key"], "stage": "look"}
    rows[11] |= {"stage": "look", "rows": 100, "folds": 1}
    run["race"], run["decision"] = race(rows, FAILURES), decision(rows, metric)
    run["verdict"] = [run["decision"]["headline"], "Guessing by class frequency scores 0.500."]
    run["theory"] = ["No two rows that are equal in every column have different classes.", "A plane separates them."]
    run |= explained(rows, "binary", run["decision"]["key"], n=569, columns=17, labels=run["data"]["classes"])
    run["best"] = {
        **winner(run), **saved("best.skops"),
        "confusion": {"labels": ["benign", "malignant"], "matrix": [[351, 6], [11, 201]]}, "residuals": None,
        "calibration": [calibration(rng, "malignant", 569)], "survival": None, "targets": None, "groups": None,
    }  # fmt: skip
    return run


def multiclass_run(classes=10):
    """A finished comparison on several classes."""
    rng = np.random.default_rng(7)
    metric = {"name": "log_loss", "label": "Log loss", "greater_is_better": False}
    run = skeleton("digits", "multiclass", "digit", metric, 1797, 16)
    labels = [str(i) for i in range(classes)] if classes == 10 else [f"class {i}" for i in range(classes)]
    truth = rng.integers(0, classes, 1797)
    run["data"] |= {"classes": labels, "counts": np.bincount(truth, minlength=classes).tolist()}
    rows = leaderboard(
        rng, CLASSIFIERS, metric,
        lambda s: {"accuracy": math.exp(-s), "f1_macro": math.exp(-1.02 * s), "log_loss": s, "roc_auc": None},
        10, lambda value, spread=False: 3 * value if spread else 4.6 * (1 - value),
    )  # fmt: skip
    guess = np.where(rng.random(1797) < 0.93, truth, (truth + rng.integers(1, 4, 1797)) % classes)
    matrix = np.zeros((classes, classes), dtype=int)
    np.add.at(matrix, (truth, guess), 1)
    run["leaderboard"], run["methods"] = rows, describe(rows)
    run["folds"]["repeats_done"] = 2
    run["race"], run["decision"] = race(rows), decision(rows, metric)
    run["verdict"] = [run["decision"]["headline"]]
    run |= explained(rows, "multiclass", run["decision"]["key"], n=1797, columns=13, labels=labels)
    run["best"] = {
        **winner(run), **saved("best.skops"),
        "confusion": {"labels": labels, "matrix": matrix.tolist()}, "residuals": None,
        "calibration": [calibration(rng, label, 400) for label in labels], "survival": None,
        "targets": None, "groups": None,
    }  # fmt: skip
    return run


def known_groups(rows):
    """The same methods on rows of known groups, half as far off; the first learns from groups."""
    methods = [
        {
            "key": row["key"], "label": row["label"], "takes_groups": place == 0, "new": row["score"],
            "new_low": row["low"], "new_high": row["high"], "known": 0.5 * row["score"],
            "known_low": 0.4 * row["score"], "known_high": 0.6 * row["score"], "standing": STANDINGS[place],
        }
        for place, row in enumerate(rows)
    ]  # fmt: skip
    words = ["The verdict is for rows of a new 'street'.", f"On known groups {rows[0]['label']} is best."]
    return {"column": "street", "groups": 211, "folds": 5, "judged": 2900, "methods": methods, "words": words}


def regression_run():
    """A finished comparison on a number to predict."""
    rng = np.random.default_rng(11)
    metric = {"name": "rmse", "label": "RMSE", "greater_is_better": False}
    run = skeleton("house_prices", "regression", "price", metric, 2930, 18)
    run["data"]["columns"] = {"numeric": 16, "categorical": 2}
    run["data"]["notes"] = ["47 missing prices were left out.", "Categories are one-hot encoded within each fold."]
    rows = leaderboard(
        rng, CLASSIFIERS, metric, lambda s: {"r2": 1 - (s / 80000) ** 2, "mae": 0.7 * s, "rmse": s},
        15, lambda value, spread=False: 160000 * value if spread else 24000 + 600000 * (1 - value),
    )  # fmt: skip
    actual = rng.lognormal(12, 0.4, 1200)
    predicted = actual**0.97 * 1.45 + rng.normal(0, 24000, 1200) * (actual / 180000) ** 0.7
    run["leaderboard"], run["methods"] = rows, describe(rows)
    run["race"], run["decision"] = race(rows), decision(rows, metric)
    run["verdict"] = [run["decision"]["headline"]]
    run["known_groups"] = known_groups(rows[:4])
    run |= explained(rows, "regression", run["decision"]["key"], n=2930, columns=15)
    run["best"] = {
        **winner(run), **saved("best.skops"),
        "confusion": None, "residuals": {"predicted": predicted.tolist(), "actual": actual.tolist()},
        "calibration": None, "survival": None, "targets": None, "groups": None,
    }  # fmt: skip
    return run


UNEXPLAINED = {"importance": [], "thresholds": [], "learning": [], "intervals": [], "errors": None, "profile": None}


def sequence_run():
    """A finished comparison of learners of sequences: nothing to shuffle, no columns to profile."""
    run = multiclass_run(4)
    run["data"] |= {"kind": "sequences", "task": "sequence", "features": None, "columns": None}
    why = "These data have no columns to shuffle."
    best = run["leaderboard"][0]
    run["best"] |= {"calibration": None}
    return run | UNEXPLAINED | {
        "importance": [{"key": best["key"], "label": best["label"], "columns": [], "why_not": why}]
    }  # fmt: skip


def crowded_run(methods=60):
    """Sixty methods, near copies and looks among them, two hundred columns, and forty failures of one kind."""
    rng = np.random.default_rng(13)
    run = binary_run()
    field = [
        (f"Method{i} of a family", "v05-0101" if i % 3 else None, i % 3 == 0, 0.99 - 0.004 * i + 0.002 * rng.random(),
         0.004, float(rng.lognormal(0, 2)))
        for i in range(methods)
    ]  # fmt: skip
    rows = leaderboard(
        rng, field, run["metric"], lambda s: {"accuracy": s - 0.05, "roc_auc": s, "log_loss": 2 * (1 - s)},
        15, lambda value, spread=False: value, upper=1.0,
    )  # fmt: skip
    for place in (3, 5, 30):
        rows[place] |= {"copy_of": rows[2]["key"], "stage": "look"}
    for row in rows[25:]:
        row |= {"stage": "look", "folds": 1, "low": None, "high": None, "rows": 100, "standing": "worse"}
    failures = [
        {"key": f"v05-0101/Slow{i}", "label": f"Slow{i}", "paper": "v05-0101", "kind": "time", "folds": 0,
         "reason": f"one fit would take about {20 + i} s of this budget; give it more with --budget"}
        for i in range(40)
    ]  # fmt: skip
    chosen = decision(rows, run["metric"])
    run |= {"leaderboard": rows, "failures": failures, "methods": describe(rows, failures), "decision": chosen}
    run |= {"race": race(rows, failures, complete=False), "verdict": [chosen["headline"]]}
    return run | explained(rows, "binary", chosen["key"], columns=220, labels=run["data"]["classes"])


def interrupted_run():
    """A comparison stopped in its first fold: no intervals, no tests, no best method yet."""
    rng = np.random.default_rng(3)
    run = binary_run()
    rows = leaderboard(
        rng, CLASSIFIERS[:4], run["metric"], lambda s: {"accuracy": None, "roc_auc": s}, 1,
        lambda value, spread=False: value, upper=1.0,
    )  # fmt: skip
    rows[-1] |= {"score": None, "fit_seconds": None}
    run |= {"status": "interrupted", "seconds": 4.1, "best": None, "verdict": [], "leaderboard": rows, **UNEXPLAINED}
    run |= {"race": race(rows, complete=False), "decision": None}
    run |= {"methods": describe(rows), "failures": [], "folds": {"k": 5, "repeats_done": 0, "grouped": True}}
    return run


def empty_run():
    """A comparison stopped before anything happened."""
    run = binary_run()
    return run | {
        "status": "interrupted", "seconds": 0.2, "budget": None, "best": None, "verdict": [],
        "leaderboard": [], "failures": [], "methods": [], "folds": {"k": 5, "repeats_done": 0, "grouped": False},
        "decision": None, "race": race([], complete=False), **UNEXPLAINED,
    }  # fmt: skip


def failed_run():
    """A comparison in which every method failed."""
    return empty_run() | {"status": "finished", "failures": FAILURES, "methods": describe([], FAILURES)}


RUNS = {
    "binary": binary_run, "multiclass": multiclass_run, "regression": regression_run,
    "interrupted": interrupted_run, "empty": empty_run, "failed": failed_run,
    "many classes": lambda: multiclass_run(26), "sequences": sequence_run, "crowded": crowded_run,
}  # fmt: skip


@pytest.fixture(scope="session")
def simulated():
    """All runs by name, simulated once."""
    return {name: make() for name, make in RUNS.items()}


@pytest.fixture(params=list(RUNS))
def run(request, simulated):
    """Every run in turn, a copy that the test may change."""
    return copy.deepcopy(simulated[request.param])


@pytest.fixture
def named_run(simulated):
    """One run by its name, a copy that the test may change."""
    return lambda name: copy.deepcopy(simulated[name])
