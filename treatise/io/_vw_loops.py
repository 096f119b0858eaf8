"""Lines of Vowpal Wabbit or LIBSVM text, byte by byte, into hashed sparse rows.

A feature's index is the 32-bit murmur3 hash of its name, seeded with the hash of its namespace, cut to ``bits``
bits; a name of digits alone counts as its number plus the namespace's hash. Both as in Vowpal Wabbit, so that
files and indices mean the same here and there.
"""

import numpy as np

from treatise._core.jit import compiled
from treatise.io._stream_word_loops import (
    _DIGIT,
    _END,
    _ROLE,
    eight,
    hash_name,
    murmur3,
    short_murmur3,
    whole_number,
    word_end,
)

FULL, FINE, LABEL, NO_LABEL, WEIGHT, INITIAL, NO_BAR, VALUE, SCALE, INDEX, NAMESPACES, UNFIT = range(12)
ANY, CLASSES, COUNTS = range(3)
VW, LIBSVM = range(2)

_SPACE, _BAR, _COLON, _FEED, _QUOTE, _HASH = 32, 124, 58, 10, 39, 35
_PLUS, _MINUS, _DOT, _ZERO = 43, 45, 46, 48
MOST_NAMESPACES = 4096

_POWERS = 10.0 ** np.arange(309)
_OVERFLOW = 3.4028235677973366e38  # from here on single precision rounds to infinity
_FNV = np.uint64(16777619)


@compiled
def number(data: np.ndarray, at: int, past: int) -> tuple[float, bool]:
    """The number written in ``data[at:past]`` and whether it is one; within a few units of the last place.

    Single precision keeps a value, so that more would be lost on it. Neither ``inf`` nor ``nan`` is a number here.
    """
    if at < past and (data[at] == _MINUS or data[at] == _PLUS):
        negative = data[at] == _MINUS
        at += 1
    else:
        negative = False
    significand, scale, seen, point = np.int64(0), 0, False, False
    while at < past:
        byte = data[at]
        if _ROLE[byte] == _DIGIT:
            seen = True
            if significand < 100_000_000_000_000_000:
                significand = significand * 10 + np.int64(byte - _ZERO)
                scale -= point
            else:
                scale += not point
        elif byte == _DOT and not point:
            point = True
        else:
            break
        at += 1
    if not seen:
        return 0.0, False
    if at < past and (data[at] == 101 or data[at] == 69):
        at += 1
        down = at < past and data[at] == _MINUS
        at += at < past and (data[at] == _MINUS or data[at] == _PLUS)
        if at == past:
            return 0.0, False
        power = 0
        while at < past and _ROLE[data[at]] == _DIGIT:
            power = min(power * 10 + (data[at] - _ZERO), 100_000)
            at += 1
        scale += -power if down else power
    if at < past:
        return 0.0, False
    value = float(significand)
    if scale < 0:
        value = value / _POWERS[-scale] if scale >= -308 else 0.0
    elif scale > 0 and significand > 0:
        value = value * _POWERS[scale] if scale <= 308 else np.inf
    return (-value if negative else value), value < _OVERFLOW


