"""Repeated folds: stratified by class, with copies of a row kept together."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from treatise.compare._problem import Problem, part
from treatise.compare._streamed import StreamedProblem


def number_of_folds(problem: Problem, most: int = 5) -> int:
    """Five, or fewer where there are fewer distinct rows."""
    distinct = problem.n_rows if problem.groups is None else int(problem.groups.max()) + 1
    return max(2, min(most, distinct // 2))


def split(
    y: np.ndarray, groups: np.ndarray | None, stratify: bool, k: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each of ``k`` folds.

    With groups, the distinct rows are split, each by the label of its first copy.
    """
    first = np.arange(len(y)) if groups is None else np.unique(groups, return_index=True)[1]
    labels = y[first] if stratify else np.zeros(len(first))
    fold_of_group = np.empty(len(first), dtype=int)
    splitter = _splitter(labels, stratify, k, seed)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(first)), labels)):
        fold_of_group[test] = fold
    fold_of_row = fold_of_group if groups is None else fold_of_group[groups]
    for fold in range(k):
        yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)


def divide(problem: Problem, k: int, repeat: int, fold: int, seed: int) -> tuple[Problem, np.ndarray, Any, np.ndarray]:
    """The problem without one fold of one repeat, and rows of that fold: their numbers, features and targets."""
    if isinstance(problem, StreamedProblem):
        return problem.divide(k, repeat, fold, seed)
    train, test = split_problem(problem, k, repeat, fold, seed)
    return part(problem, train), test, problem.rows(test), problem.y[test]


def split_problem(problem: Problem, k: int, repeat: int, fold: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows of one fold of one repeat, of a problem in memory."""
    stratify = problem.task != "regression"
    folds = list(split(problem.y, problem.groups, stratify, k, seed + 1000 * repeat))
    return folds[fold]


def _splitter(labels: np.ndarray, stratify: bool, k: int, seed: int) -> KFold | StratifiedKFold:
    # Stratifying needs one class with at least k members; rarer classes are spread as far as they go.
    if stratify and np.unique(labels, return_counts=True)[1].max() >= k:
        return StratifiedKFold(k, shuffle=True, random_state=seed)
    return KFold(k, shuffle=True, random_state=seed)
