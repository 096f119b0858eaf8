"""Bounds on log Z from below and above in one call."""

from dataclasses import dataclass

from treatise.graphical.bounds.log_determinant import log_det_bound
from treatise.graphical.bounds.preconditioner import preconditioner_log_partition
from treatise.inference import JunctionTree, mean_field, tree_reweighted

LOWER = {
    "mean_field": lambda graph: mean_field(graph).log_partition,
    "structured": lambda graph: mean_field(graph, clusters="forests").log_partition,
    "spanning_tree": lambda graph: preconditioner_log_partition(graph).lower,
    "support_tree": lambda graph: preconditioner_log_partition(graph, kind="support_tree").lower,
    "exact": lambda graph: JunctionTree(graph).log_partition(),
}
"""Bounds from below by name."""

UPPER = {
    "tree_reweighted": lambda graph: tree_reweighted(graph).log_partition,
    "optimized_trees": lambda graph: tree_reweighted(graph, n_weight_steps=10).log_partition,
    "log_det": lambda graph: log_det_bound(graph).log_partition,
    "spanning_tree": lambda graph: preconditioner_log_partition(graph).upper,
    "support_tree": lambda graph: preconditioner_log_partition(graph, kind="support_tree").upper,
    "exact": lambda graph: JunctionTree(graph).log_partition(),
}
"""Bounds from above by name."""


@dataclass(frozen=True)
class PartitionBounds:
    """An interval that holds ``log Z`` for certain.

    Attributes
    ----------
    lower, upper : float
    lower_method, upper_method : str
        How they were found.
    """

    lower: float
    upper: float
    lower_method: str
    upper_method: str


def log_partition_bounds(graph, *, lower="structured", upper="tree_reweighted"):
    """Bounds on ``log Z`` of a discrete model from below and above.

    Use it where the graph is too wide for :class:`JunctionTree`: the width of the interval says how far estimates may
    be trusted. Mean field and tree-reweighted messages cost a few hundred passes over the tables of pairs.

    Parameters
    ----------
    graph : FactorGraph
        The model.
    lower : {"structured", "mean_field", "spanning_tree", "support_tree", "exact"}, default="structured"
        Mean field over forests or single variables, a preconditioner, or the exact value.
    upper : {"tree_reweighted", "optimized_trees", "log_det", "spanning_tree", "support_tree", "exact"}, \
default="tree_reweighted"
        Tree-reweighted messages with uniform or improved weights of trees, the log-determinant relaxation (binary
        variables), a preconditioner, or the exact value.

    Returns
    -------
    bounds : PartitionBounds

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import log_partition_bounds
    >>> ring = FactorGraph.ising([0.5, 0, 0, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, 0.3, 0.3, 0.3])
    >>> bounds = log_partition_bounds(ring)
    >>> round(bounds.lower, 3), round(ring.brute_force().log_partition, 3), round(bounds.upper, 3)
    (2.985, 3.077, 3.122)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, chapters 3 and 6.
    """
    return PartitionBounds(bound_from(LOWER, lower, "lower")(graph), bound_from(UPPER, upper, "upper")(graph), lower,
                           upper)  # fmt: skip


def bound_from(methods, name, parameter):
    """The bound of that name, or an error that lists those there are."""
    if name not in methods:
        raise ValueError(f"{parameter}={name!r} must be one of {', '.join(map(repr, methods))}")
    return methods[name]
