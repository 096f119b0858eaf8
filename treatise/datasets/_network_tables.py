"""Binary tables drawn from random Bayesian networks (Dash & Cooper, JMLR 5:1177, Procedure 4)."""

import numpy as np
from sklearn.utils import check_random_state


def make_network_table(
    n_samples: int = 1000,
    *,
    n_nodes: int = 20,
    max_parents: int = 5,
    concentration: float = 1.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Rows of binary variables from a random Bayesian network of any density.

    The variables are put in a random order; each has from 1 to ``max_parents`` parents, drawn among the earlier ones
    (fewer where there are not as many). A probability is drawn only for configurations of parents that come up, so
    that a variable may have a hundred parents.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows. Draw training and test rows of one network together.
    n_nodes : int, default=20
        Number of variables.
    max_parents : int, default=5
        Most parents of a variable.
    concentration : float, default=1.0
        Probabilities follow a beta distribution with both parameters equal to this: 1 is uniform, less is nearer to
        certainty. The paper does not say which it used.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of int8 of shape (n_samples, n_nodes)
        Zeros and ones.
    parents : list of tuple of int
        Parents of each variable.

    Examples
    --------
    >>> from treatise.datasets import make_network_table
    >>> X, parents = make_network_table(5, n_nodes=4, max_parents=2, random_state=0)
    >>> X.shape, max(map(len, parents))
    ((5, 4), 2)
    """
    random = check_random_state(random_state)
    order = random.permutation(n_nodes)
    X = np.zeros((n_samples, n_nodes), dtype=np.int8)
    parents: list[tuple[int, ...]] = [()] * n_nodes
    for position, node in enumerate(order):
        n_parents = min(random.randint(1, max_parents + 1), position)
        own = np.sort(random.choice(order[:position], n_parents, replace=False)) if n_parents else order[:0]
        parents[node] = tuple(own.tolist())
        configurations = np.packbits(X[:, own], axis=1) if n_parents else np.zeros((n_samples, 1), dtype=np.uint8)
        seen, number = np.unique(configurations, axis=0, return_inverse=True)
        probability = random.beta(concentration, concentration, len(seen))
        X[:, node] = random.uniform(size=n_samples) < probability[number.ravel()]
    return X, parents
