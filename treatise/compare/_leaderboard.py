"""From fold scores to a leaderboard that says which differences are real.

Intervals and tests are the corrected resampled ones: paper v05-1089 shows that the naive ones, which take
overlapping training sets for independent, promise too much.
"""

from typing import Any

import numpy as np

from treatise.compare._candidates import Candidate
from treatise.compare._metrics import Metric, better
from treatise.theory import corrected_interval, corrected_ttest, holm

LEVEL = 0.05
NAMES_SHOWN = 4
_RANGES = {"r2": (-np.inf, 1.0), "rmse": (0.0, np.inf), "mae": (0.0, np.inf), "log_loss": (0.0, np.inf)}


def leaderboard(
    folds: list[dict[str, Any]], candidates: list[Candidate], metric: Metric, k: int
) -> list[dict[str, Any]]:
    """One entry for each method with at least one fold, best first."""
    by_key: dict[str, list[dict[str, Any]]] = {}
    for record in folds:
        by_key.setdefault(record["key"], []).append(record)
    entries = [_entry(c, by_key[c.key], metric, k) for c in candidates if c.key in by_key]
    sign = better(metric)
    # A method with less than half the folds of a pass may owe its mean to easy ones: it comes after the others.
    enough = min(k, max((entry["folds"] for entry in entries), default=0)) / 2
    entries.sort(key=lambda e: (e["folds"] < enough, -sign(e["score"]), e["key"]))
    for rank, entry in enumerate(entries, 1):
        entry["rank"] = rank
    _set_standings(entries, k)
    return entries


def _entry(candidate: Candidate, records: list[dict[str, Any]], metric: Metric, k: int) -> dict[str, Any]:
    records = sorted(records, key=lambda r: (r["repeat"], r["fold"]))
    scores = [r["score"] for r in records]
    interval = corrected_interval(scores, n_train=k - 1, n_test=1)
    lowest, highest = _RANGES.get(metric.name, (0.0, 1.0))
    known = len(scores) > 1
    measures = {name: _mean([r["metrics"].get(name) for r in records]) for name in records[0]["metrics"]}
    return {
        "rank": 0, "key": candidate.key, "label": candidate.label,
        "paper": candidate.paper.id if candidate.paper else None,
        "estimator": candidate.entry.path, "baseline": candidate.paper is None,
        "score": interval.mean,
        "low": max(lowest, interval.low) if known else None,
        "high": min(highest, interval.high) if known else None,
        "folds": len(records),
        "scores": [
            {"repeat": r["repeat"], "fold": r["fold"], "score": r["score"], "seconds": r["fit_seconds"]}
            for r in records
        ],
        "fit_seconds": float(np.median([r["fit_seconds"] for r in records])),
        "predict_seconds": float(np.median([r["predict_seconds"] for r in records])),
        "metrics": measures, "params": records[-1]["params"], "standing": "too few folds", "p_value": None,
    }  # fmt: skip


def _set_standings(entries: list[dict[str, Any]], k: int) -> None:
    """Compare every method with the best on the folds that both have."""
    if not entries:
        return
    best, *others = entries
    best["standing"] = "best"
    best_scores = {(s["repeat"], s["fold"]): s["score"] for s in best["scores"]}
    tested, p_values = [], []
    for entry in others:
        pairs = [
            (best_scores[at], s["score"]) for s in entry["scores"] if (at := (s["repeat"], s["fold"])) in best_scores
        ]
        if len(pairs) > 1:
            mine, theirs = zip(*pairs)
            tested.append(entry)
            p_values.append(corrected_ttest(mine, theirs, n_train=k - 1, n_test=1).p_value)
    for entry, p_value in zip(tested, holm(p_values) if p_values else []):
        entry["p_value"] = float(p_value)
        entry["standing"] = "behind" if p_value < LEVEL else "level"


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if len(present) == len(values) else None


def verdict(entries: list[dict[str, Any]], metric: Metric, failures: int, status: str) -> list[str]:
    """The leaderboard in words."""
    if not entries:
        return ["No method finished a fold; the reasons are listed below."]
    best = entries[0]
    interval = "" if best["low"] is None else f" (95 % interval {best['low']:.4g} to {best['high']:.4g})"
    source = "a scikit-learn baseline" if best["baseline"] else f"paper {best['paper']}"
    score = f"{metric.label} {best['score']:.4g}{interval}"
    words = [f"{best['label']} ({source}) does best: {score} over {best['folds']} folds."]
    level = [e["label"] for e in entries if e["standing"] == "level"]
    behind = [e["label"] for e in entries if e["standing"] == "behind"]
    few = [e["label"] for e in entries if e["standing"] == "too few folds"]
    if level:
        words.append(f"On this evidence it cannot be told apart from {_listed(level)}.")
    if behind:
        verb = "are" if len(behind) > 1 else "is"
        words.append(f"{_listed(behind)} {verb} behind by more than chance (corrected test, 5 % level).")
    if few:
        words.append(f"{_listed(few)} had too few folds to be compared; a larger --budget gives more.")
    if best["estimator"].startswith("sklearn.dummy."):
        words.append("No method does better than guessing: the columns may hold nothing on the target.")
    baselines = [e for e in entries if e["baseline"]]
    if not best["baseline"] and baselines and baselines[0]["standing"] == "level":
        words.append(f"The best baseline, {baselines[0]['label']}, is level with it: choose by time and simplicity.")
    if failures:
        words.append(f"{failures} method{'s' if failures > 1 else ''} could not take part or did not finish.")
    if status == "interrupted":
        words.append("The run was interrupted; the same command goes on where it stopped.")
    return words


def _listed(names: list[str]) -> str:
    if len(names) > NAMES_SHOWN + 1:
        names = [*names[:NAMES_SHOWN], f"{len(names) - NAMES_SHOWN} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
