"""Bounds on the probability of an event from bounds on log Z (chapter 6 of the thesis)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from treatise.graphical.chernoff import tilted
from treatise.graphical.partition_bounds import LOWER, UPPER, bound_from


@dataclass(frozen=True)
class SumAtLeast:
    """The event that the states, counted as numbers, sum to at least a threshold.

    Attributes
    ----------
    threshold : float
    """

    threshold: float


@dataclass(frozen=True)
class EventBounds:
    """An interval that holds the log probability of an event for certain.

    Attributes
    ----------
    log_lower, log_upper : float
        Bounds on the log probability.
    """

    log_lower: float
    log_upper: float

    @property
    def lower(self):
        """Lower bound on the probability."""
        return float(np.exp(self.log_lower))

    @property
    def upper(self):
        """Upper bound on the probability."""
        return float(np.exp(self.log_upper))


def event_bounds(graph, event, *, lower="structured", upper="tree_reweighted"):
    """Bounds on the probability of an event in a model too large for exact inference.

    The probability of some variables' states is the ratio of the partition function with them fixed to that of the
    whole model, each bounded from its side. That of a sum is bounded by Chernoff's inequality with the bounds in place
    of the partition functions, and from below through the opposite event. The interval can be wide: errors of both
    partition functions add up. Costs two bounds for a set of states, some forty for a sum.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    event : dict of int to int, or SumAtLeast
        States of some variables, all together; or a threshold on the sum of all.
    lower, upper : str, default="structured", "tree_reweighted"
        Bounds on ``log Z``, as in :func:`log_partition_bounds`.

    Returns
    -------
    bounds : EventBounds

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import SumAtLeast, event_bounds
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> bounds = event_bounds(ring, {1: 1})
    >>> round(bounds.lower, 3), round(float(ring.brute_force().nodes[1][1]), 3), round(bounds.upper, 3)
    (0.548, 0.573, 0.628)
    >>> event_bounds(ring, SumAtLeast(5)).upper
    0.0

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 6.5, 6.6, 6.30-6.32.
    """
    from_below, from_above = bound_from(LOWER, lower, "lower"), bound_from(UPPER, upper, "upper")
    if isinstance(event, SumAtLeast):
        return _sum_bounds(graph, event.threshold, from_below, from_above)
    if not isinstance(event, Mapping):
        raise ValueError(f"the event {event!r} must map variables to states, or be a SumAtLeast")
    fixed = graph.condition(dict(event))
    return EventBounds(
        log_lower=min(from_below(fixed) - from_above(graph), 0.0),
        log_upper=min(from_above(fixed) - from_below(graph), 0.0),
    )


def _sum_bounds(graph, threshold, from_below, from_above):
    most = int((graph.n_states - 1).sum())
    if threshold > most:
        return EventBounds(-np.inf, -np.inf)
    if threshold <= 0:
        return EventBounds(0.0, 0.0)
    base = from_below(graph)
    upper = _chernoff(graph, threshold, base, from_above, 1.0)
    # At least the threshold fails when the sum is at most the whole number below it.
    opposite = _chernoff(graph, np.ceil(threshold) - 1, base, from_above, -1.0)
    return EventBounds(float(np.log1p(-np.exp(opposite))) if opposite < 0 else -np.inf, upper)


def _chernoff(graph, threshold, base, from_above, sign):
    """Least of equation 6.32 over tilts of one sign; any tilt gives a bound, so that the search need not be exact."""

    def bound(tilt):
        return from_above(tilted(graph, sign * tilt)) - base - sign * tilt * threshold

    found = minimize_scalar(bound, bounds=(0.0, 10.0), method="bounded", options={"xatol": 1e-2, "maxiter": 25})
    return float(min(found.fun, 0.0))
