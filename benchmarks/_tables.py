"""Made-up tables and sentences of a given size, for costs and for contests that a catalogue row declares."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.datasets import make_classification, make_regression


class Size(NamedTuple):
    """Rows, features and classes of a table; of sequences, positions, one and labels; of bags, the rows of all."""

    n: int
    p: int
    k: int


def make_data(task: str, size: Size) -> tuple[Any, np.ndarray]:
    """What a method for the task is fitted to, the same at every call; :func:`groups_of` names groups of rows."""
    if task == "sequence":
        return _sentences(size)
    if task == "survival":
        return _lives(size)
    if task.endswith("-bags"):
        return _bags(size)
    if task.endswith("-groups"):
        return _grouped(task, size)
    if task == "cluster-sequences":
        return _series(size)
    informative = max(4, size.p // 2)
    if task == "regression":
        return make_regression(size.n, size.p, n_informative=informative, noise=10.0, random_state=0)
    return make_classification(
        size.n, size.p, n_informative=informative, n_redundant=0, n_classes=size.k, n_clusters_per_class=1,
        random_state=0,
    )  # fmt: skip


def groups_of(rows: int) -> np.ndarray:
    """The groups of rows, ten in each."""
    return np.arange(rows) // 10


def _grouped(task: str, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Classes, amounts or counts that depend on the columns, and as much on the group."""
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(size.n, size.p)), groups_of(size.n)
    forms = size.k if "class" in task else 1
    effects = rng.normal(size=(groups.max() + 1, forms))[groups]
    level = X @ rng.normal(size=(size.p, forms)) / np.sqrt(size.p) + effects
    if task == "multiclass-groups":
        return X, np.argmax(level + rng.gumbel(size=level.shape), axis=1)
    if task == "binary-groups":
        return X, (level[:, 0] + rng.logistic(size=size.n) > 0).astype(np.int64)
    return X, rng.poisson(np.exp(level[:, 0])) if task == "counts-groups" else level[:, 0] + rng.normal(size=size.n)


def _bags(size: Size) -> tuple[list[np.ndarray], np.ndarray]:
    """Bags of five rows, of which one is near the concept of the bag's class."""
    rng = np.random.default_rng(0)
    bags = rng.normal(size=(max(size.n // 5, 2 * size.k), 5, size.p))
    y = np.arange(len(bags)) % size.k
    bags[:, 0] = rng.normal(size=(size.k, size.p))[y] + 0.1 * rng.normal(size=(len(bags), size.p))
    return list(bags), y


def _series(size: Size) -> tuple[list[np.ndarray], np.ndarray]:
    """Sequences of sixty positions, ten at least, that switch between two levels, in every second one more often."""
    rng = np.random.default_rng(0)
    count = max(size.n // 60, 10)
    y, length = np.arange(count) % 2, max(size.n // count, 6)
    state = np.cumsum(rng.random((count, length)) < np.array([0.1, 0.5])[y][:, np.newaxis], axis=1) % 2
    levels = rng.normal(size=(2, size.p))
    return list(levels[state] + 0.5 * rng.normal(size=(count, length, size.p))), y


def _lives(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Lives that the columns lengthen or shorten, a third of them cut off."""
    X, signal = make_regression(size.n, size.p, n_informative=max(4, size.p // 2), noise=10.0, random_state=0)
    life = np.exp(signal / signal.std())
    seen = np.random.default_rng(0).exponential(2 * np.median(life), size.n)
    y = np.empty(size.n, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = life <= seen, np.minimum(life, seen)
    return X, y


def _sentences(size: Size) -> tuple[pl.DataFrame, np.ndarray]:
    """Sentences of ten words; a label depends on the one before, a word on its label, few words are common."""
    rng = np.random.default_rng(0)
    labels = np.cumsum(rng.choice(3, size=size.n, p=(0.6, 0.3, 0.1))) % size.k
    ranks = np.minimum(rng.zipf(1.3, size.n), 500)
    words = [f"w{label}x{rank}" for label, rank in zip(labels, ranks)]
    frame = pl.DataFrame({"sentence": np.arange(size.n) // 10, "form": words})
    return frame, np.char.add("L", labels.astype(str))
