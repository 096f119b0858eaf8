"""Region graphs: which parts of a graph can be learned from which variables alone (JMLR 15:147, Algorithm 1)."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np


@dataclass(frozen=True)
class RegionGraph:
    """Regions in levels: clusters of a junction tree, their separators, and what those share, level by level.

    A region is named by its level and its vertices, since the same set may stand at several levels.

    Attributes
    ----------
    levels : tuple of tuple of frozenset of int
        Regions of each level; an arrow leads from each to those of the next level that it contains.
    """

    levels: tuple[tuple[frozenset[int], ...], ...]

    def children(self, level, region):
        """Regions of the next level within a region.

        Parameters
        ----------
        level : int
            Level of the region, from 0.
        region : frozenset of int
            Its vertices.

        Returns
        -------
        children : list of frozenset of int
        """
        return [] if level + 1 == len(self.levels) else [part for part in self.levels[level + 1] if part <= region]

    def closure(self, level, region):
        """The variables that decide a region's edges: its own and those of all its ancestors (equation 2).

        Parameters
        ----------
        level : int
            Level of the region, from 0.
        region : frozenset of int
            Its vertices.

        Returns
        -------
        closure : frozenset of int
        """
        whole, reached = set(region), {region}
        for above in reversed(self.levels[:level]):
            reached = {parent for parent in above if any(part <= parent for part in reached)}
            whole.update(*reached)
        return frozenset(whole)

    def candidates(self, level, region, adjacency):
        """The edges that are decided at a region: those of a graph within it but within none of its children.

        Parameters
        ----------
        level : int
            Level of the region, from 0.
        region : frozenset of int
            Its vertices.
        adjacency : ndarray of bool of shape (p, p)
            The graph of undecided edges.

        Returns
        -------
        edges : list of (int, int)
            The smaller vertex first (equation 3).
        """
        children = self.children(level, region)
        return [
            (i, j)
            for i, j in combinations(sorted(region), 2)
            if adjacency[i, j] and not any(i in part and j in part for part in children)
        ]

    @cached_property
    def n_regions(self):
        """Regions of all levels."""
        return sum(map(len, self.levels))


def region_graph(tree, *, within=None):
    """The region graph of a junction tree (Algorithm 1).

    Use it to see how :class:`JunctionTreeGraph` takes a problem apart. Costs the square of the number of regions of a
    level.

    Parameters
    ----------
    tree : CliqueTree
        As from ``treatise.inference.clique_tree``.
    within : ndarray of bool of shape (p, p) or None, default=None
        A graph of undecided edges: regions that hold none of them are left out. None keeps all of two or more vertices.

    Returns
    -------
    regions : RegionGraph

    Examples
    --------
    >>> from treatise.graphical import region_graph
    >>> from treatise.inference import CliqueTree
    >>> regions = region_graph(CliqueTree(((0, 1, 2), (1, 2, 3)), ((0, 1),)))
    >>> [[sorted(region) for region in level] for level in regions.levels]
    [[[0, 1, 2], [1, 2, 3]], [[1, 2]]]
    >>> sorted(regions.closure(1, frozenset({1, 2})))
    [0, 1, 2, 3]
    """

    def distinct(sets):
        kept = {frozenset(part): None for part in sets if len(part) > 1}
        if within is not None:
            kept = {part: None for part in kept if within[np.ix_(sorted(part), sorted(part))].any()}
        return tuple(kept)

    levels = [distinct(tree.clusters)]
    below = distinct(tree.separators)
    while below:
        levels.append(below)
        below = distinct(a & b for a, b in combinations(below, 2))
    return RegionGraph(tuple(levels))
