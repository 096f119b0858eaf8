"""Generative learning from few labels: a whole fit beside self-training, and one evaluation of the objective."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._contest import Contest, Scaling, Work
from treatise.semisupervised import SemiSupervisedGenerative
from treatise.semisupervised.generative._densities import DENSITIES
from treatise.semisupervised.generative._objective import Objective, weights_of


def benchmarks() -> Iterator[Contest | Scaling]:
    """Five classes of which 1 % of the rows have a label."""
    X, y, known = few_labels(50_000)
    yield Contest(
        work="fit to 50 000 rows x 20 features, 5 classes, 1 % labelled; quality: accuracy on all rows",
        peer="scikit-learn",
        ours=lambda: SemiSupervisedGenerative("diag").fit(X, known),
        theirs=lambda: _self_training(X, known),
        quality=lambda model: float(model.score(X, y)),
    )
    yield Scaling(
        work="objective and gradient, diagonal normal densities, 20 features, 5 classes, over rows",
        sizes=(100_000, 300_000, 1_000_000),
        prepare=_evaluation,
    )


def few_labels(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal classes in 20 columns, their labels, and the same with -1 for 99 in 100."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n)
    X = rng.normal(size=(n, 20)) + 0.8 * rng.normal(size=(5, 20))[y]
    return X, y, np.where(np.arange(n) % 100 == 0, y, -1)


def _self_training(X: np.ndarray, known: np.ndarray) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.semi_supervised import SelfTrainingClassifier

    return SelfTrainingClassifier(LogisticRegression()).fit(X, known)


def _evaluation(n: int) -> Work:
    X, _, known = few_labels(n)
    codes = known[known >= 0]
    density = DENSITIES["diag"](5, 20, np.bincount(codes), 3.0, 1e-6)
    weights = weights_of("unbiased", len(codes), n - len(codes))
    objective = Objective(density, X[known >= 0], codes, X[known < 0], weights)
    theta = objective.supervised()
    return lambda: objective(theta)
