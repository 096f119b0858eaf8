"""Lines of Vowpal Wabbit or LIBSVM text, byte by byte, into hashed sparse rows.

A line is ``[label [weight]] [tag]|namespace[:scale] name[:value] ... |namespace ...``, or ``label index:value ...``
with ``#`` before a comment. Each part has a step of its own: :func:`before_features`, :func:`namespace`,
:func:`features`; :func:`parse` goes from line to line.

A feature's index is the 32-bit murmur3 hash of its name, seeded with the hash of its namespace, cut to ``bits``
bits; a name of digits alone counts as its number plus the namespace's hash. Both as in Vowpal Wabbit, so that
files and indices mean the same here and there.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.jit import compiled, inlined
from treatise.io.source.number_loops import NUMBER, scan
from treatise.io.streams.cross_loops import cross
from treatise.io.streams.word_loops import (
    _DIGIT,
    _END,
    _ROLE,
    _WORD,
    eight,
    ends_among,
    hash_name,
    murmur3,
    short_murmur3,
    whole_number,
    word_end,
)
from treatise.io.tables.libsvm_loops import is_query

FULL, FINE, LABEL, NO_LABEL, WEIGHT, INITIAL, NO_BAR, VALUE, SCALE, INDEX, NAMESPACES, UNFIT, LARGE = range(13)
ANY, CLASSES, COUNTS = range(3)
VW, LIBSVM = range(2)

_SPACE, _TAB, _RETURN, _FEED, _BAR, _COLON, _QUOTE, _HASH = 32, 9, 13, 10, 124, 58, 39, 35

MOST_DIGITS = 19  # of an index; more would not fit into 64 bits, and count from 0 again
_POWERS = 10.0 ** np.arange(309)
_OVERFLOW = 3.4028235677973366e38  # from here on single precision rounds to infinity


class Slots(NamedTuple):
    """The arrays that rows are written to; the last three hold the namespaces of one line."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    tag_at: np.ndarray
    tag_past: np.ndarray
    names: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


class Crosses(NamedTuple):
    """All bits of an index, and the letters of the namespaces that are multiplied."""

    mask: np.uint64
    quadratic: np.ndarray
    cubic: np.ndarray


@inlined
def number(data: np.ndarray, at: int, past: int) -> tuple[float, bool]:
    """The number written in ``data[at:past]`` and whether it is one; within a few units of the last place.

    Single precision keeps a value, so that more would be lost on it. Neither ``inf`` nor ``nan`` is a number here.
    """
    significand, scale, negative, _, state = scan(data, at, past)
    if state != NUMBER:
        return 0.0, False
    value = float(significand)
    if scale < 0:
        value = value / _POWERS[-scale] if scale >= -308 else 0.0
    elif scale > 0 and significand > 0:
        value = value * _POWERS[scale] if scale <= 308 else np.inf
    return (-value if negative else value), value < _OVERFLOW


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


@inlined
def value_end(data: np.ndarray, at: int, past: int) -> int:
    """The end of a value, in which a second colon would be a fault and no end."""
    while at < past and (_ROLE[data[at]] != _END or data[at] == _COLON):
        at += 1
    return at


@inlined
def line_end(data: np.ndarray, at: int, past: int) -> int:
    """The place of the next line feed, or ``past``."""
    while at < past and data[at] != _FEED:
        at += 1
    return at


@inlined
def is_blank(byte: int) -> bool:
    """Whether a byte is white space within a line."""
    return byte in (_SPACE, _TAB, _RETURN)


@inlined
def before_features(
    data: np.ndarray, at: int, past: int, style: int, admitted: int
) -> tuple[int, int, int, float, float, int, int, int]:
    """Label, weight and tag, up to the first bar or comment, the line's end, or LIBSVM's first feature.

    Returns a status, where it stands, where the word that the status concerns begins, the label (NaN for none), the
    weight, how many of both there are, and where the tag begins and ends.
    """
    label, weight, words, tag, tag_end, first = np.nan, 1.0, 0, 0, 0, at
    while at < past:
        byte = data[at]
        if is_blank(byte):
            at += 1
            continue
        if byte == _FEED or (style == VW and byte == _BAR) or (style == LIBSVM and byte == _HASH):
            break
        first = at
        at = value_end(data, at, past)
        if style == VW and (data[first] == _QUOTE or (at < past and data[at] == _BAR)):
            tag, tag_end = first + (data[first] == _QUOTE), at
            continue
        quantity, is_number = number(data, first, at)
        words += 1
        if words == 1:
            if not is_number:
                return LABEL, at, first, label, weight, words, tag, tag_end
            label = quantity
            if not admits(admitted, label):
                return UNFIT, at, first, label, weight, words, tag, tag_end
            if style == LIBSVM:
                break
        elif words == 2:
            if not is_number or quantity < 0.0:
                return WEIGHT, at, first, label, weight, words, tag, tag_end
            weight = quantity
        else:
            return INITIAL, at, first, label, weight, words, tag, tag_end
    return FINE, at, first, label, weight, words, tag, tag_end


