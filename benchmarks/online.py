"""One pass of an online learner: against scikit-learn's stochastic gradient descent, and over sizes."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from benchmarks._contest import Contest, Scaling
from treatise.datasets import load_ijcnn1, locate
from treatise.io import read_table
from treatise.online import AROW, OnlineGradientDescent, OnlinePerceptron, PassiveAggressive


def benchmarks() -> Iterator[Contest | Scaling]:
    """Sparse a9a and dense ijcnn1 in the order of the files, then rising numbers of non-zeros."""
    table = read_table(locate("libsvm/a9a"), format="libsvm")
    data = {"a9a, sparse": (table.matrix, table.frame["label"].to_numpy()), "ijcnn1, dense": load_ijcnn1()}
    one_pass = {"penalty": None, "max_iter": 1, "tol": None, "shuffle": False, "fit_intercept": False}
    pairs = {
        "Perceptron": (
            OnlinePerceptron(), SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, **one_pass)
        ),
        "hinge loss": (
            OnlineGradientDescent(), SGDClassifier(loss="hinge", learning_rate="constant", eta0=0.1, **one_pass)
        ),
        "PA-I": (PassiveAggressive(), SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0, **one_pass)),
    }  # fmt: skip
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
    for learner in (PassiveAggressive(), AROW()):
        yield Scaling(
            work=f"{type(learner).__name__}, one pass over 20 000 rows of 100 000 features, by non-zeros",
            sizes=(200_000, 800_000, 3_200_000, 12_800_000),
            prepare=lambda n_values, learner=learner: _pass(learner, n_values),
            warm_up=lambda learner=learner: _pass(learner, 200_000)(),
        )


def _pass(learner, n_values):
    rng = np.random.default_rng(0)
    per_row = n_values // 20_000
    columns = np.sort(rng.integers(0, 100_000, (20_000, per_row)), axis=1).ravel()
    pointers = np.arange(0, n_values + 1, per_row)
    X = sparse.csr_matrix((rng.normal(size=n_values), columns.astype(np.int32), pointers), shape=(20_000, 100_000))
    X.sum_duplicates()
    y = rng.integers(0, 2, 20_000)
    return lambda: learner.fit(X, y)
