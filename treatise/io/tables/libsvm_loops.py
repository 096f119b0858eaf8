"""LIBSVM text, byte by byte: ``label [qid:number] index:value index:value ... # comment``."""

import numpy as np

from treatise._core.jit import compiled
from treatise.io.source.number_loops import NO_DIGITS, scan
from treatise.io.source.number_loops import NO_NUMBER as NOT_A_NUMBER

_SPACE, _TAB, _FEED, _RETURN, _HASH, _COLON, _COMMA = 32, 9, 10, 13, 35, 58, 44
_ZERO, _NINE = 48, 57

FINE, LABEL, SEVERAL_LABELS, PAIR, INDEX, LARGE, REPEATED, DECREASING, VALUE = range(9)
EXACT, INEXACT, NO_NUMBER = range(3)

# Sparse matrices number their columns with 32 bits as long as they can, and most code expects it.
LARGEST_INDEX = 2**31 - 2
# Powers of ten that floating point holds exactly.
_POWERS = 10.0 ** np.arange(23)


@compiled
def decimal(data: np.ndarray, at: int, past: int) -> tuple[float, int]:
    """The number written in ``data[at:past]``, and whether it is exact.

    A decimal significand below 2**53 times or over an exact power of ten rounds once, hence correctly.
    Other numbers, also ``inf`` and ``nan``, are left to the caller.
    """
    significand, scale, negative, cut, state = scan(data, at, past)
    if state == NOT_A_NUMBER:
        return 0.0, NO_NUMBER
    if state == NO_DIGITS or cut or significand > 9007199254740992 or scale > 22 or scale < -22:
        return 0.0, INEXACT
    sign = -1.0 if negative else 1.0
    if scale < 0:
        return sign * significand / _POWERS[-scale], EXACT
    return sign * significand * _POWERS[scale], EXACT


@compiled
def parse_index(data: np.ndarray, first: int, colon: int) -> int:
    """The feature number in ``data[first:colon]``, -1 if it is none, or one beyond the last if it is too large."""
    index = 0
    for at in range(first, colon):
        if not _ZERO <= data[at] <= _NINE:
            return -1
        index = index * 10 + (data[at] - _ZERO)
        if index > LARGEST_INDEX:
            return LARGEST_INDEX + 1
    return index if colon > first else -1


@compiled
def is_query(data: np.ndarray, first: int, colon: int) -> bool:
    """Whether ``data[first:colon]`` reads ``qid``."""
    return colon - first == 3 and data[first] == 113 and data[first + 1] == 105 and data[first + 2] == 100


@compiled
def parse(
    data: np.ndarray,
    labels: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    open_at: np.ndarray,
    open_past: np.ndarray,
    open_slot: np.ndarray,
) -> tuple[int, int, int, int, int, int, int, int]:
    """Read every line. Numbers that :func:`decimal` leaves open are listed: where they stand and their slot,
    the position in ``values``, or -1 - the row for a label.

    Returns a status with the line and the bytes it concerns, then the number of rows, values, open numbers and
    lines with a query number.
    """
    size, at, first, line, rows, filled, opened, queries = len(data), 0, 0, 0, 0, 0, 0, 0
    status = FINE
    while at < size and status == FINE:
        line += 1
        token, previous = 0, -1
        while at < size and data[at] != _FEED and status == FINE:
            if data[at] in (_SPACE, _TAB, _RETURN):
                at += 1
                continue
            if data[at] == _HASH:
                while at < size and data[at] != _FEED:
                    at += 1
                break
            first, colon, comma = at, -1, False
            while at < size and data[at] not in (_SPACE, _TAB, _FEED, _RETURN, _HASH):
                if data[at] == _COLON and colon < 0:
                    colon = at
                comma |= data[at] == _COMMA
                at += 1
            token += 1
            if token == 1:
                number, state = decimal(data, first, at)
                labels[rows] = number
                slot = -1 - rows
                if state == NO_NUMBER or colon >= 0:
                    status = SEVERAL_LABELS if comma and colon < 0 else LABEL
            elif colon < 0:
                status = PAIR
            elif token == 2 and is_query(data, first, colon):
                queries += 1
                continue
            else:
                index = parse_index(data, first, colon)
                number, state = decimal(data, colon + 1, at)
                if index < 0:
                    status = INDEX
                elif index > LARGEST_INDEX:
                    status = LARGE
                elif index <= previous:
                    status = REPEATED if index == previous else DECREASING
                elif state == NO_NUMBER:
                    status = VALUE
                indices[filled] = previous = index
                values[filled] = number
                slot = filled
                filled += 1
            if status == FINE and state == INEXACT:
                open_at[opened] = first if token == 1 else colon + 1
                open_past[opened] = at
                open_slot[opened] = slot
                opened += 1
        if status == FINE:
            at += 1
            if token > 0:
                rows += 1
                indptr[rows] = filled
    return status, line, first, at, rows, filled, opened, queries
