"""Trees at hand, counted to give a grammar."""

import numpy as np

from treatise.sequence.dependency._grammar import Counts


def tree_counts(corpus, heads, grammar):
    """How often the trees make each choice of a grammar, outer dependents first."""
    counts = Counts.zeros(grammar)
    last_child, last_stop = grammar.by_head.shape[2] - 1, grammar.stop.shape[2] - 1
    for first, tree in zip(corpus.starts, heads):
        tags = corpus.tags[first : first + len(tree)]
        counts.root[tags[np.argmin(tree)]] += 1.0
        for h, tag in enumerate(tags):
            dependents = np.flatnonzero(tree == h)
            for side, taken in enumerate((dependents[dependents < h], dependents[dependents > h][::-1])):
                for v, c in enumerate(taken):
                    counts.go[tag, side, min(v, last_stop)] += 1.0
                    counts.child[tag, side, min(v, last_child), tags[c]] += 1.0
                counts.stop[tag, side, min(len(taken), last_stop)] += 1.0
    return counts