@inlined
def namespace(data: np.ndarray, at: int, past: int) -> tuple[int, int, int, np.uint8, np.uint64, float]:
    """The bar at ``at`` and the name and scale that touch it.

    Returns a status, where it stands, where the scale begins, the first letter of the name (a blank for none), its
    hash and the scale.
    """
    at += 1
    first, letter, seed, scale = at, np.uint8(_SPACE), np.uint64(0), 1.0
    at = word_end(data, at, past)
    if at > first:
        letter, seed = data[first], hash_name(data, first, at, np.uint64(0))
    if at < past and data[at] == _COLON:
        first = at + 1
        at = value_end(data, first, past)
        scale, is_number = number(data, first, at)
        if not is_number:
            return SCALE, at, first, letter, seed, scale
    return FINE, at, first, letter, seed, scale


@inlined
def features(
    data: np.ndarray, at: int, past: int, style: int, seed: np.uint64, scale: float, mask: np.uint64,
    indices: np.ndarray, values: np.ndarray, filled: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """The features up to the next bar, a comment or the line's end; those of value zero are left out.

    Returns a status, where it stands, where the feature that the status concerns begins, and how many values are
    filled.
    """
    anonymous, first = np.uint64(0), at
    while at < past:
        byte = data[at]
        role = _ROLE[byte]
        if role == _END:
            if is_blank(byte):
                at += 1
                continue
            if byte == _FEED or (byte == _BAR and style == VW):
                break
        if style == LIBSVM and byte == _HASH:
            at = line_end(data, at, past)
            break
        if role == _WORD and style == VW and scale != 0.0 and filled < len(indices) and at + 8 <= past:
            # Most names are short, and a blank follows them: eight bytes hold both.
            text = eight(data, at)
            size = ends_among(text)
            if size < np.uint64(8) and (text >> (np.uint64(8) * size)) & np.uint64(255) == np.uint64(_SPACE):
                indices[filled] = np.int32(short_murmur3(text, np.int64(size), seed) & mask)
                values[filled] = scale
                filled += 1
                at += int(np.int64(size)) + 1
                continue
        first, index, digits = at, np.uint64(0), role == _DIGIT
        at = name_end = word_end(data, at, past)
        if digits:
            index, digits = whole_number(data, first, name_end)
        value = 1.0
        if at < past and data[at] == _COLON:
            at = value_end(data, name_end + 1, past)
            value, is_number = number(data, name_end + 1, at)
            if not is_number:
                if style == LIBSVM and is_query(data, first, name_end):
                    continue
                return VALUE, at, first, filled
        elif style == LIBSVM:
            return INDEX, at, first, filled
        if style == LIBSVM and not digits:
            if is_query(data, first, name_end):
                continue
            return INDEX, at, first, filled
        if style == LIBSVM and name_end - first > MOST_DIGITS:
            return LARGE, at, first, filled
        value *= scale
        if value == 0.0:
            anonymous += np.uint64(name_end == first)
            continue
        if filled == len(indices):
            return FULL, at, first, filled
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
    return FINE, at, first, filled


@compiled
def line_feeds(data: np.ndarray, first: int, past: int) -> int:
    """The number of lines that end in ``data[first:past]``."""
    found = 0
    for at in range(np.uint64(first), np.uint64(past)):
        found += data[at] == _FEED
    return found


@compiled
def parse(
    data: np.ndarray, at: int, past: int, style: int, need_label: bool, admitted: int, crosses: Crosses, rows: int,
    out: Slots,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Read whole lines of ``data[at:past]`` into the rows from ``rows`` on, as far as there is room.

    Returns a status, where it stands (for ``FULL`` and for what is wrong: the start of the line), the number of
    rows and the bytes that the status concerns. Empty lines make no row.
    """
    if at < 0 or past > len(data):  # tells the compiler that no index counts from the end
        return FINE, at, rows, at, at
    crossed = len(crosses.quadratic) + len(crosses.cubic) > 0
    indices, values, mask = out.indices, out.values, crosses.mask
    filled = out.indptr[rows]
    while at < past:
        line = at
        if rows == len(out.labels):
            return FULL, line, rows, at, at
        status, at, first, label, weight, words, tag, tag_end = before_features(data, at, past, style, admitted)
        if status != FINE:
            return status, line, rows, first, at
        without = at >= past or data[at] == _FEED or (style == LIBSVM and words == 0)
        if without and words == 0 and tag_end == 0:
            at = line_end(data, at, past) + 1
            continue
        if without and style == VW:
            return NO_BAR, line, rows, line, at
        if need_label and words == 0:
            return NO_LABEL, line, rows, line, at
        n_spaces = 0
        while at < past and data[at] != _FEED:
            letter, seed, scale = np.uint8(_SPACE), np.uint64(0), 1.0
            if style == VW:
                status, at, first, letter, seed, scale = namespace(data, at, past)
                if status != FINE:
                    return status, line, rows, first, at
            start = filled
            status, at, first, filled = features(data, at, past, style, seed, scale, mask, indices, values, filled)
            if status != FINE:
                return status, line, rows, (line if status == FULL else first), at
            if crossed and filled > start:
                if n_spaces == len(out.names):
                    return NAMESPACES, line, rows, line, at
                out.names[n_spaces], out.starts[n_spaces], out.ends[n_spaces] = letter, start, filled
                n_spaces += 1
        if crossed:
            filled = cross(
                crosses.quadratic, crosses.cubic, out.names, out.starts, out.ends, n_spaces, indices, values, filled,
                mask,
            )  # fmt: skip
            if filled < 0:
                return FULL, line, rows, line, at
        at += 1
        out.labels[rows], out.weights[rows] = label, weight
        out.tag_at[rows], out.tag_past[rows] = tag, tag_end
        rows += 1
        out.indptr[rows] = filled
    return FINE, at, rows, at, at
