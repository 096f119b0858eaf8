"""Pairwise coupling: against the Bradley-Terry fit of a peer, the SVM's own probabilities, and over classes."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling, left_out
from treatise.svm import PairwiseCouplingClassifier, pairwise_coupling


def benchmarks() -> Iterator[Contest | Scaling]:
    """NumPy's stacked solver, choix row by row, scikit-learn's one against one, and the cost over classes."""
    R = noisy_pairs(100_000, 10)
    yield Contest(
        work="least-squares coupling of 100 000 rows of 10 classes, against numpy.linalg.solve on the stack",
        peer="numpy",
        ours=lambda: pairwise_coupling(R),
        theirs=lambda: _stacked(R),
        quality=lambda P: float(P[:, 0].mean()),
        warm_up=lambda: pairwise_coupling(R[:2]),
    )
    yield Contest(
        work="least-squares coupling of 5 000 rows of 10 classes, against a loop of numpy.linalg.solve",
        peer="numpy",
        ours=lambda: pairwise_coupling(R[:5000]),
        theirs=lambda: np.concatenate([_stacked(R[row : row + 1]) for row in range(5000)]),
        quality=lambda P: float(P[:, 0].mean()),
        warm_up=lambda: pairwise_coupling(R[:2]),
    )
    try:
        import choix  # noqa: F401
    except ImportError:
        left_out("choix is absent: the contest over Hastie & Tibshirani's coupling is left out (pip install choix)")
    else:
        few = R[:200]
        yield Contest(
            work="Hastie-Tibshirani coupling (Bradley-Terry) of 200 rows of 10 classes, tolerance 1e-8",
            peer="choix",
            ours=lambda: pairwise_coupling(few, "hastie_tibshirani", tol=1e-8),
            theirs=lambda: _bradley_terry(few),
            quality=lambda P: float(P[:, 0].mean()),
            warm_up=lambda: pairwise_coupling(R[:2], "hastie_tibshirani"),
        )
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    svm = SVC(C=8, gamma=0.001)
    yield Contest(
        work="digits, 899 rows: one-against-one SVMs with coupled probabilities, against votes without any",
        peer="scikit-learn",
        ours=lambda: PairwiseCouplingClassifier(svm).fit(X[train], y[train]).predict(X[test]),
        theirs=lambda: OneVsOneClassifier(svm).fit(X[train], y[train]).predict(X[test]),
        quality=lambda labels: float(np.mean(labels == y[test])),
        warm_up=lambda: PairwiseCouplingClassifier(svm).fit(X[:100], y[:100]).predict(X[:10]),
    )
    yield Contest(
        work="digits, 899 rows: probabilities of SVMs, coupled here and by the calibrated multi-class SVM (log loss)",
        peer="scikit-learn",
        ours=lambda: PairwiseCouplingClassifier(svm).fit(X[train], y[train]).predict_proba(X[test]),
        theirs=lambda: _calibrated(svm).fit(X[train], y[train]).predict_proba(X[test]),
        quality=lambda P: float(log_loss(y[test], P)),
        warm_up=lambda: PairwiseCouplingClassifier(svm).fit(X[:100], y[:100]).predict(X[:10]),
    )
    for method in ("least_squares", "markov", "hastie_tibshirani"):
        yield Scaling(
            work=f"{method} coupling of 10 000 rows, over classes",
            sizes=(5, 10, 20, 40),
            prepare=partial(_coupling, method),
            warm_up=_coupling(method, 3),
        )


def noisy_pairs(n_samples: int, n_classes: int) -> np.ndarray:
    """Random pairwise probabilities that contradict one another."""
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(n_classes, 1)
    R = np.full((n_samples, n_classes, n_classes), 0.5)
    p = rng.dirichlet(np.ones(n_classes), size=n_samples)
    r = np.clip(p[:, first] / (p[:, first] + p[:, second]) + 0.1 * rng.normal(size=(n_samples, len(first))), 0.01, 0.99)
    R[:, first, second], R[:, second, first] = r, 1 - r
    return R


def _coupling(method: str, n_classes: int) -> Any:
    R = noisy_pairs(10_000, n_classes)
    return lambda: pairwise_coupling(R, method)


def _calibrated(svm: SVC) -> Any:
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(svm, ensemble=False)


def _stacked(R: np.ndarray) -> np.ndarray:
    """The bordered system (23) of every row."""
    n, k, _ = R.shape
    transposed = R.transpose(0, 2, 1)
    bordered = np.zeros((n, k + 1, k + 1))
    bordered[:, :k, :k] = -transposed * R
    diagonal = np.arange(k)
    bordered[:, diagonal, diagonal] = (transposed**2).sum(axis=2) - 0.25
    bordered[:, :k, k] = bordered[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    return np.linalg.solve(bordered, right)[:, :k, 0]


def _bradley_terry(R: np.ndarray) -> np.ndarray:
    import choix

    P = []
    for row in R:
        wins = row.copy()
        np.fill_diagonal(wins, 0.0)
        p = np.exp(choix.ilsr_pairwise_dense(wins, max_iter=1000, tol=1e-8))
        P.append(p / p.sum())
    return np.array(P)
