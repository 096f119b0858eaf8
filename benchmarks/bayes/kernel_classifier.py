"""Bayesian kernel classifiers against scikit-learn's Gaussian process, and their cost over rows."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from benchmarks._contest import Contest, Scaling
from treatise.bayes import BayesianKernelClassifier
from treatise.datasets import make_ringnorm, make_twonorm

ROWS, NEW = 2000, 2000


def benchmarks() -> Iterator[Contest | Scaling]:
    """Twonorm and ringnorm of 2000 rows, 10 000 sweeps against a kernel fitted by evidence; then more rows."""
    for make in (make_twonorm, make_ringnorm):
        name = make.__name__.removeprefix("make_")
        X, y = make(ROWS + NEW, random_state=0)
        yield Contest(
            work=f"{name}, {ROWS} rows: 10 000 sweeps, at most 200 active rows, and {NEW} probabilities, against a "
            "Gaussian process of highest evidence; quality: log-loss",
            peer="scikit-learn",
            ours=partial(_ours, X, y, 5000),
            theirs=partial(_gaussian_process, X, y),
            quality=lambda chances, truth=y[ROWS:]: float(log_loss(truth, chances)),
            warm_up=partial(_ours, X[: ROWS + 50], y[: ROWS + 50], 20),
            repeats=1,
        )
    yield Scaling(
        work="BayesianKernelClassifier, 200 sweeps, at most 200 active rows, over rows",
        sizes=(5000, 10_000, 20_000),
        prepare=_sweeps,
        warm_up=_sweeps(500),
    )


def _ours(X: np.ndarray, y: np.ndarray, half: int) -> np.ndarray:
    model = BayesianKernelClassifier(burn_in=half, n_samples=half, max_active=200, random_state=0, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X[:ROWS], y[:ROWS]).predict_proba(X[ROWS:])


def _gaussian_process(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF

    return GaussianProcessClassifier(1.0 * RBF(5.0)).fit(X[:ROWS], y[:ROWS]).predict_proba(X[ROWS:])


def _sweeps(n: int) -> Any:
    """Rows whose class changes so often that many rows must be active."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(n, 2))
    y = np.sin(3 * X[:, 0]) * np.sin(3 * X[:, 1]) > 0

    def work() -> float:
        model = BayesianKernelClassifier(
            width=0.5, burn_in=100, n_samples=100, n_moves=2, max_active=200, random_state=0, verbose=False
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return float(model.fit(X, y).n_active_trace_.mean())

    return work