@compiled
def cross(
    quadratic: np.ndarray, cubic: np.ndarray, names: np.ndarray, starts: np.ndarray, ends: np.ndarray, n_spaces: int,
    indices: np.ndarray, values: np.ndarray, filled: int, mask: np.uint64,
) -> int:  # fmt: skip
    """Append the products of features of two and of three namespaces; -1 where they do not fit.

    The hash of a pair is that of Vowpal Wabbit: the first index times the FNV prime, exclusive-or the second. Within
    one namespace each pair counts once, a feature with itself included.
    """
    capacity = len(indices)
    for pair in range(len(quadratic)):
        for a in range(n_spaces):
            if names[a] != quadratic[pair, 0]:
                continue
            for i in range(starts[a], ends[a]):
                half = _FNV * np.uint64(indices[i])
                for b in range(n_spaces):
                    if names[b] != quadratic[pair, 1]:
                        continue
                    same = quadratic[pair, 0] == quadratic[pair, 1]
                    for j in range(max(starts[b], i) if same else starts[b], ends[b]):
                        if filled == capacity:
                            return -1
                        indices[filled] = np.int32((half ^ np.uint64(indices[j])) & mask)
                        values[filled] = values[i] * values[j]
                        filled += 1
    for triple in range(len(cubic)):
        first_two, last_two = cubic[triple, 0] == cubic[triple, 1], cubic[triple, 1] == cubic[triple, 2]
        for a in range(n_spaces):
            if names[a] != cubic[triple, 0]:
                continue
            for i in range(starts[a], ends[a]):
                half = _FNV * np.uint64(indices[i])
                for b in range(n_spaces):
                    if names[b] != cubic[triple, 1]:
                        continue
                    for j in range(max(starts[b], i) if first_two else starts[b], ends[b]):
                        whole = _FNV * (half ^ np.uint64(indices[j]))
                        product = values[i] * values[j]
                        for c in range(n_spaces):
                            if names[c] != cubic[triple, 2]:
                                continue
                            for k in range(max(starts[c], j) if last_two else starts[c], ends[c]):
                                if filled == capacity:
                                    return -1
                                indices[filled] = np.int32((whole ^ np.uint64(indices[k])) & mask)
                                values[filled] = product * values[k]
                                filled += 1
    return filled


@compiled
def admits(admitted: int, label: float) -> bool:
    """Whether a label is of the kind that is admitted: any number, -1, 0 or 1, or a number from 0 on."""
    if admitted == CLASSES:
        return label == 1.0 or label == -1.0 or label == 0.0
    return admitted != COUNTS or label >= 0.0


@compiled
def misfits(admitted: int, labels: np.ndarray) -> np.ndarray:
    """Where a label is a number, but none of the kind that is admitted."""
    found = np.empty(len(labels), np.bool_)
    for row in range(len(labels)):
        found[row] = not (np.isnan(labels[row]) or admits(admitted, labels[row]))
    return found


