"""Choosing parameters inside a training part: successive halving over growing samples of its rows."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from treatise.catalog import SearchRange
from treatise.compare.candidates import Candidate
from treatise.compare.inputs import Input
from treatise.compare.trial import score_of
from treatise.report.record import Metric

MOST_SETTINGS = 9
SHRINK = 3
INNER_FOLDS = 3
FEWEST_ROWS = 200


def tune(candidate: Candidate, data: Input, metric: Metric, seconds: float, seed: int) -> dict[str, Any]:
    """The best setting found within ``seconds`` of processor time; the defaults (an empty setting) always compete.

    Settings are drawn from the candidate's search space. Each rung scores the surviving settings by
    cross-validation on a sample of the rows, keeps the best third, and goes on with three times the rows.
    """
    settings = draw_settings(candidate.compare.search, MOST_SETTINGS, seed)
    deadline = time.process_time() + seconds
    if not settings or seconds <= 0:
        return {}
    alive: list[dict[str, Any]] = [{}, *settings]
    best: dict[str, Any] = {}
    for rows in _rungs(data.size.rows):
        rung = data if rows == data.size.rows else data.sample(rows, seed)
        scores: list[float] = []
        for setting in alive:
            start = time.process_time()
            scores.append(_score(candidate, rung, setting, metric, seed))
            if time.process_time() + (time.process_time() - start) > deadline:
                break
        if len(scores) < len(alive):
            # Out of time in mid-rung: what this rung saw of the settings is no fair comparison.
            return best
        order = np.argsort(-np.array(scores), kind="stable")  # of equal ones the first: the defaults before others
        best = alive[order[0]] if np.isfinite(scores[order[0]]) else {}
        alive = [alive[i] for i in order[: max(1, len(alive) // SHRINK)]]
        if len(alive) == 1:
            break
    return best


def draw_settings(search: Mapping[str, Any], most: int, seed: int) -> list[dict[str, Any]]:
    """Up to ``most`` different settings from a search space; all of them where there are no more."""
    if not search:
        return []
    rng = np.random.default_rng(seed)
    if all(isinstance(values, tuple) for values in search.values()):
        sizes = [len(values) for values in search.values()]
        total = int(np.prod(sizes))
        chosen = rng.permutation(total)[:most] if total > most else np.arange(total)
        places = [np.unravel_index(c, sizes) for c in chosen]
        return [{name: values[i] for (name, values), i in zip(search.items(), place)} for place in places]
    # One draw from each of `most` equal strata of every parameter, in an order of its own (Latin hypercube).
    columns = {name: _spread(values, most, rng) for name, values in search.items()}
    return [{name: values[i] for name, values in columns.items()} for i in range(most)]


def _spread(values: Any, count: int, rng: np.random.Generator) -> list[Any]:
    positions = (rng.permutation(count) + rng.random(count)) / count
    if isinstance(values, tuple):
        return [values[int(position * len(values))] for position in positions]
    return [_at(values, position) for position in positions]


def _at(interval: SearchRange, position: float) -> float | int:
    if interval.log:
        value = interval.low * (interval.high / interval.low) ** position
    else:
        value = interval.low + (interval.high - interval.low) * position
    return round(value) if interval.integer else float(value)


def _rungs(n: int) -> list[int]:
    """Numbers of rows of the rungs: a ninth, a third and all, none below what makes sense to score."""
    sizes = {max(min(n, FEWEST_ROWS), n // SHRINK**power) for power in (2, 1, 0)}
    return sorted(sizes)


def _score(candidate: Candidate, data: Input, setting: dict[str, Any], metric: Metric, seed: int) -> float:
    """Mean inner score, larger is better; minus infinity for a setting that fails."""
    merits = []
    for fold in range(INNER_FOLDS):
        training, held_out = data.divide(INNER_FOLDS, 0, fold, seed)
        found = score_of(data, training, held_out, candidate, setting, metric, seed)
        if found is None:
            return -np.inf
        merits.append(metric.merit(found))
    return float(np.mean(merits))
