"""Numbers of a Cholesky factor, group of columns by group, with dense fronts; and what is made of it.

A group of w columns with r rows below stores a block of (w + r) x w numbers, row by row. Its *front* is the square
matrix over its columns and rows: what it hands to the group above is the r x r part left when its columns are
eliminated (multifrontal elimination). Fronts wait in one array, the last on top.
"""

import numpy as np

from treatise._core.jit import compiled_sums

_FEW = 12
"""Columns from which a product of matrices beats a loop."""


@compiled_sums
def factorize(first, above, row_start, relative, start, children, values, stack):
    """Overwrite the entries of a matrix with those of its factor; gives -1, or a column with no positive pivot."""
    groups = len(first) - 1
    sizes = np.empty(groups, np.int64)
    waiting, top = 0, 0
    for s in range(groups):
        w, r = first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        block = values[start[s] : start[s + 1]].reshape(w + r, w)
        update = np.zeros((r, r))
        for _ in range(children[s]):
            waiting -= 1
            child = sizes[waiting]
            size = row_start[child + 1] - row_start[child]
            top -= size * size
            handed = stack[top : top + size * size].reshape(size, size)
            where = relative[row_start[child] : row_start[child + 1]]
            inside = 0
            while inside < size and where[inside] < w:
                inside += 1
            for a in range(size):
                for b in range(min(a + 1, inside)):
                    block[where[a], where[b]] += handed[a, b]
                for b in range(inside, a + 1):
                    update[where[a] - w, where[b] - w] += handed[a, b]
        for j in range(w):
            pivot = block[j, j]
            for k in range(j):
                pivot -= block[j, k] * block[j, k]
            if not pivot > 0.0:
                return first[s] + j
            pivot = np.sqrt(pivot)
            block[j, j] = pivot
            for i in range(j + 1, w + r):
                value = block[i, j]
                for k in range(j):
                    value -= block[i, k] * block[j, k]
                block[i, j] = value / pivot
            for k in range(j + 1, w):
                block[j, k] = 0.0
        if r > 0:
            below = block[w:]
            if w >= _FEW:
                update -= np.dot(below, below.T)
            else:
                for a in range(r):
                    for b in range(a + 1):
                        value = update[a, b]
                        for k in range(w):
                            value -= below[a, k] * below[b, k]
                        update[a, b] = value
            stack[top : top + r * r] = update.ravel()
            top += r * r
            sizes[waiting] = s
            waiting += 1
    return -1


@compiled_sums
def solve_lower(first, row_start, rows, start, values, x):
    """``L^-1 x`` in place, for the columns of x."""
    for s in range(len(first) - 1):
        w, r = first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        block = values[start[s] : start[s + 1]].reshape(w + r, w)
        below = rows[row_start[s] : row_start[s + 1]]
        for c in range(x.shape[1]):
            for j in range(w):
                value = x[first[s] + j, c]
                for k in range(j):
                    value -= block[j, k] * x[first[s] + k, c]
                x[first[s] + j, c] = value / block[j, j]
            for i in range(r):
                value = 0.0
                for k in range(w):
                    value += block[w + i, k] * x[first[s] + k, c]
                x[below[i], c] -= value


@compiled_sums
def solve_upper(first, row_start, rows, start, values, x):
    """``L'^-1 x`` in place, for the columns of x."""
    for s in range(len(first) - 2, -1, -1):
        w, r = first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        block = values[start[s] : start[s + 1]].reshape(w + r, w)
        below = rows[row_start[s] : row_start[s + 1]]
        for c in range(x.shape[1]):
            for i in range(r):
                value = x[below[i], c]
                for k in range(w):
                    x[first[s] + k, c] -= block[w + i, k] * value
            for j in range(w - 1, -1, -1):
                value = x[first[s] + j, c] / block[j, j]
                x[first[s] + j, c] = value
                for k in range(j):
                    x[first[s] + k, c] -= block[j, k] * value


@compiled_sums
def takahashi(first, above, row_start, relative, start, children, values, stack, inverse):
    """Entries of ``(L L')^-1`` where L has its own, group by group from the last (Takahashi's equations).

    With L the block of a group's columns J over its rows R and ``X = L_RJ L_JJ^-1``, ``V_RJ = -V_RR X`` and
    ``V_JJ = (L_JJ L_JJ')^-1 - X' V_RJ``. R lies in the front of the group above, whose inverse waits until all groups
    below have taken their part of it.
    """
    groups = len(first) - 1
    asked = np.zeros(groups, np.int64)
    top = 0
    for s in range(groups - 1, -1, -1):
        w, r = first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        block = values[start[s] : start[s + 1]].reshape(w + r, w)
        out = inverse[start[s] : start[s + 1]].reshape(w + r, w)
        root = np.zeros((w, w))  # L_JJ^-1
        for j in range(w):
            root[j, j] = 1.0 / block[j, j]
            for i in range(j + 1, w):
                value = 0.0
                for k in range(j, i):
                    value -= block[i, k] * root[k, j]
                root[i, j] = value / block[i, i]
        for i in range(w):
            for j in range(i + 1):
                value = 0.0
                for k in range(i, w):
                    value += root[k, i] * root[k, j]
                out[i, j] = value
                out[j, i] = value
        outer = np.empty((r, r))
        if r > 0:
            p = above[s]
            size = first[p + 1] - first[p] + row_start[p + 1] - row_start[p]
            front = stack[top - size * size : top].reshape(size, size)
            where = relative[row_start[s] : row_start[s + 1]]
            for a in range(r):
                for b in range(r):
                    outer[a, b] = front[where[a], where[b]]
            asked[p] += 1
            if asked[p] == children[p]:
                top -= size * size
            if w >= _FEW:
                scaled = np.dot(block[w:], root)
                found = np.dot(outer, scaled)
                out[w:] = -found
                out[:w] += np.dot(scaled.T, found)
            else:
                scaled = np.zeros((r, w))
                for i in range(r):
                    for j in range(w):
                        for k in range(j, w):
                            scaled[i, j] += block[w + i, k] * root[k, j]
                for j in range(w):
                    column = scaled[:, j].copy()
                    for i in range(r):
                        value = 0.0
                        for k in range(r):
                            value += outer[i, k] * column[k]
                        out[w + i, j] = -value
                for i in range(w):
                    for j in range(w):
                        for k in range(r):
                            out[i, j] -= scaled[k, i] * out[w + k, j]
        if children[s] > 0:
            size = w + r
            front = stack[top : top + size * size].reshape(size, size)
            top += size * size
            front[:, :w] = out
            for i in range(r):
                for j in range(w):
                    front[j, w + i] = out[w + i, j]
                for k in range(r):
                    front[w + i, w + k] = outer[i, k]


def stack_sizes(first, above, row_start, children):
    """The most numbers that wait at once in :func:`factorize` and in :func:`takahashi`."""
    below = np.diff(row_start)
    front = np.diff(first) + below
    most_up = now = 0
    handed = []
    for s in range(len(front)):
        for _ in range(children[s]):
            now -= handed.pop()
        if below[s]:
            handed.append(int(below[s]) ** 2)
            now += handed[-1]
        most_up = max(most_up, now)
    most_down = now = 0
    asked = np.zeros(len(front), dtype=np.int64)
    for s in range(len(front) - 1, -1, -1):
        p = above[s]
        if p >= 0:
            asked[p] += 1
            if asked[p] == children[p]:
                now -= int(front[p]) ** 2
        if children[s]:
            now += int(front[s]) ** 2
            most_down = max(most_down, now)
    return most_up, most_down
