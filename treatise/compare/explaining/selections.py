"""Which columns selectors keep, and how stably: the share of folds in which each is kept."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from treatise.compare.inputs import FoldPredictions
from treatise.report.explained import KeptColumn, Selection
from treatise.statistics import selection_stability

SHOWN = 20
"""Columns that the record keeps of a selector: those kept in most folds."""


def selection_of(key: str, label: str, parts: Iterable[FoldPredictions]) -> Selection | None:
    """What a method kept in its folds; None where it selects nothing, or had fewer than two of them."""
    folds = [(frozenset(part.kept.tolist()), int(part.offered)) for part in parts if part.kept is not None]
    if len(folds) < 2:
        return None
    counts = Counter(name for kept, _ in folds for name in kept)
    offered = max(max(number for _, number in folds), len(counts))
    stability = selection_stability(_matrix([kept for kept, _ in folds], list(counts), offered))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    index, low, high = (None if np.isnan(value) else value for value in stability)
    return Selection(
        key, label, len(folds), offered, float(np.mean([len(kept) for kept, _ in folds])),
        tuple(KeptColumn(name, count / len(folds)) for name, count in ranked[:SHOWN]),
        len(ranked), index, low, high,
    )  # fmt: skip


def _matrix(folds: Sequence[frozenset[str]], names: Sequence[str], offered: int) -> np.ndarray:
    """Which columns each fold keeps, those that none keeps at the end."""
    kept = np.zeros((len(folds), offered), bool)
    for row, fold in zip(kept, folds):
        row[: len(names)] = [name in fold for name in names]
    return kept
