"""Blends in the contest: what they would have said of every fold, with weights chosen on the other folds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry
from treatise.compare.blending.weights import expert_weights, greedy_weights
from treatise.compare.candidates import Candidate
from treatise.compare.inputs import FoldPredictions, HeldOut, Input
from treatise.compare.metrics import Predictions
from treatise.report.record import FoldRecord, Metric

GREEDY, WEIGHTED = "GreedyBlend", "WeightedBlend"
MOST_MEMBERS = 8
SELECTION_ROWS = 4000
"""Rows that the greedy choice looks at."""
FREE = Cost(1e-9)

Part = tuple[FoldRecord, FoldPredictions]


@dataclass(frozen=True)
class BlendCandidate(Candidate):
    """A blend as one more method of the contest."""

    name: str = GREEDY

    @property
    def key(self) -> str:
        """Its own name rather than its estimator's, of which there is one for both blends."""
        return f"treatise/{self.name}"

    @property
    def label(self) -> str:
        """What names it to a person."""
        return "Greedy blend" if self.name == GREEDY else "FlipFlop blend"


@dataclass(frozen=True)
class Blend:
    """A blend with its folds, and what each method counts in it when it is fitted to all rows."""

    candidate: BlendCandidate
    weights: Mapping[str, float]
    parts: tuple[Part, ...]


def blends(data: Input, metric: Metric, members: Mapping[str, Sequence[Part]]) -> list[Blend]:
    """Both blends of the contenders, on the folds that all of them have.

    The weights that are used for a fold come from the other folds of its repeat: a blend is judged on rows that had no
    say in it, like every other method. ``members`` are the best first, each with its folds.
    """
    usable = {key: list(parts) for key, parts in members.items() if _blendable(data, parts)}
    usable = dict(list(usable.items())[:MOST_MEMBERS])
    if len(usable) < 2:
        return []
    by_place = {key: {(r.repeat, r.fold): (r, p) for r, p in parts} for key, parts in usable.items()}
    common = sorted(set.intersection(*(set(parts) for parts in by_place.values())))
    repeats = {repeat for repeat, _ in common}
    whole = [place for place in common if sum(other[0] == place[0] for other in common) > 1]
    if 0 not in repeats or not whole:
        return []
    folds = {place: [by_place[key][place] for key in usable] for place in whole}
    return [
        _blend(data, metric, GREEDY, list(usable), folds, _greedy(data, metric)),
        _blend(data, metric, WEIGHTED, list(usable), folds, _weighted(data)),
    ]


def blended_part(data: Input, metric: Metric, blend: Blend, members: Mapping[str, Part]) -> Part:
    """What a blend of known weights says of a fold, from what its members say of it."""
    weights, parts = np.array(list(blend.weights.values())), [members[key] for key in blend.weights]
    blended = np.tensordot(weights, np.stack([_said(data, part) for _, part in parts]), 1)
    return _judged(data, metric, blend.candidate.name, blended, parts, weights)


def _blendable(data: Input, parts: Sequence[Part]) -> bool:
    return bool(parts) and (data.task == "regression" or all(p.probabilities is not None for _, p in parts))


Chooser = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Of the members' predictions and what was the case, the weights."""


def _greedy(data: Input, metric: Metric) -> Chooser:
    def choose(members: np.ndarray, actual: np.ndarray) -> np.ndarray:
        rows = np.random.default_rng(0).permutation(len(actual))[:SELECTION_ROWS]
        held_out = HeldOut(rows, None, actual[rows])

        def merit(blended: np.ndarray) -> float:
            return float(data.merits(metric, held_out, _predictions(data, blended)).mean())

        return greedy_weights(members[:, rows], merit)

    return choose


def _weighted(data: Input) -> Chooser:
    def choose(members: np.ndarray, actual: np.ndarray) -> np.ndarray:
        if data.task == "regression":
            losses = np.square(members - actual).T
        else:
            truth = data.classes == actual[:, None]
            losses = np.square(members - truth).sum(axis=2).T
        # One wild prediction must not set the scale of all losses.
        return expert_weights(np.minimum(losses, np.quantile(losses, 0.99)))

    return choose


def _blend(
    data: Input, metric: Metric, name: str, keys: list[str], folds: Mapping[tuple[int, int], list[Part]],
    choose: Chooser,
) -> Blend:  # fmt: skip
    stacks = {place: np.stack([_said(data, part) for _, part in parts]) for place, parts in folds.items()}
    actual = {place: parts[0][1].actual for place, parts in folds.items()}
    parts = []
    for place, members in stacks.items():
        others = [other for other in stacks if other[0] == place[0] and other != place]
        weights = choose(
            np.concatenate([stacks[other] for other in others], axis=1),
            np.concatenate([actual[other] for other in others]),
        )
        parts.append(_judged(data, metric, name, np.tensordot(weights, members, 1), folds[place], weights))
    first = [place for place in stacks if place[0] == 0]
    final = choose(
        np.concatenate([stacks[place] for place in first], axis=1), np.concatenate([actual[place] for place in first])
    )
    path = f"treatise.compare.Blended{'Regressor' if data.task == 'regression' else 'Classifier'}"
    compare = ComparisonEntry(tasks=(data.task,), seconds=FREE, bytes=FREE, form="blend")
    candidate = BlendCandidate(EstimatorEntry(path, compare), compare, None, data.task, name)
    return Blend(candidate, {k: float(w) for k, w in zip(keys, final) if w > 0}, tuple(parts))


def _said(data: Input, part: FoldPredictions) -> np.ndarray:
    return part.predicted if data.task == "regression" else np.asarray(part.probabilities)


def _predictions(data: Input, blended: np.ndarray) -> Predictions:
    if data.task == "regression":
        return Predictions(blended)
    return Predictions(data.classes[np.argmax(blended, axis=1)], blended, blended)


def _judged(
    data: Input, metric: Metric, name: str, blended: np.ndarray, parts: list[Part], weights: np.ndarray
) -> Part:
    """A fold of the blend: judged as others are; its cost is that of the members it uses."""
    record, said = parts[0]
    held_out, found = HeldOut(said.numbers, None, said.actual), _predictions(data, blended)
    measures, merits = data.judge(held_out, found), data.merits(metric, held_out, found)
    score = measures[metric.name]
    assert score is not None
    used = [r for (r, _), weight in zip(parts, weights) if weight > 0]
    fold = replace(
        record, key=f"treatise/{name}", score=score, metrics=measures, rows=max(r.rows for r in used),
        fit_seconds=sum(r.fit_seconds for r in used), predict_seconds=sum(r.predict_seconds for r in used),
        params={}, seconds=0.0, compile_seconds=0.0,
    )  # fmt: skip
    return fold, FoldPredictions(said.numbers, said.actual, found.values, found.probabilities, found.scores, merits)
