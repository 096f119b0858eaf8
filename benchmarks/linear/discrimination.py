"""Multi-task discrimination: beside as many separate support vector machines, which set the unit of cost."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks._contest import Contest
from treatise.datasets import make_shared_features
from treatise.linear import MultiTaskMEDClassifier


def benchmarks() -> Iterator[Contest]:
    """Ten tasks that share features, at alpha 10."""
    X, y, tasks = make_shared_features(10, 200, random_state=0)
    yield Contest(
        work="multi-task discrimination, alpha 10, 10 tasks of 200 rows and 50 features, beside separate machines; "
        "quality: training accuracy",
        peer="scikit-learn",
        ours=lambda: MultiTaskMEDClassifier(alpha=10.0, tol=1e-3).fit(X, y, tasks=tasks).predict(X, tasks),
        theirs=lambda: _separate(X, y, tasks),
        quality=lambda labels: float(np.mean(labels == y)),
        warm_up=lambda: MultiTaskMEDClassifier().fit(X[:200], y[:200]),
    )


def _separate(X: np.ndarray, y: np.ndarray, tasks: np.ndarray) -> Any:
    labels = np.empty(len(y), int)
    for task in np.unique(tasks):
        own = tasks == task
        labels[own] = SVC(kernel="linear").fit(X[own], y[own]).predict(X[own])
    return labels
