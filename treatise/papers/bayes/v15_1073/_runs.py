"""What the parts of the experiment share: the paper's settings, plain allocation with a machine, runs over seeds."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from treatise.statistics.topics import CollapsedTopics, infer_shares, tokens_of, whole_counts

ALPHA, BETA = 1.0, 0.01
TWO_CLASSES = {"margin": 164.0, "n_burn": 10, "n_samples": 1, "n_infer_samples": 10}
"""Section 6.1: alpha = 1, l = 164, M = 10, c = 1, and the last draw alone."""
MANY_CLASSES = {"margin": 64.0, "n_burn": 30, "n_samples": 1, "n_infer_samples": 10}
"""Section 6.3: l = 64; Figure 8: about 30 sweeps."""


class Split(NamedTuple):
    """Documents to learn from and to judge by."""

    train: Any
    test: Any
    train_labels: np.ndarray
    test_labels: np.ndarray


class Spread(NamedTuple):
    """Mean over runs and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Any) -> "Spread":
        values = np.asarray(values, dtype=float)
        return cls(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def fitted(model: Any, split: Split) -> Any:
    """Fit without a word on chains that the paper, too, cuts short."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(split.train, split.train_labels)


def accuracy(model: Any, split: Split) -> float:
    """Of a model that is fitted first."""
    return float(fitted(model, split).score(split.test, split.test_labels))


def allocation_shares(split: Split, n_topics: int, seed: int, n_sweeps: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Shares of topics in both parts by plain allocation ("GibbsLDA"), learned without labels."""
    train, test = (tokens_of(whole_counts(part)) for part in (split.train, split.test))
    state = CollapsedTopics(train, n_topics, ALPHA / n_topics, BETA, np.random.default_rng(seed))
    for _ in range(n_sweeps):
        state.sweep()
    words = state.word_shares()
    found = [infer_shares(part, words, ALPHA / n_topics, seed=seed) for part in (train, test)]
    return found[0], found[1]


def allocation_accuracy(split: Split, n_topics: int, seed: int) -> float:
    """Of plain allocation and a linear support vector machine on its shares."""
    train, test = allocation_shares(split, n_topics, seed)
    return float(LinearSVC(random_state=0).fit(train, split.train_labels).score(test, split.test_labels))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of some work, and what it returned."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found
