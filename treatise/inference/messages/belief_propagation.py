"""Belief propagation: exact on trees, an estimate on graphs with loops."""

import numpy as np

from treatise.inference.map_result import MAPResult, warn_not_converged
from treatise.inference.marginals import Marginals
from treatise.inference.messages._rounds import Messages
from treatise.inference.pairwise_form import PairwiseForm


def belief_propagation(graph, *, damping=0.0, max_iter=500, tol=1e-9):
    """Sum-product messages, round after round: marginals and the Bethe estimate of ``log Z``.

    Exact on trees and forests, in one round. On graphs with loops it is fast and often close for weak couplings, but
    may not converge and bounds nothing: damp it, or take :func:`tree_reweighted` and :func:`mean_field` where a
    guarantee is needed, or :class:`JunctionTree` where the graph is narrow. A round costs the sizes of the tables of
    pairs; a factor of more than two variables counts as a variable with a state for each of its joint states.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    damping : float, default=0.0
        Share of the old message kept in the new one, on the scale of logarithms; 0.5 calms most oscillations.
    max_iter : int, default=500
        Most rounds; each visits all variables forth and back. Where they do not suffice, a warning says so.
    tol : float, default=1e-9
        Largest change of a log message that counts as none.

    Returns
    -------
    marginals : Marginals
        Of kind "exact" on forests, else "estimate".

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph, belief_propagation
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> found = belief_propagation(ring)
    >>> found.kind, round(found.log_partition, 3), round(ring.brute_force().log_partition, 3)
    ('estimate', 3.072, 3.077)
    """
    check_rounds(damping, max_iter)
    form = PairwiseForm.of(graph)
    messages = Messages(form)
    n_iter, converged = messages.run(max_iter=max_iter, tol=tol, damping=damping)
    if not converged:
        warn_not_converged("belief_propagation", "max_iter", max_iter)
    nodes, pairs, log_partition, _ = messages.beliefs()
    exact = form.is_forest and converged
    return Marginals(
        log_partition, "exact" if exact else "estimate", form.by_node(nodes), form.by_factor(nodes, pairs), n_iter,
        converged,
    )  # fmt: skip


def max_product(graph, *, damping=0.0, max_iter=500, tol=1e-9):
    """Max-product messages: an assignment that is the most probable one on trees, and a good guess elsewhere.

    The assignment is read off variable after variable, so that ties are broken consistently. For a bound on how much
    better another could be take :func:`tree_reweighted_map`.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    damping, max_iter, tol
        As in :func:`belief_propagation`.

    Returns
    -------
    result : MAPResult
        Energy is minus the score; the lower bound is the energy itself on forests and None elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph, max_product
    >>> chain = FactorGraph.ising([1.0, 0.0, -0.4], [[0, 1], [1, 2]], [0.8, 0.5])
    >>> result = max_product(chain)
    >>> result.labels, round(result.energy, 6)
    (array([1, 1, 1]), -1.9)
    """
    check_rounds(damping, max_iter)
    form = PairwiseForm.of(graph)
    messages = Messages(form, maximize=True)
    n_iter, converged = messages.run(max_iter=max_iter, tol=tol, damping=damping)
    if not converged:
        warn_not_converged("max_product", "max_iter", max_iter)
    labels = messages.labels()
    energy = float(graph.energy(labels))
    exact = form.is_forest and converged
    return MAPResult(labels, energy, energy if exact else None, np.array([energy]), n_iter, converged)


def check_rounds(damping, max_iter):
    """The rounds' options, or an error that says what is wrong with them."""
    if not 0 <= damping < 1:
        raise ValueError(f"damping={damping!r} must lie between 0 (none) and less than 1 (messages never change)")
    if max_iter < 1:
        raise ValueError(f"max_iter={max_iter!r} must be at least 1")
