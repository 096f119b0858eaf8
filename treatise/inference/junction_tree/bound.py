"""Quadratic upper bound on the log partition sum of a junction tree (Choromanska, 2014, Algorithm 3)."""

from dataclasses import dataclass
from math import prod

import numpy as np

from treatise.inference.chains._bound_loops import tangent_coefficient
from treatise.inference.junction_tree.tree import JunctionTree

MOST_NUMBERS = 2**26
"""Most numbers in the curvatures of one clique's separator (half a gibibyte)."""


@dataclass(frozen=True)
class JunctionTreeBound:
    """log Z <= log_partition + d @ mean + d @ curvature @ d / 2 with d = parameters - theta, for all parameters.

    Attributes
    ----------
    theta : ndarray of shape (d,)
        Where the bound touches.
    log_partition : float
        log Z there.
    mean : ndarray of shape (d,)
        Its gradient there: the expected features.
    curvature : ndarray of shape (d, d)
        Dominates the Hessian everywhere at once.
    """

    theta: np.ndarray
    log_partition: float
    mean: np.ndarray
    curvature: np.ndarray

    def value(self, theta):
        """The bound at other parameters.

        Parameters
        ----------
        theta : array-like of shape (d,)
            The parameters.

        Returns
        -------
        value : float
        """
        move = np.asarray(theta, np.float64) - self.theta
        return float(self.log_partition + move @ self.mean + 0.5 * move @ self.curvature @ move)


def junction_tree_bound(graph, features, theta, *, merge="join"):
    r"""Quadratic upper bound on :math:`\log\sum_y\prod_c h_c(y_c)e^{\theta^\top f_c(y_c)}`, tight at ``theta``.

    The sum runs over all joint states of a model of narrow tree width; cliques are bounded from the leaves to the
    root, over the states of each clique and never over joint ones. Use it for models with a handful of parameters, up
    to hundreds; conditional random fields with many weights on chains have :class:`ChainBound`, and models over few
    states ``treatise.optimize.log_partition_bound``. Costs O(N d^2) for N states of all cliques and d parameters, with
    ``merge="join"`` O(N d^3).

    Parameters
    ----------
    graph : FactorGraph
        The model; the tables are log h.
    features : list of array-like
        For each factor of the graph f at its states: the axes of its table and a last one for the d parameters.
    theta : array-like of shape (d,)
        Where the bound touches.
    merge : {"join", "sum"}, default="join"
        What becomes of curvatures that the children of a clique have for its different states: one that dominates
        each, or, as in the thesis, their sum, which is simpler and grows by a factor of the number of states from
        clique to clique.

    Returns
    -------
    JunctionTreeBound
        ``log_partition``, ``mean`` and ``curvature``.

    Raises
    ------
    ValueError
        If the curvatures of a separator's states would hold more than 2**26 numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph, junction_tree_bound
    >>> same = np.eye(2)[:, :, None]
    >>> graph = FactorGraph([2, 2, 2], [((0, 1), np.zeros((2, 2))), ((1, 2), np.zeros((2, 2)))])
    >>> bound = junction_tree_bound(graph, [same, same], [0.0])
    >>> round(bound.log_partition, 4), bound.mean, bound.curvature.round(4)
    (2.0794, array([1.]), array([[0.6612]]))
    >>> bool(bound.value([2.0]) >= np.log(2 * (1 + np.e**2) ** 2))
    True

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, 2014, Algorithm 3; as printed it assigns where the
       proof (Algorithm 8) adds. That a dominating curvature may take the place of the sum follows from the same proof.
    """
    if merge not in ("join", "sum"):
        raise ValueError(f"merge={merge!r} must be 'join' or 'sum'")
    theta = np.atleast_1d(np.asarray(theta, np.float64))
    features = _checked_features(graph, features, theta)
    tree = JunctionTree(graph)
    log_z, mean, curvature = 0.0, np.zeros(len(theta)), np.zeros((len(theta),) * 2)
    for factor, own, home in zip(graph.factors, features, tree._home):
        if home < 0:  # a constant
            log_z += float(factor.table) + float(own @ theta)
            mean += own
    messages: dict[int, _Message] = {}
    for c in reversed(tree._order):
        _check_size(tree, c, len(theta))
        messages[c] = _message(tree, c, features, theta, messages, merge)
        if c not in tree._parent:  # roots of a forest are independent of one another
            root = messages.pop(c)
            log_z += float(root.log_z)
            mean += root.mean
            curvature += root.curvature
    if log_z == -np.inf:
        raise ValueError("no joint state is possible: the scores of -inf exclude every one")
    return JunctionTreeBound(theta, log_z, mean, curvature)


