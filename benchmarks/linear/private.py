"""Private logistic regression: ours against diffprivlib, its exact minimum against scikit-learn, and cost over rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit, log_expit

from benchmarks._contest import Contest, Scaling, left_out
from treatise.linear import PrivateLinearSVC, PrivateLogisticRegression

ALPHA = 1e-3


def table(n_samples: int, n_features: int = 100, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows on the unit sphere, and labels that a logistic model decides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    true = np.random.default_rng(99).normal(size=n_features)
    return X, (rng.random(n_samples) < expit(5.0 * X @ true)).astype(int)


def benchmarks() -> Iterator[Contest | Scaling]:
    """One private fit against the peer's, and the fit without noise to the precision that privacy needs."""
    X, y = table(100_000)
    fresh, labels = table(20_000, seed=1)
    small, few = X[:500], y[:500]
    absence = _why_no_peer(small, few)
    if absence:
        left_out(f"The contest with diffprivlib is left out: {absence}")
    else:
        yield Contest(
            work="private logistic regression, objective perturbation, epsilon 1: 100 000 rows x 100 (accuracy)",
            peer="diffprivlib",
            ours=lambda: PrivateLogisticRegression(1.0, ALPHA, random_state=0).fit(X, y),
            theirs=lambda: _diffprivlib(X, y),
            quality=lambda fitted: float(fitted.score(fresh, labels)),
            warm_up=lambda: PrivateLogisticRegression(random_state=0).fit(small, few),
        )
    yield Contest(
        work="exact minimum of logistic regression: 100 000 rows, 100 features (norm of the gradient that is left)",
        peer="scikit-learn",
        # So large an epsilon leaves noise far below the last digit.
        ours=lambda: PrivateLogisticRegression(1e15, ALPHA, mechanism="output", random_state=0).fit(X, y),
        theirs=lambda: _scikit_learn(X, y),
        quality=lambda fitted: gradient_norm(fitted.coef_[0], X, y),
        warm_up=lambda: PrivateLogisticRegression(random_state=0).fit(small, few),
    )
    for name, learner in (("logistic regression", PrivateLogisticRegression), ("Huber SVM", PrivateLinearSVC)):
        yield Scaling(
            work=f"private {name}, objective perturbation, epsilon 1, 100 features, over rows",
            sizes=(10_000, 30_000, 100_000),
            prepare=lambda n, learner=learner: lambda: learner(1.0, ALPHA, random_state=0).fit(X[:n], y[:n]),
            warm_up=lambda learner=learner: learner(random_state=0).fit(small, few),
        )


def gradient_norm(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Norm of the gradient of the mean loss and the penalty."""
    signs = 2.0 * y - 1.0
    slopes = -signs * np.exp(log_expit(-signs * (X @ w)))
    return float(np.linalg.norm(X.T @ slopes / len(y) + ALPHA * w))


def _scikit_learn(X: np.ndarray, y: np.ndarray) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1 / (len(y) * ALPHA), fit_intercept=False, tol=1e-11, max_iter=10_000).fit(X, y)


def _why_no_peer(X: np.ndarray, y: np.ndarray) -> str:
    """Why diffprivlib cannot be run, or nothing: its release may lag behind scikit-learn's."""
    try:
        _diffprivlib(X, y)
    except (ImportError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _diffprivlib(X: np.ndarray, y: np.ndarray) -> Any:
    from diffprivlib.models import LogisticRegression

    learner = LogisticRegression(
        epsilon=1.0,
        data_norm=1.0,
        C=1 / (len(y) * ALPHA),
        fit_intercept=False,
        tol=1e-10,
        max_iter=10_000,
        random_state=0,
    )
    return learner.fit(X, y)
