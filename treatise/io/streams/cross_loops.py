"""Products of features of several namespaces, and tables packed into rows with them."""

import numpy as np

from treatise._core.jit import compiled

MOST_NAMESPACES = 4096
_FNV = np.uint64(16777619)


@compiled
def cross_two(
    first: int, second: int, names: np.ndarray, starts: np.ndarray, ends: np.ndarray, n_spaces: int,
    indices: np.ndarray, values: np.ndarray, filled: int, mask: np.uint64,
) -> int:  # fmt: skip
    """Append the products of the features of namespaces that begin with two letters."""
    same = first == second
    for a in range(n_spaces):
        if names[a] != first:
            continue
        for i in range(starts[a], ends[a]):
            half = _FNV * np.uint64(indices[i])
            for b in range(n_spaces):
                if names[b] != second:
                    continue
                for j in range(max(starts[b], i) if same else starts[b], ends[b]):
                    if filled == len(indices):
                        return -1
                    indices[filled] = np.int32((half ^ np.uint64(indices[j])) & mask)
                    values[filled] = values[i] * values[j]
                    filled += 1
    return filled


@compiled
def cross_three(
    first: int, second: int, third: int, names: np.ndarray, starts: np.ndarray, ends: np.ndarray, n_spaces: int,
    indices: np.ndarray, values: np.ndarray, filled: int, mask: np.uint64,
) -> int:  # fmt: skip
    """Append the products of the features of namespaces that begin with three letters."""
    first_two, last_two = first == second, second == third
    for a in range(n_spaces):
        if names[a] != first:
            continue
        for i in range(starts[a], ends[a]):
            half = _FNV * np.uint64(indices[i])
            for b in range(n_spaces):
                if names[b] != second:
                    continue
                for j in range(max(starts[b], i) if first_two else starts[b], ends[b]):
                    whole = _FNV * (half ^ np.uint64(indices[j]))
                    product = values[i] * values[j]
                    for c in range(n_spaces):
                        if names[c] != third:
                            continue
                        for k in range(max(starts[c], j) if last_two else starts[c], ends[c]):
                            if filled == len(indices):
                                return -1
                            indices[filled] = np.int32((whole ^ np.uint64(indices[k])) & mask)
                            values[filled] = product * values[k]
                            filled += 1
    return filled


@compiled
def cross(
    quadratic: np.ndarray, cubic: np.ndarray, names: np.ndarray, starts: np.ndarray, ends: np.ndarray, n_spaces: int,
    indices: np.ndarray, values: np.ndarray, filled: int, mask: np.uint64,
) -> int:  # fmt: skip
    """Append the products of features of two and of three namespaces; -1 where they do not fit.

    The hash of a pair is that of Vowpal Wabbit: the first index times the FNV prime, exclusive-or the second. Within
    one namespace each pair counts once, a feature with itself included.
    """
    for pair in range(len(quadratic)):
        a, b = quadratic[pair, 0], quadratic[pair, 1]
        filled = cross_two(a, b, names, starts, ends, n_spaces, indices, values, filled, mask)
        if filled < 0:
            return -1
    for triple in range(len(cubic)):
        a, b, c = cubic[triple, 0], cubic[triple, 1], cubic[triple, 2]
        filled = cross_three(a, b, c, names, starts, ends, n_spaces, indices, values, filled, mask)
        if filled < 0:
            return -1
    return filled


@compiled
def pack(
    grid_indices: np.ndarray, grid_values: np.ndarray, names: np.ndarray, mask: np.uint64, quadratic: np.ndarray,
    cubic: np.ndarray, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, starts: np.ndarray,
    ends: np.ndarray,
) -> bool:  # fmt: skip
    """Rows of a table with at most one feature in each column, a value of 0 for none; False where room is short."""
    rows, columns = grid_indices.shape
    kept = np.empty(columns, np.uint8)
    filled = 0
    for row in range(rows):
        n_spaces = 0
        for column in range(columns):
            value = grid_values[row, column]
            if value == 0.0:
                continue
            if filled == len(indices):
                return False
            kept[n_spaces], starts[n_spaces], ends[n_spaces] = names[column], filled, filled + 1
            n_spaces += 1
            indices[filled], values[filled] = grid_indices[row, column], value
            filled += 1
        filled = cross(quadratic, cubic, kept, starts, ends, n_spaces, indices, values, filled, mask)
        if filled < 0:
            return False
        indptr[row + 1] = filled
    return True
