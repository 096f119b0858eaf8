"""MIC-Group (I): the best subset of a group enters at once (Dhillon et al., JMLR 12:525, Section 4.2.1)."""

import numpy as np

from treatise.linear.mic._base import ONE_ROW, savings
from treatise.optimize import ForwardSelection
from treatise.statistics import subset_code_length


def subset_select(X, y, groups, coef_bits):
    """Features chosen, in order; the search; squared error and bits of the model after each step, and at the end."""
    n, p = X.shape
    search = ForwardSelection(X, y[:, np.newaxis], most_in_one_row=ONE_ROW)
    members = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
    # As printed, a group is named by lg p bits, as a feature is in MIC-Multi, though lg K would do.
    prices = [
        np.log2(p) + subset_code_length(k := np.arange(1, len(columns) + 1), len(columns)) + coef_bits * k
        for columns in members
    ]
    unused, path, spent = set(range(len(members))), [(search.rss.copy(), 0.0)], 0.0
    while unused:
        found = [(*_best_subset(search.branch(members[g]), prices[g], n), g) for g in sorted(unused)]
        net, subset, g = max(found, key=lambda entry: entry[0])
        if not net > 0:
            break
        for column in members[g][subset]:
            search.add(int(column), [0])
        unused.remove(g)
        spent += float(prices[g][len(subset) - 1])
        path.append((search.rss.copy(), spent))
    return search.sets[0], search, path, spent


def _best_subset(branch, prices, n):
    """Net bits of the best subset of one group, found by adding its features greedily, and the subset."""
    rss, best, subset = float(branch.rss[0]), 0.0, []
    most = float(savings(rss, rss, n))
    for k in range(min(len(prices), n - 2 - len(branch._bases[0]))):
        drops = branch.drops()[0]
        # Nothing saves more than a fit without error.
        if not drops.max() > 0 or most - prices[k:].min() <= best:
            break
        branch.add(int(np.argmax(drops)), [0])
        net = float(savings(rss - float(branch.rss[0]), rss, n) - prices[k])
        if net > best:
            best, subset = net, list(branch.sets[0])
    return best, subset
