"""A perceptron with class distances beside scikit-learn's, and ten thousand small models."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import Perceptron

from benchmarks._contest import Contest, Scaling
from treatise.sequence import GroupedClassifier, StructuredPerceptronClassifier


def benchmarks() -> Iterator[Contest | Scaling]:
    """One pass over digits and over sparse rows of five classes; models of groups over their number."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    small = sparse_table(500)
    for name, table, labels in (("digits, dense", X, y), ("100 000 x 1000, 20 non-zeros, 5 classes", *sparse_table())):
        yield Contest(
            work=f"one pass over {name}; quality: training accuracy",
            peer="scikit-learn",
            ours=lambda X=table, y=labels: StructuredPerceptronClassifier(n_passes=1, random_state=0).fit(X, y),
            theirs=lambda X=table, y=labels: Perceptron(max_iter=1, tol=None, random_state=0).fit(X, y),
            quality=lambda model, X=table, y=labels: float(model.score(X, y)),
            warm_up=lambda: StructuredPerceptronClassifier(n_passes=1).fit(*small).predict(small[0]),
        )
    yield Scaling(
        work="a perceptron for each group of 20 sparse rows, over the groups",
        sizes=(100, 1000, 10_000),
        prepare=lambda n: _fitting(n),
        warm_up=_fitting(10),
    )


def sparse_table(n: int = 100_000, p: int = 1000, active: int = 20) -> tuple[sparse.csr_array, np.ndarray]:
    """Rows of a few indicators, and five classes of their summed weights."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, p, (n, active))
    score = rng.normal(size=p)[columns].sum(axis=1)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    pointers = np.arange(0, n * active + 1, active, dtype=np.int32)
    X = sparse.csr_array((np.ones(n * active), columns.ravel().astype(np.int32), pointers), shape=(n, p))
    X.sum_duplicates()
    return X, y


def _fitting(n_groups: int):
    X, y = sparse_table(20 * n_groups)
    groups = np.arange(len(y)) % n_groups
    base = StructuredPerceptronClassifier(n_passes=5, random_state=0)
    return lambda: GroupedClassifier(base, min_samples=10, fallback="prior").fit(X, y, groups=groups)
