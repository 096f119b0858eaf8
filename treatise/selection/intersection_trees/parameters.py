"""How many trees, how deep and how branched, to find a pattern for sure (Theorem 1 of Shah & Meinshausen)."""

import math
from typing import NamedTuple


class TreeParameters(NamedTuple):
    """Parameters of intersection trees without early stopping."""

    n_trees: int
    """Trees (M)."""
    max_depth: int
    """Depth of each (D)."""
    branching: float
    """Mean number of children of a node (E B); one of the two nearest whole numbers is drawn."""


def intersection_tree_parameters(theta1, nu, n_features, *, eta=0.1, q=0.5):
    """Trees that return a pattern with probability ``1 - eta`` at least.

    Use it to see what a search costs before it is run, for patterns of a prevalence that is of interest.

    Parameters
    ----------
    theta1 : float
        Prevalence of the pattern in its class, in (0, 1].
    nu : float
        Greatest share of the rows of the class with the pattern that have any one other feature, in (0, 1).
    n_features : int
        Number of features.
    eta : float, default=0.1
        Chance to miss the pattern.
    q : float, default=0.5
        Chance that one tree whose root has the pattern loses it; less asks for more children, more for more trees.

    Returns
    -------
    TreeParameters
        For ``RandomIntersectionTrees(theta0=1.0, **parameters._asdict())``.

    Examples
    --------
    >>> from treatise.selection import intersection_tree_parameters
    >>> intersection_tree_parameters(0.5, 0.3, 1000)
    TreeParameters(n_trees=10, max_depth=6, branching=2.44...)

    References
    ----------
    .. [1] Paper v15-0629, proof of Theorem 1, Equations (13), (14) and (16).
    """
    for name, value in (("theta1", theta1), ("nu", nu), ("eta", eta), ("q", q)):
        if not 0.0 < value < 1.0 and not (name == "theta1" and value == 1.0):
            raise ValueError(f"{name}={value}; it is a share above 0 and below 1")
    if n_features < 1:
        raise ValueError(f"n_features={n_features}; there must be one at least")
    lost = theta1 * (1.0 - q)  # the chance that a child keeps the pattern, times that its subtree does
    whole = math.floor(math.log(q) / math.log1p(-lost))
    # The fixed point G(q) = q of the generating function of B, which is one of two neighbouring numbers.
    part = (1.0 - q / (1.0 - lost) ** whole) / lost
    depth = math.ceil(math.log(n_features / q) / math.log(1.0 / nu)) - 1
    return TreeParameters(math.ceil(-math.log(eta) / lost), max(depth, 1), whole + part)
