"""Pruning as dynamic programming over a tree whose children come after their parents.

A pruning costs what its leaves cost, plus ``link`` for every node that stays inside. Reduced error pruning is the
least cost where a leaf costs its mistakes; the same recursion gives Rademacher's penalty, where it costs a signed sum.
Cost-complexity pruning needs no such table: its prunings are nested, and each is the one before without a link.
"""

import heapq

import numpy as np

from treatise._core.jit import compiled, compiled_step

NO_CHILD = -1


@compiled
def gather(left, right, counts):
    """Add what the children hold to their parent, from the last node to the first, in place."""
    for node in range(len(left) - 1, -1, -1):
        if left[node] != NO_CHILD:
            for c in range(counts.shape[1]):
                counts[node, c] += counts[left[node], c] + counts[right[node], c]


@compiled
def least_costs(left, right, cost, link, best):
    """Least cost of a pruning of every subtree (A1 of reduced error pruning: a leaf wins where costs are equal)."""
    for node in range(len(left) - 1, -1, -1):
        best[node] = cost[node]
        if left[node] != NO_CHILD:
            best[node] = min(best[node], best[left[node]] + best[right[node]] + link)


@compiled
def cut_of_least(left, right, cost, best, leaves):
    """Mark the leaves of the pruning of least cost."""
    stack = [0]
    while len(stack) > 0:
        node = stack.pop()
        if left[node] == NO_CHILD or cost[node] <= best[node]:
            leaves[node] = 1
        else:
            stack.append(left[node])
            stack.append(right[node])


@compiled
def widths_of(left, right, grown, slack, extra, width):
    """How many mistakes on the growing rows each node may add to those of its subtree: from none up to ``slack``.

    ``grown`` are the mistakes of a node as a leaf; ``extra`` is set to what it has more than its subtree.
    """
    unpruned = np.empty(len(left), dtype=np.int64)
    for node in range(len(left) - 1, -1, -1):
        unpruned[node] = grown[node]
        if left[node] != NO_CHILD:
            unpruned[node] = unpruned[left[node]] + unpruned[right[node]]
        extra[node] = grown[node] - unpruned[node]
        width[node] = min(extra[node], slack) + 1
    return unpruned[0]


@compiled_step
def joined_cost(table, starts, width, a, b, spent, budget):
    """Cost of both children where the first may add ``spent`` mistakes and the second the rest of the budget."""
    rest = budget - spent
    first = table[starts[a] + min(spent, width[a] - 1)]
    return first + table[starts[b] + min(rest, width[b] - 1)]


@compiled
def fill_tables(left, right, cost, link, extra, width, starts, table):
    """Algorithm 6: least cost of a pruning of every subtree with at most 0, 1, ... mistakes more on the growing rows.

    The paper counts all mistakes; counted from those of the subtree itself, tables are as wide as what pruning may
    still spend, which is little.
    """
    for node in range(len(left) - 1, -1, -1):
        for budget in range(width[node]):
            place = starts[node] + budget
            if left[node] == NO_CHILD:
                table[place] = cost[node]
                continue
            a, b = left[node], right[node]
            # A child that can spend no more than its width need not be offered more.
            low, high = max(0, budget - width[b] + 1), min(budget, width[a] - 1)
            best = joined_cost(table, starts, width, a, b, min(low, high), budget)
            for spent in range(low, high + 1):
                best = min(best, joined_cost(table, starts, width, a, b, spent, budget))
            table[place] = best + link
            if budget >= extra[node] and cost[node] <= table[place]:
                table[place] = cost[node]


@compiled
def cut_of_tables(left, right, cost, link, extra, width, starts, table, slack, leaves):
    """Mark the leaves of the pruning of least cost within the slack."""
    nodes, budgets = [0], [min(slack, width[0] - 1)]
    while len(nodes) > 0:
        node, budget = nodes.pop(), budgets.pop()
        wanted = table[starts[node] + budget]
        if left[node] == NO_CHILD or (budget >= extra[node] and cost[node] == wanted):
            leaves[node] = 1
            continue
        a, b = left[node], right[node]
        for spent in range(min(budget, width[a] - 1) + 1):
            if joined_cost(table, starts, width, a, b, spent, budget) + link == wanted:
                nodes.append(a)
                budgets.append(spent)
                nodes.append(b)
                budgets.append(min(budget - spent, width[b] - 1))
                break


@compiled
def log_counts(left, right, found):
    """Logarithm of the number of prunings of every subtree: 1 + that of the left times that of the right."""
    for node in range(len(left) - 1, -1, -1):
        found[node] = 0.0
        if left[node] != NO_CHILD:
            found[node] = np.logaddexp(0.0, found[left[node]] + found[right[node]])


@compiled
def cut_weakest_links(left, right, risk, mistakes, cut_at, prices, sums):
    """Breiman's prunings, from the whole tree to its root: the inner node whose leaves pay least becomes a leaf.

    What its leaves pay is the risk that they save, for each leaf more than one. ``cut_at`` is set to the price at which
    a node becomes a leaf, and left where a node above does so first; ``prices`` and ``sums`` to the prices of the
    prunings, never falling, and to their mistakes. Gives the number of prunings, the whole tree first.
    """
    n = len(left)
    parent = np.full(n, NO_CHILD, dtype=np.int64)
    held_risk, held_mistakes, n_leaves = risk.copy(), mistakes.copy(), np.ones(n, dtype=np.int64)
    for node in range(n - 1, -1, -1):
        if left[node] != NO_CHILD:
            parent[left[node]] = parent[right[node]] = node
            held_risk[node] = held_risk[left[node]] + held_risk[right[node]]
            held_mistakes[node] = held_mistakes[left[node]] + held_mistakes[right[node]]
            n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
    links = [(0.0, 0) for _ in range(0)]
    for node in range(n):
        if left[node] != NO_CHILD:
            links.append(((risk[node] - held_risk[node]) / (n_leaves[node] - 1), node))
    heapq.heapify(links)
    gone = np.zeros(n, dtype=np.bool_)
    below = [0 for _ in range(0)]
    prices[0], sums[0], found = 0.0, held_mistakes[0], 1
    while len(links) > 0:
        price, node = heapq.heappop(links)
        if gone[node]:
            continue
        # Cutting the weakest link leaves stronger ones above: what the heap holds of those may be too low only.
        now = (risk[node] - held_risk[node]) / (n_leaves[node] - 1)
        if now > price:
            heapq.heappush(links, (now, node))
            continue
        prices[found] = cut_at[node] = max(price, prices[found - 1])
        below.append(node)
        while len(below) > 0:
            lower = below.pop()
            gone[lower] = True
            if left[lower] != NO_CHILD and n_leaves[lower] > 1:
                below.append(left[lower])
                below.append(right[lower])
        more_risk, more_mistakes = risk[node] - held_risk[node], mistakes[node] - held_mistakes[node]
        fewer = n_leaves[node] - 1
        while node != NO_CHILD:
            held_risk[node] += more_risk
            held_mistakes[node] += more_mistakes
            n_leaves[node] -= fewer
            node = parent[node]
        sums[found] = held_mistakes[0]
        found += 1
    return found
