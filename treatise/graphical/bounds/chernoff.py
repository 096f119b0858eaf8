"""Chernoff bounds on sums of dependent variables (section 6.3.2 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from treatise.inference import FactorGraph, JunctionTree

# Beyond this tilt the tail has shrunk to its furthest states in double precision.
_STEEPEST = 60.0


@dataclass(frozen=True)
class ChernoffBound:
    """A bound on the probability of a tail.

    Attributes
    ----------
    log_bound : float
        The log probability is at most this.
    tilt : float
        The lambda that attains it.
    """

    log_bound: float
    tilt: float


def chernoff_sum_bound(graph, threshold):
    """Upper bound on the log probability that the states, counted as numbers, sum to ``threshold`` or more.

    Chernoff's bound with the exact log partition function of a tilted model instead of that of independent variables:
    ``inf over lambda >= 0 of -lambda c + Phi(theta + lambda) - Phi(theta)``. On chains and trees a few dozen linear
    passes, where counting the sum exactly would take a state for every value. The exponent is right for large
    deviations; the bound is loose by a factor of order sqrt(n). Sums are whole numbers: 23 is sharper than 22.5.

    Parameters
    ----------
    graph : FactorGraph
        The model, narrow enough for :class:`JunctionTree`; elsewhere take :func:`event_bounds`.
    threshold : float
        The c.

    Returns
    -------
    bound : ChernoffBound

    Examples
    --------
    Thirty fair coins, more than 22 heads:

    >>> import numpy as np
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import chernoff_sum_bound
    >>> bound = chernoff_sum_bound(FactorGraph([2] * 30), 22.5)
    >>> round(bound.log_bound, 5), round(bound.tilt, 5)
    (-3.92436, 1.09861)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 6.23, 6.29 and Figure 6.1.
    """
    if np.isnan(threshold):
        raise ValueError("threshold is NaN; give the number that the sum must reach")
    if threshold > int((graph.n_states - 1).sum()):
        return ChernoffBound(-np.inf, np.inf)
    states = [np.arange(k, dtype=float) for k in graph.n_states]
    tree = JunctionTree(tilted(graph, 0.0))
    base = tree.log_partition()

    def excess(tilt):
        """Expected sum of the tilted model less the threshold: the derivative of the bound."""
        marginals = tree.with_tables(tilted(graph, tilt)).marginals()
        return sum(p @ x for p, x in zip(marginals.nodes, states)) - threshold

    if excess(0.0) >= 0:
        return ChernoffBound(0.0, 0.0)
    steep = 1.0
    while steep < _STEEPEST and excess(steep) < 0:
        steep *= 2
    # Any tilt gives a bound that holds, so that the root need not be exact.
    tilt = brentq(excess, 0.0, steep, xtol=1e-9) if excess(steep) > 0 else steep
    value = tree.with_tables(tilted(graph, tilt)).log_partition() - base - tilt * threshold
    return ChernoffBound(min(float(value), 0.0), float(tilt))


def tilted(graph, tilt):
    """The model with ``tilt`` times the sum of the states added to the score."""
    slopes = [((v,), tilt * np.arange(k)) for v, k in enumerate(graph.n_states)]
    return FactorGraph(graph.n_states, [(f.variables, f.table) for f in graph.factors] + slopes)
