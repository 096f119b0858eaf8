"""LIBSVM text, byte by byte: ``label [qid:number] index:value index:value ... # comment``."""

import numpy as np

from treatise._core.jit import kernel

_SPACE, _TAB, _FEED, _RETURN, _HASH, _COLON, _COMMA = 32, 9, 10, 13, 35, 58, 44
_PLUS, _MINUS, _DOT, _ZERO, _NINE = 43, 45, 46, 48, 57

FINE, LABEL, SEVERAL_LABELS, PAIR, INDEX, LARGE, REPEATED, DECREASING, VALUE = range(9)
EXACT, INEXACT, NO_NUMBER = range(3)

# Sparse matrices number their columns with 32 bits as long as they can, and most code expects it.
LARGEST_INDEX = 2**31 - 2
# Powers of ten that floating point holds exactly.
_POWERS = 10.0 ** np.arange(23)


@kernel
def decimal(data, at, past):
    """The number written in ``data[at:past]``, and whether it is exact.

    A decimal significand below 2**53 times or over an exact power of ten rounds once, hence correctly.
    Other numbers, also ``inf`` and ``nan``, are left to the caller.
    """
    sign, digits, significand, scale, seen = 1.0, 0, np.int64(0), 0, False
    if at < past and (data[at] == _PLUS or data[at] == _MINUS):
        sign = -1.0 if data[at] == _MINUS else 1.0
        at += 1
    point = False
    while at < past:
        byte = data[at]
        if _ZERO <= byte <= _NINE:
            seen = True
            if digits < 18:
                significand = significand * 10 + (byte - _ZERO)
                if significand > 0:
                    digits += 1
                if point:
                    scale -= 1
            else:
                digits += 1
        elif byte == _DOT and not point:
            point = True
        else:
            break
        at += 1
    if not seen:
        return 0.0, INEXACT
    if at < past and (data[at] == 101 or data[at] == 69):
        at += 1
        down = at < past and data[at] == _MINUS
        if at < past and (data[at] == _PLUS or data[at] == _MINUS):
            at += 1
        if at == past:
            return 0.0, NO_NUMBER
        power = 0
        while at < past and _ZERO <= data[at] <= _NINE:
            power = min(power * 10 + (data[at] - _ZERO), 100_000)
            at += 1
        scale += -power if down else power
    if at < past:
        return 0.0, NO_NUMBER
    if digits > 18 or significand > 9007199254740992 or scale > 22 or scale < -22:
        return 0.0, INEXACT
    if scale < 0:
        return sign * significand / _POWERS[-scale], EXACT
    return sign * significand * _POWERS[scale], EXACT


@kernel
def parse(data, labels, indptr, indices, values, open_at, open_past, open_slot):
    """Read every line. Numbers that :func:`decimal` leaves open are listed: where they stand and their slot,
    the position in ``values``, or -1 - the row for a label.

    Returns a status with the line and the bytes it concerns, then the number of rows, values and open numbers,
    the least and the greatest index, and the number of lines with a query number.
    """
    size, at, line, rows, filled, opened, queries = len(data), 0, 0, 0, 0, 0, 0
    least, greatest = np.int64(np.iinfo(np.int64).max), np.int64(-1)
    while at < size:
        line += 1
        token, previous = 0, np.int64(-1)
        while at < size and data[at] != _FEED:
            byte = data[at]
            if byte == _SPACE or byte == _TAB or byte == _RETURN:
                at += 1
                continue
            if byte == _HASH:
                while at < size and data[at] != _FEED:
                    at += 1
                break
            first, colon = at, -1
            while at < size:
                byte = data[at]
                if byte == _SPACE or byte == _TAB or byte == _FEED or byte == _RETURN or byte == _HASH:
                    break
                if byte == _COLON and colon < 0:
                    colon = at
                at += 1
            token += 1
            if token == 1:
                if colon >= 0:
                    return LABEL, line, first, at, rows, filled, opened, least, greatest, queries
                number, state = decimal(data, first, at)
                if state == NO_NUMBER:
                    for i in range(first, at):
                        if data[i] == _COMMA:
                            return SEVERAL_LABELS, line, first, at, rows, filled, opened, least, greatest, queries
                    return LABEL, line, first, at, rows, filled, opened, least, greatest, queries
                labels[rows] = number
                if state == INEXACT:
                    open_at[opened], open_past[opened], open_slot[opened] = first, at, -1 - rows
                    opened += 1
                continue
            if colon < 0:
                return PAIR, line, first, at, rows, filled, opened, least, greatest, queries
            if (
                token == 2
                and colon - first == 3
                and data[first] == 113
                and data[first + 1] == 105
                and data[first + 2] == 100
            ):
                queries += 1
                continue
            index = np.int64(0)
            if colon == first or colon - first > 18:
                kind = INDEX if colon == first else LARGE
                return kind, line, first, at, rows, filled, opened, least, greatest, queries
            for i in range(first, colon):
                if not _ZERO <= data[i] <= _NINE:
                    return INDEX, line, first, at, rows, filled, opened, least, greatest, queries
                index = index * 10 + (data[i] - _ZERO)
            if index > LARGEST_INDEX:
                return LARGE, line, first, at, rows, filled, opened, least, greatest, queries
            if index <= previous:
                kind = REPEATED if index == previous else DECREASING
                return kind, line, first, at, rows, filled, opened, least, greatest, queries
            number, state = decimal(data, colon + 1, at)
            if state == NO_NUMBER:
                return VALUE, line, first, at, rows, filled, opened, least, greatest, queries
            if state == INEXACT:
                open_at[opened], open_past[opened], open_slot[opened] = colon + 1, at, filled
                opened += 1
            indices[filled] = index
            values[filled] = number
            filled += 1
            previous = index
            least, greatest = min(least, index), max(greatest, index)
        at += 1
        if token > 0:
            rows += 1
            indptr[rows] = filled
    return FINE, line, 0, 0, rows, filled, opened, least, greatest, queries
