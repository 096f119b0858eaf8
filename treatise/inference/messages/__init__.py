"""Messages over edges until they settle: belief propagation, tree-reweighted sums and maxima, TRW-S."""

from treatise.inference.messages.belief_propagation import belief_propagation, max_product
from treatise.inference.messages.tree_reweighted import spanning_tree_weights, tree_reweighted, tree_reweighted_map
from treatise.inference.messages.trws import min_sum, trws

__all__ = [
    "belief_propagation",
    "max_product",
    "min_sum",
    "spanning_tree_weights",
    "tree_reweighted",
    "tree_reweighted_map",
    "trws",
]
