"""Multi-category losses: the same objectives by scikit-learn, and the cost of kernels over rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks._contest import Contest, Scaling
from treatise.linear import BackgroundClassifier, KernelMarginClassifier, MarginClassifier

ALPHA = 1e-4


def benchmarks() -> Iterator[Contest | Scaling]:
    """Multinomial logistic regression and one-against-the-rest squared hinge at 100 000 rows; kernels over rows."""
    X, y = sample(100_000, 100, 10)
    C = 1.0 / (ALPHA * len(X))
    yield Contest(
        work="multinomial logistic regression, 100 000 rows, 100 features, 10 classes: objective reached",
        peer="scikit-learn",
        ours=lambda: _fit(BackgroundClassifier(alpha=ALPHA, tol=1e-5), X, y),
        theirs=lambda: _fit(LogisticRegression(C=C, tol=1e-5, max_iter=1000), X, y),
        quality=lambda model: logistic_objective(model, X, y),
        warm_up=lambda: BackgroundClassifier().fit(X[:100], y[:100]),
        repeats=2,
    )
    yield Contest(
        work="one-against-the-rest squared hinge, 100 000 rows, 100 features, 10 classes: objective reached",
        peer="scikit-learn",
        ours=lambda: _fit(MarginClassifier("one_vs_rest", "squared_hinge", alpha=ALPHA, fit_intercept=False), X, y),
        theirs=lambda: _fit(LinearSVC(C=C, dual=False, fit_intercept=False), X, y),
        quality=lambda model: squared_hinge_objective(model, X, y),
        warm_up=lambda: MarginClassifier("one_vs_rest", "squared_hinge").fit(X[:100], y[:100]),
        repeats=2,
    )
    yield Scaling(
        work="constrained logistic loss, 50 features, 5 classes, over rows",
        sizes=(3_000, 10_000, 30_000),
        prepare=_linear,
        warm_up=_linear(100),
    )
    yield Scaling(
        work="constrained squared hinge with a Gaussian kernel, 20 features, 5 classes, over rows",
        sizes=(250, 500, 1000, 2000),
        prepare=_kernel,
        warm_up=_kernel(100),
    )


def sample(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes drawn with the probabilities of random linear scores."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, k)) * (3.0 / np.sqrt(p))
    return X, np.argmax(scores + rng.gumbel(size=(n, k)), axis=1)


def logistic_objective(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Mean loss and penalty."""
    scores = X @ model.coef_.T + model.intercept_
    loss = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
    return float(loss.mean() + 0.5 * ALPHA * np.square(model.coef_).sum())


def squared_hinge_objective(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Mean loss and penalty."""
    signs = np.where(np.arange(len(model.classes_)) == y[:, np.newaxis], 1.0, -1.0)
    short = np.maximum(0.0, 1.0 - signs * (X @ model.coef_.T))
    return float(np.square(short).sum(axis=1).mean() + 0.5 * ALPHA * np.square(model.coef_).sum())


def _fit(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    return model.fit(X, y)


def _linear(n: int) -> Any:
    X, y = sample(n, 50, 5)
    return lambda: MarginClassifier().fit(X, y)


def _kernel(n: int) -> Any:
    X, y = sample(n, 20, 5)
    return lambda: KernelMarginClassifier(loss="squared_hinge").fit(X, y)
