"""Bounds on the probability of an event from bounds on log Z (chapter 6 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from treatise.graphical.bounds.chernoff import tilted
from treatise.graphical.bounds.events import (
    LabelingEvent,
    SumAtLeast,
    as_event,
    event_variables,
    holds_for,
    joint_labelings,
)
from treatise.graphical.bounds.log_determinant import log_det_bound
from treatise.graphical.bounds.partition import LOWER, UPPER, bound_from
from treatise.inference import FactorGraph


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
    of the partition functions, and from below through the opposite event. That of any other event of a few variables
    is put together from the bounds of all their joint states. The interval can be wide: errors of both partition
    functions add up. Costs two bounds for a set of states, some forty for a sum (three with ``upper="log_det"``, where
    the search for the tilt is part of the program) and two for each joint state of a labeling event's variables.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    event : dict of int to int, SumAtLeast, LabelingEvent or callable
        States of some variables, all together; a threshold on the sum of all; or a function of labelings, of some
        variables (:class:`LabelingEvent`) or of all, which is exact and for small models.
    lower, upper : str, default="structured", "tree_reweighted"
        Bounds on ``log Z``, as in :func:`log_partition_bounds`.

    Returns
    -------
    bounds : EventBounds

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import LabelingEvent, SumAtLeast, event_bounds
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> bounds = event_bounds(ring, {1: 1})
    >>> round(bounds.lower, 3), round(float(ring.brute_force().nodes[1][1]), 3), round(bounds.upper, 3)
    (0.548, 0.573, 0.628)
    >>> event_bounds(ring, SumAtLeast(5)).upper
    0.0
    >>> alike = LabelingEvent(lambda states: states[:, 0] == states[:, 1], variables=(0, 2))
    >>> bounds = event_bounds(ring, alike)
    >>> round(bounds.lower, 3), round(bounds.upper, 3)
    (0.584, 0.584)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 6.5, 6.6, 6.30-6.32 and Proposition 4.
    """
    from_below, from_above = bound_from(LOWER, lower, "lower"), bound_from(UPPER, upper, "upper")
    event = as_event(event)
    if isinstance(event, SumAtLeast):
        return _sum_bounds(graph, event.threshold, from_below, from_above, collapsed=upper == "log_det")

    def part_above(evidence):
        if upper == "log_det":
            return log_det_bound(graph, event=evidence).log_partition
        return from_above(graph.condition(evidence))

    if isinstance(event, LabelingEvent):
        return _labeling_bounds(graph, event, lambda evidence: from_below(graph.condition(evidence)), part_above)
    return EventBounds(
        log_lower=min(from_below(graph.condition(event)) - from_above(graph), 0.0),
        log_upper=min(part_above(event) - from_below(graph), 0.0),
    )


def _labeling_bounds(graph, event, part_below, part_above):
    """The event's share of the partition function, which grows with its part and falls with the rest."""
    variables = event_variables(graph, event)
    labelings = joint_labelings(graph.n_states[variables])
    holds = holds_for(event, labelings)
    if len(variables) == len(graph):
        assignments = np.empty_like(labelings)
        assignments[:, variables] = labelings
        below = above = np.atleast_1d(graph.scores(assignments))
    else:
        fixed = [dict(zip(variables, labeling.tolist())) for labeling in labelings]
        below = np.array([part_below(evidence) for evidence in fixed])
        above = np.array([part_above(evidence) for evidence in fixed])
    return EventBounds(_log_share(below[holds], above[~holds]), _log_share(above[holds], below[~holds]))


def _log_share(part, rest):
    """Logarithm of the sum of a part, exponentials all, over that of the part and the rest."""
    part, rest = (np.logaddexp.reduce(each, initial=-np.inf) for each in (part, rest))
    return float(part - np.logaddexp(part, rest)) if part > -np.inf else -np.inf


def _sum_bounds(graph, threshold, from_below, from_above, collapsed):
    most = int((graph.n_states - 1).sum())
    if threshold > most:
        return EventBounds(-np.inf, -np.inf)
    if threshold <= 0:
        return EventBounds(0.0, 0.0)
    base = from_below(graph)
    # At least the threshold fails when the sum is at most the whole number below it.
    most_outside = int(np.ceil(threshold)) - 1
    if collapsed:
        # Proposition 4: the program over moments already is the least over all tilts.
        upper = min(log_det_bound(graph, event=SumAtLeast(threshold)).log_partition - base, 0.0)
        outside = SumAtLeast(most - most_outside)
        opposite = min(log_det_bound(_reversed(graph), event=outside).log_partition - base, 0.0)
    else:
        upper = _chernoff(graph, threshold, base, from_above, 1.0)
        opposite = _chernoff(graph, most_outside, base, from_above, -1.0)
    return EventBounds(float(np.log1p(-np.exp(opposite))) if opposite < 0 else -np.inf, upper)


def _reversed(graph):
    """The model with the states of every variable counted from the other end."""
    return FactorGraph(graph.n_states, [(f.variables, np.flip(f.table)) for f in graph.factors])


def _chernoff(graph, threshold, base, from_above, sign):
    """Least of equation 6.32 over tilts of one sign; any tilt gives a bound, so that the search need not be exact."""

    def bound(tilt):
        return from_above(tilted(graph, sign * tilt)) - base - sign * tilt * threshold

    found = minimize_scalar(bound, bounds=(0.0, 10.0), method="bounded", options={"xatol": 1e-2, "maxiter": 25})
    return float(min(found.fun, 0.0))