@compiled
def parse(
    data: np.ndarray, at: int, past: int, style: int, need_label: bool, admitted: int, mask: np.uint64,
    quadratic: np.ndarray, cubic: np.ndarray, rows: int, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray,
    labels: np.ndarray, weights: np.ndarray, tag_at: np.ndarray, tag_past: np.ndarray, names: np.ndarray,
    starts: np.ndarray, ends: np.ndarray,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Read whole lines of ``data[at:past]`` into the rows from ``rows`` on, as far as there is room.

    Returns a status, where it stands (for ``FULL`` and for what is wrong: the start of the line), the number of
    rows and the bytes that the status concerns. Empty lines make no row.
    """
    capacity, most_rows = len(indices), len(labels)
    if at < 0 or past > len(data):  # tells the compiler that no index counts from the end
        return FINE, at, rows, at, at
    crossed = len(quadratic) + len(cubic) > 0
    filled = indptr[rows]
    while at < past:
        line = at
        if rows == most_rows:
            return FULL, line, rows, at, at
        label, weight, tokens, tag_first, tag_end = np.nan, 1.0, 0, 0, 0
        open_features = False
        while at < past:
            byte = data[at]
            if byte == _SPACE or byte == 9 or byte == 13:
                at += 1
                continue
            if byte == _FEED or (style == VW and byte == _BAR) or (style == LIBSVM and byte == _HASH):
                break
            first = at
            while at < past and (_ROLE[data[at]] != _END or data[at] == _COLON):
                at += 1
            if style == VW and (data[first] == _QUOTE or (at < past and data[at] == _BAR)):
                tag_first, tag_end = first + (data[first] == _QUOTE), at
                continue
            quantity, is_number = number(data, first, at)
            tokens += 1
            if tokens == 1:
                if not is_number:
                    return LABEL, line, rows, first, at
                label = quantity
                if not admits(admitted, label):
                    return UNFIT, line, rows, first, at
                if style == LIBSVM:
                    open_features = True
                    break
            elif tokens == 2:
                if not is_number or quantity < 0.0:
                    return WEIGHT, line, rows, first, at
                weight = quantity
            else:
                return INITIAL, line, rows, first, at
        if at >= past or data[at] == _FEED or (style == LIBSVM and not open_features):
            if tokens == 0 and tag_end == 0:
                while at < past and data[at] != _FEED:
                    at += 1
                at += 1
                continue
            if style == VW:
                return NO_BAR, line, rows, line, at
        if need_label and tokens == 0:
            return NO_LABEL, line, rows, line, at
        n_spaces = 0
        while at < past and data[at] != _FEED:
            scale, seed, name, anonymous = 1.0, np.uint64(0), np.uint8(_SPACE), np.uint64(0)
            if style == VW:
                at += 1
                first = at
                at = word_end(data, at, past)
                if at > first:
                    name = data[first]
                    seed = hash_name(data, first, at, np.uint64(0))
                if at < past and data[at] == _COLON:
                    first = at + 1
                    at += 1
                    while at < past and (_ROLE[data[at]] != _END or data[at] == _COLON):
                        at += 1
                    scale, is_number = number(data, first, at)
                    if not is_number:
                        return SCALE, line, rows, first, at
            space_start = filled
            while at < past:
                byte = data[at]
                role = _ROLE[byte]
                if role == _END:
                    if byte == _SPACE or byte == 9 or byte == 13:
                        at += 1
                        continue
                    if byte == _FEED or (byte == _BAR and style == VW):
                        break
                if style == LIBSVM and byte == _HASH:
                    while at < past and data[at] != _FEED:
                        at += 1
                    break
                first, index, digits = at, np.uint64(0), role == _DIGIT
                at = name_end = word_end(data, at, past)
                if digits:
                    index, digits = whole_number(data, first, name_end)
                value = 1.0
                if at < past and data[at] == _COLON:
                    at += 1
                    value_first = at
                    while at < past and (_ROLE[data[at]] != _END or data[at] == _COLON):
                        at += 1
                    value, is_number = number(data, value_first, at)
                    if not is_number:
                        if style == LIBSVM and name_end - first == 3 and data[first] == 113:
                            continue
                        return VALUE, line, rows, first, at
                elif style == LIBSVM:
                    return INDEX, line, rows, first, at
                if style == LIBSVM and not digits:
                    if name_end - first == 3 and data[first] == 113 and data[first + 1] == 105:
                        continue
                    return INDEX, line, rows, first, at
                value *= scale
                if value == 0.0:
                    anonymous += np.uint64(name_end == first)
                    continue
                if filled == capacity:
                    return FULL, line, rows, line, at
                if name_end == first:
                    index = seed + anonymous
                    anonymous += np.uint64(1)
                elif digits:
                    index += seed
                elif name_end - first < 8 and first + 8 <= past:
                    index = short_murmur3(eight(data, first), name_end - first, seed)
                else:
                    index = murmur3(data, first, name_end, seed)
                indices[filled] = np.int32(index & mask)
                values[filled] = value
                filled += 1
            if crossed and filled > space_start:
                if n_spaces == len(names):
                    return NAMESPACES, line, rows, line, at
                names[n_spaces], starts[n_spaces], ends[n_spaces] = name, space_start, filled
                n_spaces += 1
        if crossed:
            filled = cross(quadratic, cubic, names, starts, ends, n_spaces, indices, values, filled, mask)
            if filled < 0:
                return FULL, line, rows, line, at
        at += 1
        labels[rows], weights[rows] = label, weight
        tag_at[rows], tag_past[rows] = tag_first, tag_end
        rows += 1
        indptr[rows] = filled
    return FINE, at, rows, at, at


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
