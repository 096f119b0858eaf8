"""Logistic regression to the same objective by bounds and by L-BFGS; a partition tree against one score per class."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import scale

from benchmarks._contest import Contest, Scaling
from treatise.datasets import make_hypercube_gaussians
from treatise.linear import MajorizedLogisticRegression
from treatise.online import PartitionTreeClassifier


def benchmarks() -> Iterator[Contest | Scaling]:
    """Small tables at the usual penalty, a larger one, one badly scaled; then predictions over classes."""
    for name, (X, y) in logistic_tables().items():
        yield Contest(
            work=f"logistic regression, C = 1, gradient below 1e-6 a row: {name}, {X.shape[0]} x {X.shape[1]}, "
            f"{len(np.unique(y))} classes",
            peer="scikit-learn",
            ours=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X, y),
            theirs=partial(_fitted, LogisticRegression(tol=1e-6, max_iter=100_000), X, y),
            quality=partial(_objective, X, y),
            warm_up=partial(_fitted, MajorizedLogisticRegression(tol=1e-6), X, y),
            repeats=5,
        )
    # Each from as many examples as bring it to about the same accuracy: the tree needs more, and costs less to train.
    tree = PartitionTreeClassifier(n_passes=3, random_state=0).fit(*make_hypercube_gaussians(1024, 150, random_state=0))
    X, y = make_hypercube_gaussians(1024, 30, random_state=0)
    X_test, y_test = make_hypercube_gaussians(1024, 20, random_state=1)
    linear = SGDClassifier(loss="log_loss", max_iter=5, tol=None, random_state=0).fit(X, y)
    yield Contest(
        work="predict 20 480 rows of 10 features among 1024 classes: partition tree against one logistic score a class",
        peer="scikit-learn",
        ours=lambda: tree.predict(X_test),
        theirs=lambda: linear.predict(X_test),
        quality=lambda labels: float(np.mean(labels == y_test)),
        warm_up=lambda: tree.predict(X_test[:10]),
    )
    yield Scaling(
        work="partition tree: predict 20 000 rows, over classes",
        sizes=(64, 512, 4096),
        prepare=partial(_prediction, PartitionTreeClassifier(random_state=0)),
        warm_up=_prediction(PartitionTreeClassifier(random_state=0), 8),
    )
    yield Scaling(
        work="one logistic score a class (scikit-learn): predict 20 000 rows, over classes",
        sizes=(64, 512, 2048),
        prepare=partial(_prediction, SGDClassifier(loss="log_loss", max_iter=1, tol=None)),
    )
    yield Scaling(
        work="partition tree: one pass over 60 examples a class, over classes",
        sizes=(64, 512, 4096),
        prepare=_pass,
        warm_up=_pass(8),
    )


def logistic_tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name, features and classes."""
    wide, classes = make_classification(10_000, 20, n_informative=15, n_classes=5, random_state=0)
    digits, digit = load_digits(return_X_y=True)
    found = {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": (digits, digit),
        "made": (wide, classes),
    }
    tables = {name: (scale(X), y) for name, (X, y) in found.items()}
    crooked = tables["made"][0] * 10.0 ** np.linspace(0.0, -1.5, 20)
    return {**tables, "made, columns of scales 1 to 0.03": (crooked, classes)}


def _fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    return model.fit(X, y)


def _objective(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    scores = np.atleast_2d(model.decision_function(X).T).T
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    codes = np.searchsorted(model.classes_, y)
    loss = np.sum(logsumexp(scores, axis=1) - scores[np.arange(len(y)), codes])
    return float(loss + 0.5 * np.sum(model.coef_**2))


def _prediction(model: Any, n_classes: int) -> Any:
    X, y = make_hypercube_gaussians(n_classes, 20, random_state=0)
    model.fit(X, y)
    rows = np.resize(X, (20_000, X.shape[1]))
    return lambda: model.predict(rows)


def _pass(n_classes: int) -> Any:
    X, y = make_hypercube_gaussians(n_classes, 60, random_state=0)
    return lambda: PartitionTreeClassifier(random_state=0).fit(X, y)
