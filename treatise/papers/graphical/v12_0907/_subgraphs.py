"""Gaussian variables in small connected groups, and the same with uniform columns."""

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_random_state

DIAGONAL = 62.0


def make_subgraph_gaussian(
    n_samples: int,
    n_features: int = 100,
    *,
    gaussian: bool = True,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose precision matrix joins the columns in random connected groups of two to eight, with cycles.

    The diagonal of the precision is 62, and its other entries within a group are uniform between -30 and -10. How a
    group is joined is not told in the paper: here by a random tree and up to two further pairs, drawn anew until the
    least eigenvalue exceeds a tenth of the diagonal.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int, default=100
        Number of columns.
    gaussian : bool, default=True
        Whether to leave the columns Gaussian, with mean 1/2. False replaces each by its empirical distribution
        function: the graph is the same, and every column is uniform.
    random_state : int, RandomState or None, default=None
        Draws the graph and the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    precision : ndarray of shape (n_features, n_features)
        Of the Gaussian rows.

    References
    ----------
    .. [1] Liu, Xu, Gu, Gupta, Lafferty & Wasserman, JMLR 12:907-951, 2011, Section 6.1.
    """
    generator = check_random_state(random_state)
    precision = np.zeros((n_features, n_features))
    columns = generator.permutation(n_features)
    while len(columns):
        size = int(generator.randint(2, 9))
        group, columns = columns[:size], columns[size:]
        precision[np.ix_(group, group)] = _connected(len(group), generator)
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    X = 0.5 + generator.standard_normal((n_samples, n_features)) @ factor.T
    return (X if gaussian else rankdata(X, axis=0) / n_samples), precision


def _connected(size: int, generator: np.random.RandomState) -> np.ndarray:
    """Precision matrix of one group."""
    while True:
        block = DIAGONAL * np.eye(size)
        pairs = [(node, int(generator.randint(node))) for node in range(1, size)]
        if size > 2:
            pairs += [tuple(generator.choice(size, 2, replace=False)) for _ in range(2)]
        for a, b in pairs:
            block[a, b] = block[b, a] = -generator.uniform(10, 30)
        if np.linalg.eigvalsh(block)[0] > DIAGONAL / 10:
            return block
