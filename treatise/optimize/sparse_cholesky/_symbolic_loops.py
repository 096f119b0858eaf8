"""Where a Cholesky factor has its entries: the tree of elimination, its columns, and groups of columns alike."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def elimination_tree(indptr, indices, parent):
    """Parent of every column, -1 for a root (Liu); ``indices`` are the neighbours of each in the new order."""
    n = len(parent)
    ancestor = np.full(n, -1)
    for i in range(n):
        parent[i] = -1
        for place in range(indptr[i], indptr[i + 1]):
            k = indices[place]
            while k >= 0 and k < i:
                above = ancestor[k]
                ancestor[k] = i
                if above < 0:
                    parent[k] = i
                    break
                if above == i:
                    break
                k = above


@compiled
def column_counts(indptr, indices, parent, counts):
    """Entries of every column of the factor, the diagonal among them."""
    n = len(parent)
    seen = np.full(n, -1)
    for i in range(n):
        counts[i] += 1
        seen[i] = i
        for place in range(indptr[i], indptr[i + 1]):
            k = indices[place]
            while k < i and seen[k] != i:
                seen[k] = i
                counts[k] += 1
                k = parent[k]


@compiled
def postorder(parent, counts, order):
    """Columns so that each subtree is in one piece, the child with the longest column next to its parent."""
    n = len(parent)
    head, after = np.full(n + 1, -1), np.empty(n, np.int64)
    # A pass from short to long columns leaves the longest child first in each list, and so last in the order.
    by_length = np.argsort(counts, kind="mergesort")
    for k in range(n):
        i = by_length[k]
        above = parent[i] if parent[i] >= 0 else n
        after[i] = head[above]
        head[above] = i
    path, place, depth = np.empty(n, np.int64), n, 0
    # From the roots down, written from the back: the reverse of a postorder.
    i = head[n]
    while True:
        while i >= 0:
            place -= 1
            order[place] = i
            path[depth] = after[i]
            depth += 1
            i = head[i]
        if depth == 0:
            break
        depth -= 1
        i = path[depth]


@compiled
def group_columns(parent, counts, widest, few, share, first):
    """Neighbouring columns with nearly the same rows as one group; gives the number of groups.

    A column joins its parent's group if it has the same rows; a group joins that of its parent, next to it, where few
    zeros have to be stored for it.
    """
    n, groups = len(parent), 0
    zeros = np.zeros(n, np.int64)
    for j in range(n):
        # Column j opens a group; then groups beside it, whose parent it is, may join.
        first[groups] = j
        zeros[groups] = 0
        groups += 1
        while groups > 1:
            start, last = first[groups - 2], first[groups - 1] - 1
            if parent[last] != first[groups - 1]:
                break
            wide = last - start + 1
            total = j - start + 1
            if total > widest:
                break
            height = counts[j] + j - first[groups - 1]
            extra = zeros[groups - 2] + zeros[groups - 1] + wide * (height - (counts[last] - 1))
            if extra > share * total * (height + wide) and total > few:
                break
            zeros[groups - 2] = extra
            groups -= 1
    first[groups] = n
    return groups


@compiled
def group_rows(indptr, indices, first, above, row_start, rows, group_of):
    """Rows below the diagonal block of every group, ascending; and the group that holds each group's first row."""
    groups, n = len(first) - 1, first[-1]
    seen = np.full(n, -1)
    head, after = np.full(groups, -1), np.empty(groups, np.int64)
    for s in range(groups):
        for j in range(first[s], first[s + 1]):
            group_of[j] = s
    for s in range(groups):
        size = row_start[s]
        for j in range(first[s], first[s + 1]):
            for place in range(indptr[j], indptr[j + 1]):
                i = indices[place]
                if i >= first[s + 1] and seen[i] != s:
                    seen[i] = s
                    rows[size] = i
                    size += 1
        child = head[s]
        while child >= 0:
            for place in range(row_start[child], row_start[child + 1]):
                i = rows[place]
                if i >= first[s + 1] and seen[i] != s:
                    seen[i] = s
                    rows[size] = i
                    size += 1
            child = after[child]
        if size != row_start[s + 1]:
            return False
        rows[row_start[s] : size] = np.sort(rows[row_start[s] : size])
        above[s] = -1
        if size > row_start[s]:
            above[s] = group_of[rows[row_start[s]]]
            after[s] = head[above[s]]
            head[above[s]] = s
    return True


@compiled
def relative_rows(first, above, row_start, rows, relative):
    """Where each row of a group stands in the front of the group above it."""
    for s in range(len(first) - 1):
        p = above[s]
        if p < 0:
            continue
        wide, at = first[p + 1] - first[p], row_start[p]
        for place in range(row_start[s], row_start[s + 1]):
            i = rows[place]
            if i < first[p + 1]:
                relative[place] = i - first[p]
            else:
                while rows[at] < i:
                    at += 1
                relative[place] = wide + at - row_start[p]


@compiled
def entry_places(row, column, first, row_start, rows, group_of, start, out):
    """Where entries of the lower triangle are stored; -1 for one that the factor does not have."""
    for k in range(len(row)):
        s = group_of[column[k]]
        wide = first[s + 1] - first[s]
        if row[k] < first[s + 1]:
            at = row[k] - first[s]
        else:
            low, high = row_start[s], row_start[s + 1]
            while low < high:
                middle = (low + high) // 2
                if rows[middle] < row[k]:
                    low = middle + 1
                else:
                    high = middle
            if low == row_start[s + 1] or rows[low] != row[k]:
                out[k] = -1
                continue
            at = wide + low - row_start[s]
        out[k] = start[s] + at * wide + column[k] - first[s]