@dataclass(frozen=True)
class _Message:
    """For each state of a separator: log z, mu and Sigma of all below it."""

    variables: tuple[int, ...]
    log_z: np.ndarray
    mean: np.ndarray
    curvature: np.ndarray


def _message(tree, c, features, theta, messages, merge):
    """The two inner loops of Algorithm 3: over states u of the separator and v of the other variables."""
    clique, n_states, d = tree.cliques[c], tree.graph.n_states, len(theta)
    known = tree._separator.get(c, ())
    free = tuple(v for v in clique if v not in known)
    factors = [(factor, own) for factor, own, home in zip(tree.graph.factors, features, tree._home) if home == c]
    children = [messages.pop(b) for b, parent in tree.edges if parent == c]
    shape = tuple(int(n_states[v]) for v in known)
    found = _Message(known, np.full(shape, -np.inf), np.zeros((*shape, d)), np.zeros((*shape, d, d)))
    state: dict[int, int] = {}
    for u in np.ndindex(shape):
        state.update(zip(known, u))
        log_z, mean, own, below = -np.inf, np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
        for v in np.ndindex(tuple(int(n_states[x]) for x in free)):
            state.update(zip(free, v))
            log_a, feature, child = _at_state(state, factors, children, theta)
            if log_a == -np.inf:
                continue
            if children:
                below = _merged(below, child, merge)
            if log_z == -np.inf:
                log_z, mean = log_a, feature
                continue
            step = feature - mean
            own += _coefficient(log_a - log_z) * np.outer(step, step)
            whole = np.logaddexp(log_z, log_a)
            mean = mean + np.exp(log_a - whole) * step
            log_z = whole
        found.log_z[u], found.mean[u], found.curvature[u] = log_z, mean, own + below
    return found


def _at_state(state, factors, children, theta):
    """log alpha, the features with the means of the children, and the summed curvature of the children."""
    log_a, feature, curvature = 0.0, np.zeros(len(theta)), 0.0
    for factor, own in factors:
        at = tuple(state[v] for v in factor.variables)
        log_a += factor.table[at] + own[at] @ theta
        feature = feature + own[at]
    for child in children:
        at = tuple(state[v] for v in child.variables)
        log_a += child.log_z[at]
        feature = feature + child.mean[at]
        curvature = curvature + child.curvature[at]
    return float(log_a), feature, curvature


def _coefficient(log_ratio):
    # Beyond, the exponential overflows and tanh is 1 or -1.
    return 0.5 / abs(log_ratio) if abs(log_ratio) > 500.0 else tangent_coefficient(float(np.exp(log_ratio)))


def _merged(so_far, more, merge):
    """A curvature that dominates both."""
    if merge == "sum":
        return so_far + more
    values, vectors = np.linalg.eigh(more - so_far)
    kept = vectors[:, values > 0.0]
    return so_far + (kept * values[values > 0.0]) @ kept.T


def _checked_features(graph, features, theta):
    if theta.ndim != 1 or not np.isfinite(theta).all():
        raise ValueError(f"theta must be a vector of finite numbers; its shape is {theta.shape}")
    features = [np.asarray(each, np.float64) for each in features]
    if len(features) != len(graph.factors):
        raise ValueError(f"there are {len(features)} arrays of features and {len(graph.factors)} factors")
    for i, (own, factor) in enumerate(zip(features, graph.factors)):
        if own.shape != (*factor.table.shape, len(theta)):
            raise ValueError(
                f"the features of factor {i} have the shape {own.shape}; they must have "
                f"{(*factor.table.shape, len(theta))}, that of its table and the {len(theta)} parameters"
            )
        if not np.isfinite(own).all():
            raise ValueError(f"the features of factor {i} hold NaN or infinity")
    return features


def _check_size(tree, c, d):
    states = prod(int(tree.graph.n_states[v]) for v in tree._separator.get(c, ()))
    if states * d * d > MOST_NUMBERS:
        raise ValueError(
            f"{d} parameters and {states} states of a separator make {states * d * d:.2g} numbers of curvature; "
            f"at most {MOST_NUMBERS:.2g} are held. For chains with many weights use ChainBound, which forms no matrix"
        )
