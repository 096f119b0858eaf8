"""Signed networks: made ones with camps, and real ones of votes and trust."""

from importlib import import_module

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.statistics.undirected_signs import without_directions

REAL = {
    "wikielections": "signed/wikielections.csv",
    "bitcoinalpha": "signed/bitcoinalpha.csv",
    "congress": "signed/congress.csv",
    "slashdot": "signed/slashdot_UD.mat",
}


def make_signed_network(
    sizes: ArrayLike,
    *,
    sparsity: float = 0.1,
    noise: float = 0.0,
    sampling: str = "uniform",
    random_state: int | None = None,
) -> tuple[sparse.csr_array, np.ndarray]:
    """A weakly balanced network of which a part is seen: friends inside camps, foes between them.

    Parameters
    ----------
    sizes : array-like of int
        Nodes of each camp.
    sparsity : float, default=0.1
        Share of the pairs that are seen.
    noise : float, default=0
        Share of the seen signs that are turned.
    sampling : {"uniform", "powerlaw"}, default="uniform"
        Whether pairs are seen evenly, or some nodes far more often than others (expected degrees of a power law, as
        Chung, Lu and Vu draw them).
    random_state : int or None, default=None
        Draws.

    Returns
    -------
    A : csr_array of shape (n, n)
        Symmetric, of -1 and 1.
    camps : ndarray of int of shape (n,)
        Camp of each node.

    Examples
    --------
    >>> from treatise.datasets import make_signed_network
    >>> A, camps = make_signed_network([3, 1, 2], sparsity=1.0)
    >>> A.toarray()[0].astype(int).tolist()
    [0, 1, 1, -1, -1, -1]
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    if sizes.ndim != 1 or not len(sizes) or (sizes < 1).any():
        raise ValueError(f"sizes={sizes.tolist()} must be numbers of nodes, one or more for each camp")
    if not (0 <= sparsity <= 1 and 0 <= noise <= 1):
        raise ValueError(f"sparsity={sparsity} and noise={noise} must lie between 0 and 1")
    if sampling not in ("uniform", "powerlaw"):
        raise ValueError(f"sampling={sampling!r} must be 'uniform' or 'powerlaw'")
    rng = np.random.default_rng(random_state)
    camps = np.repeat(np.arange(len(sizes)), sizes)
    n = len(camps)
    weight = np.ones(n) if sampling == "uniform" else (1.0 + rng.permutation(n)) ** -0.5
    parts = []
    for i in range(n - 1):
        # The average over all pairs is the sparsity; a chance above one is cut.
        chance = np.minimum(sparsity * weight[i] * weight[i + 1 :] / weight.mean() ** 2, 1.0)
        j = i + 1 + np.flatnonzero(rng.random(n - i - 1) < chance)
        parts.append(np.stack([np.full(len(j), i), j]))
    rows, columns = np.concatenate(parts, axis=1) if parts else np.empty((2, 0), dtype=np.int64)
    signs = np.where(camps[rows] == camps[columns], 1.0, -1.0)
    signs[rng.random(len(signs)) < noise] *= -1.0
    half = sparse.csr_array((signs, (rows, columns)), shape=(n, n))
    return sparse.csr_array(half + half.T), camps


def load_signed_network(name: str) -> sparse.csr_array:
    """A real signed network from the data home, without directions.

    Parameters
    ----------
    name : {"wikielections", "bitcoinalpha", "congress", "slashdot"}
        Votes on administrators of Wikipedia, trust among traders, mentions in the US Congress, or a part of Slashdot
        with 7 000 users (which needs the extra ``data``).

    Returns
    -------
    A : csr_array of shape (n, n)
        Symmetric, of -1 and 1; weights are reduced to their signs, pairs that contradict each other are left out.
    """
    if name not in REAL:
        raise ValueError(f"no signed network is called {name!r}; there are {', '.join(REAL)}")
    path = locate(REAL[name])
    if name == "slashdot":
        try:
            h5py = import_module("h5py")
        except ImportError:
            raise TreatiseError(
                f"{path.name} is an HDF5 file, and the package h5py is absent: pip install h5py"
            ) from None
        with h5py.File(path) as file:
            A = sparse.csr_array(file["Gwl_ud"][:].astype(np.float64))
    else:
        table = pl.read_csv(path, has_header=False, new_columns=["from", "to", "sign"])
        nodes, ends = np.unique(table.select("from", "to").to_numpy(), return_inverse=True)
        ends = ends.reshape(-1, 2)
        shape = (len(nodes), len(nodes))
        A = sparse.csr_array(
            (np.sign(table["sign"].to_numpy()).astype(np.float64), (ends[:, 0], ends[:, 1])), shape=shape
        )
    A.data = np.sign(A.data)
    A.setdiag(0.0)
    return without_directions(A)
