"""Ensembles of machines against one SVC on all rows, and against scikit-learn's loop over base models."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.ensemble import BaggingClassifier
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling
from treatise.svm import EnsembleSVC


def benchmarks() -> Iterator[Contest | Scaling]:
    """100 members on 100 000 rows against SVC, then training and prediction against BaggingClassifier."""
    warm_up = partial(_fit, EnsembleSVC(3, gamma=1.0, random_state=0), *make_moons(300, noise=0.3, random_state=0))
    rows, new = make_moons(100_000, noise=0.2, random_state=0), make_moons(20_000, noise=0.2, random_state=1)
    yield Contest(
        work="moons, 100 000 rows: 100 members of 1 000 against one SVC, C=1, gamma=1: accuracy on 20 000 new rows",
        peer="scikit-learn",
        ours=partial(_fit, EnsembleSVC(100, max_samples=1000, gamma=1.0, random_state=0), *rows),
        theirs=partial(_fit, SVC(gamma=1.0), *rows),
        quality=partial(_accuracy, *new),
        warm_up=warm_up,
        repeats=1,
    )
    rows, new = make_moons(10_000, noise=0.3, random_state=0), make_moons(5_000, noise=0.3, random_state=1)
    ours = EnsembleSVC(50, max_samples=1000, gamma=1.0, random_state=0)
    theirs = BaggingClassifier(SVC(gamma=1.0), 50, max_samples=1000, random_state=0)
    yield Contest(
        work="moons, 10 000 rows: training 50 members of 1 000: accuracy on 5 000 new rows",
        peer="scikit-learn",
        ours=partial(_fit, ours, *rows),
        theirs=partial(_fit, theirs, *rows),
        quality=partial(_accuracy, *new),
        warm_up=warm_up,
    )
    for n_members, trained_on in ((50, 10_000), (100, 100_000)):
        yield _prediction(n_members, trained_on, warm_up)
    yield Scaling(
        work="moons: 100 members of 1 000, over training rows",
        sizes=(10_000, 40_000, 160_000),
        prepare=lambda n: partial(
            _fit,
            EnsembleSVC(100, max_samples=1000, gamma=1.0, random_state=0),
            *make_moons(n, noise=0.3, random_state=0),
        ),
        warm_up=warm_up,
    )


def _prediction(n_members: int, trained_on: int, warm_up: Any) -> Contest:
    """Prediction of the same machines, by the store and one after the other."""
    X, y = make_moons(trained_on, noise=0.3, random_state=0)
    new, truth = make_moons(5_000, noise=0.3, random_state=1)
    ensemble = EnsembleSVC(n_members, max_samples=1000, gamma=1.0, random_state=0).fit(X, y)
    machines = [SVC(gamma=1.0).fit(X[drawn], y[drawn]) for drawn in ensemble.estimators_samples_]
    return Contest(
        work=f"moons: prediction of 5 000 rows by {n_members} members of 1 000 of {trained_on} rows: accuracy",
        peer="scikit-learn",
        ours=partial(ensemble.predict, new),
        theirs=partial(_loop, machines, new),
        quality=lambda labels: 100.0 * float(np.mean(labels == truth)),
        warm_up=warm_up,
    )


def _loop(machines: list[SVC], X: np.ndarray) -> np.ndarray:
    votes = sum(np.sign(machine.decision_function(X)) for machine in machines)
    return (votes > 0).astype(int)


def _fit(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    return model.fit(X, y)


def _accuracy(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    return 100.0 * float(model.score(X, y))
