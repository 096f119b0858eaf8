"""Projective dependency trees: sums over all trees of a sentence, the share of each arc, the heaviest tree."""

from treatise.inference.projective_trees.trees import ProjectiveTrees, TreeMarginals

__all__ = ["ProjectiveTrees", "TreeMarginals"]
