"""Camps of a signed network: friends inside, foes between (Chiang et al., JMLR 15:1177, section 4.5)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array, within
from treatise.network.signed.completion import project_singular_values
from treatise.network.signed.signs import signs_of_network
from treatise.optimize import factorize_observed


class SignedClustering(ClusterMixin, BaseEstimator):
    """Camps of nodes with mostly positive links inside and negative ones between.

    The network is completed to a matrix of low rank first, which makes camps visible when few pairs are known: its
    leading eigenvectors are clustered by k-means. ``completion=None`` clusters the signed Laplacian of the links as
    they are, which needs many more of them.

    Parameters
    ----------
    n_clusters : int, default=2
        Camps.
    completion : {"als", "svp"} or None, default="als"
        How the network is completed: alternating least squares, singular value projection, or not at all.
    reg : float, default=1
        Penalty of "als".
    max_iter : int, default=500
        Most sweeps or steps.
    tol : float, default=1e-4
        Relative decrease at which the completion ends.
    random_state : int, RandomState instance or None, default=None
        Starts of completion and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_nodes,)
        Camp of each node.
    embedding_ : ndarray of shape (n_nodes, n_clusters)
        Eigenvectors that were clustered.
    converged_ : bool
        Whether the completion ended by its tolerance.
    nodes_ : ndarray of shape (n_nodes,)
        Names of the nodes.

    References
    ----------
    .. [1] Paper v15-1177, Algorithm 2.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from treatise.datasets import make_signed_network
    >>> from treatise.network import SignedClustering
    >>> A, camps = make_signed_network([30, 40, 50], sparsity=0.2, random_state=0)
    >>> adjusted_rand_score(camps, SignedClustering(3, random_state=0).fit_predict(A))
    1.0
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "completion": [StrOptions({"als", "svp"}), None],
        "reg": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters=2, *, completion="als", reg=1.0, max_iter=500, tol=1e-4, random_state=None):
        self.n_clusters = n_clusters
        self.completion = completion
        self.reg = reg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, graph, y=None):
        """Find the camps.

        Parameters
        ----------
        graph : array-like or sparse matrix of shape (n, n), or networkx Graph
            An undirected network of signs -1 and 1, zero where nothing is known.
        y : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        self
        """
        A, self.nodes_ = signs_of_network(graph)
        n, k = A.shape[0], self.n_clusters
        if k >= n:
            raise ValueError(f"n_clusters={k} must be below the {n} nodes")
        if not A.nnz:
            raise ValueError("the network has no link; there are no camps to find")
        random = check_random_state(self.random_state)
        seed = random.randint(2**31)
        self.embedding_, self.converged_ = self._embed(A, k, seed)
        self.labels_ = KMeans(k, n_init=10, random_state=seed).fit_predict(self.embedding_).astype(np.int64)
        if not self.converged_:
            warnings.warn(
                f"the completion had not ended after {self.max_iter} steps; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _invariants(self):
        n = len(self.nodes_)
        yield "every node is in a camp", is_array(self.labels_, np.integer, n)
        yield "camps are as many as were asked for", within(self.labels_, 0, self.n_clusters)
        yield "every node has its place", is_array(self.embedding_, np.floating, n, None)

    def _embed(self, A, k, seed):
        if self.completion is None:
            return signed_laplacian_vectors(A, k, seed), True
        if self.completion == "svp":
            found = project_singular_values(A, k, max_iter=self.max_iter, tol=self.tol, random_state=seed)
            return found.U, found.converged
        found = factorize_observed(A, k, reg=self.reg, max_iter=self.max_iter, tol=self.tol, random_state=seed)
        return _leading_vectors(found.W, found.H, k), found.converged


def _leading_vectors(W, H, k):
    """Eigenvectors of the largest absolute eigenvalues of ``(W H' + H W') / 2``, which has rank 2 k at most."""
    Q, _ = np.linalg.qr(np.hstack([W, H]))
    left, right = Q.T @ W, Q.T @ H
    values, vectors = np.linalg.eigh((left @ right.T + right @ left.T) / 2.0)
    return Q @ vectors[:, np.argsort(-np.abs(values))[:k]]


def signed_laplacian_vectors(A, k, seed=None):
    """Eigenvectors of the k smallest eigenvalues of the signed Laplacian, degrees of absolute weights less A."""
    n = A.shape[0]
    degrees = np.asarray(abs(A).sum(axis=1)).ravel()
    if n <= 500:
        return np.linalg.eigh(np.diag(degrees) - A.toarray())[1][:, :k]
    # The largest of c I - L are the smallest of L, and are found without solving equations.
    shifted = sparse.diags_array(2.0 * degrees.max() - degrees) + A
    start = np.random.default_rng(seed).normal(size=n)
    return eigsh(shifted, k=k, which="LA", v0=start)[1][:, ::-1]
