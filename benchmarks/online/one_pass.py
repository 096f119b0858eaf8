"""One pass of an online learner: against scikit-learn's stochastic gradient descent, River, and over sizes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from benchmarks._contest import Contest, Scaling, left_out
from treatise.datasets import load_table
from treatise.online import AROW, OnlineGradientDescent, OnlinePerceptron, PassiveAggressive
from treatise.papers.online.v15_0495 import ijcnn1

ONCE_IN_ORDER = {"n_passes": 1, "fit_intercept": False, "shuffle": False}


def benchmarks() -> Iterator[Contest | Scaling]:
    """Sparse a9a and dense ijcnn1 in the order of the files, then rising numbers of non-zeros."""
    table = load_table("libsvm/a9a")
    data = {"a9a, sparse": table.arrays(), "ijcnn1, dense": ijcnn1()}
    one_pass = {"penalty": None, "max_iter": 1, "tol": None, "shuffle": False, "fit_intercept": False}
    pairs = {
        "Perceptron": (
            OnlinePerceptron(**ONCE_IN_ORDER),
            SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, **one_pass),
        ),
        "hinge loss": (
            OnlineGradientDescent(**ONCE_IN_ORDER),
            SGDClassifier(loss="hinge", learning_rate="invscaling", eta0=1.0, power_t=0.5, **one_pass),
        ),
        "PA-I": (
            PassiveAggressive(1.0, **ONCE_IN_ORDER),
            SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0, **one_pass),
        ),
    }
    for name, (X, y) in data.items():
        for rule, (ours, theirs) in pairs.items():
            yield Contest(
                work=f"{rule}, one pass over {name} ({X.shape[0]} rows); quality is the accuracy on them",
                peer="scikit-learn",
                ours=lambda ours=ours, X=X, y=y: ours.fit(X, y),
                theirs=lambda theirs=theirs, X=X, y=y: theirs.fit(X, y),
                quality=lambda learner, X=X, y=y: learner.score(X, y),
                warm_up=lambda ours=ours, X=X, y=y: ours.fit(X, y),
                repeats=20,
            )
    yield from _against_river(*data["a9a, sparse"])
    for learner in (PassiveAggressive(**ONCE_IN_ORDER), AROW(**ONCE_IN_ORDER)):
        yield Scaling(
            work=f"{type(learner).__name__}, one pass over 20 000 rows of 100 000 features, by non-zeros",
            sizes=(200_000, 800_000, 3_200_000, 12_800_000),
            prepare=lambda n_values, learner=learner: _pass(learner, n_values),
            warm_up=lambda learner=learner: _pass(learner, 200_000)(),
        )


def _against_river(X: Any, y: np.ndarray) -> Iterator[Contest]:
    """Predict, then learn, row by row; quality is the number of mistakes on the way.

    The values of a9a are all 1, so that a score of a Perceptron is often exactly zero, which River gives to the first
    class and we to the second. Values that differ in their ninth digit leave one such row, the very first.
    """
    try:
        from river import linear_model
    except ImportError:
        left_out("the contests with River are left out: it is not installed (pip install river)")
        return
    X = X.copy()
    X.data = X.data * (1.0 + 1e-9 * np.random.default_rng(0).standard_normal(X.nnz))
    bounds = zip(X.indptr, X.indptr[1:])
    rows = [dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist())) for a, b in bounds]
    labels = y > 0
    pairs = {
        "PA-I": (
            PassiveAggressive(1.0, **ONCE_IN_ORDER),
            lambda: linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False),
        ),
        "Perceptron with an intercept": (OnlinePerceptron(n_passes=1, shuffle=False), linear_model.Perceptron),
        # River has no rule of ours with a second order; this is its own, of the same cost.
        "AROW against River's AdPredictor": (AROW(**ONCE_IN_ORDER), linear_model.AdPredictor),
    }
    for rule, (ours, theirs) in pairs.items():
        yield Contest(
            work=f"{rule}, one pass over a9a ({X.shape[0]} rows); quality is the number of mistakes",
            peer="river",
            ours=lambda ours=ours: ours.fit(X, labels).n_mistakes_,
            theirs=lambda theirs=theirs: _mistakes(theirs(), rows, labels.tolist()),
            quality=float,
            warm_up=lambda ours=ours: ours.fit(X, labels),
            repeats=5,
        )


def _mistakes(learner: Any, rows: list[dict[int, float]], labels: list[bool]) -> int:
    wrong = 0
    for row, label in zip(rows, labels):
        wrong += learner.predict_one(row) != label
        learner.learn_one(row, label)
    return wrong


def _pass(learner, n_values):
    rng = np.random.default_rng(0)
    per_row = n_values // 20_000
    columns = np.sort(rng.integers(0, 100_000, (20_000, per_row)), axis=1).ravel()
    pointers = np.arange(0, n_values + 1, per_row)
    X = sparse.csr_matrix((rng.normal(size=n_values), columns.astype(np.int32), pointers), shape=(20_000, 100_000))
    X.sum_duplicates()
    y = rng.integers(0, 2, 20_000)
    return lambda: learner.fit(X, y)
