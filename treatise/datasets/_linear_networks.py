"""Linear networks with heavy-tailed disturbances (JMLR 12:863)."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class LinearNetworkData(NamedTuple):
    """Rows drawn from a linear model, and the model.

    ``weights`` has row child and column parent (B); ``order`` is one with causes first; ``mixing`` is the factor model
    ``X = sources @ mixing.T``. A factor model that is no DAG has ``weights`` and ``order`` None.
    """

    X: np.ndarray
    weights: np.ndarray | None
    order: np.ndarray | None
    mixing: np.ndarray

    def admits(self, order: np.ndarray) -> bool:
        """Whether all edges run along an order."""
        if self.weights is None:
            return False
        rank = np.argsort(order)
        child, parent = np.nonzero(self.weights)
        return bool((rank[parent] < rank[child]).all())


def make_linear_network(
    n_samples: int = 500,
    n_variables: int = 5,
    *,
    density: float = 0.5,
    balanced: bool = False,
    n_latent: int = 0,
    structure: np.ndarray | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> LinearNetworkData:
    """Rows of a random linear DAG with heavy-tailed disturbances, in random order of the columns.

    Weights have random signs and sizes uniform in [0.5, 1.5]; disturbances are powers of normal variables with
    exponents uniform in [1.2, 2], scaled to unit variance. Columns are left in their units.

    Parameters
    ----------
    n_samples, n_variables : int
        Size of the table.
    density : float, default=0.5
        Probability of each possible edge; 1 for a dense graph.
    balanced : bool, default=False
        Scale weights and disturbances as in the experiments on LiNGAM: the standard deviation that a variable has from
        its parents, and that from its disturbance, are each uniform in [0.5, 1.5]. Without this the last variables of
        large dense graphs are all but determined by their parents.
    n_latent : int, default=0
        Hidden sources, each of which acts on every variable with probability one half, and on two at least.
    structure : ndarray of bool of shape (n_variables, n_variables) or None, default=None
        Edges, row child and column parent, in place of random ones: lower triangular.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Returns
    -------
    data : LinearNetworkData
        With weights in the units of the columns.
    """
    random = check_random_state(random_state)
    d = n_variables if structure is None else len(structure)
    weights = random.uniform(0.5, 1.5, (d, d)) * random.choice([-1.0, 1.0], (d, d))
    present = random.uniform(size=(d, d)) < density if structure is None else np.asarray(structure, dtype=bool)
    weights = np.where(np.tril(present, -1), weights, 0.0)
    loadings = np.eye(d, d + n_latent)
    if balanced:
        weights, loadings[:, :d] = _balanced(weights, random)
    for column in range(d, d + n_latent):
        touched = random.uniform(size=d) < 0.5
        touched[random.permutation(d)[:2]] = True
        sizes = random.uniform(0.5, 1.5, d) * random.choice([-1.0, 1.0], d)
        loadings[:, column] = np.where(touched, sizes, 0.0)
    sources = heavy_tailed(n_samples, d + n_latent, random)
    mixing = np.linalg.solve(np.eye(d) - weights, loadings)
    places = random.permutation(d)
    order = np.argsort(places)
    return LinearNetworkData(
        np.ascontiguousarray((sources @ mixing.T)[:, places]), weights[np.ix_(places, places)], order, mixing[places]
    )


def _balanced(weights: np.ndarray, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Weights scaled to given deviations from the parents, and the deviations of the disturbances as a diagonal."""
    d = len(weights)
    scaled, deviations = weights.copy(), random.uniform(0.5, 1.5, d)
    covariance = np.zeros((d, d))
    for i in range(d):
        from_parents = np.sqrt(scaled[i, :i] @ covariance[:i, :i] @ scaled[i, :i])
        if from_parents > 0:
            scaled[i] *= random.uniform(0.5, 1.5) / from_parents
        covariance[i, :i] = covariance[:i, i] = scaled[i, :i] @ covariance[:i, :i]
        covariance[i, i] = scaled[i, :i] @ covariance[:i, :i] @ scaled[i, :i] + deviations[i] ** 2
    return scaled, np.diag(deviations)


def make_factor_data(
    n_samples: int = 500,
    n_variables: int = 5,
    *,
    density: float = 0.5,
    random_state: int | np.random.RandomState | None = None,
) -> LinearNetworkData:
    """Rows of a factor model with as many heavy-tailed factors as variables that no DAG describes.

    Loadings are those of :func:`make_linear_network`'s weights; they are drawn anew until no exchange of rows and
    columns makes the matrix triangular, and it is well conditioned.

    Parameters
    ----------
    n_samples, n_variables : int
        Size of the table; at least two variables.
    density : float, default=0.5
        Probability of each loading off the diagonal.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Returns
    -------
    data : LinearNetworkData
        With ``weights`` and ``order`` None.
    """
    if n_variables < 2 or density <= 0:
        raise ValueError(f"{n_variables} variables at density {density} always admit a DAG; raise both")
    random = check_random_state(random_state)
    d = n_variables
    while True:
        sizes = random.uniform(0.5, 1.5, (d, d)) * random.choice([-1.0, 1.0], (d, d))
        mixing = np.where((random.uniform(size=(d, d)) < density) | np.eye(d, dtype=bool), sizes, 0.0)
        if not is_triangular_up_to_exchange(mixing) and np.linalg.cond(mixing) < 20:
            break
    return LinearNetworkData(heavy_tailed(n_samples, d, random) @ mixing.T, None, None, mixing)


def is_triangular_up_to_exchange(matrix: np.ndarray) -> bool:
    """Whether some exchange of rows and of columns makes a square matrix lower triangular.

    Rows with one entry left are taken off together with its column, in any order, until none is left.
    """
    present = np.asarray(matrix) != 0
    rows, columns = list(range(len(present))), list(range(len(present)))
    while rows:
        single = next((row for row in rows if present[row, columns].sum() == 1), None)
        if single is None:
            return False
        columns.remove(next(column for column in columns if present[single, column]))
        rows.remove(single)
    return True


def heavy_tailed(n_samples: int, n_sources: int, random: np.random.RandomState) -> np.ndarray:
    """Independent columns ``sign(g) |g|^q`` of unit variance, each with its own exponent q in [1.2, 2]."""
    exponents = random.uniform(1.2, 2.0, n_sources)
    normal = random.normal(size=(n_samples, n_sources))
    powers = np.sign(normal) * np.abs(normal) ** exponents
    return powers / powers.std(axis=0)
