"""The grammar of a number, byte by byte, and what the cells of delimited text hold by it.

A number is an optional sign, digits with at most one point among, before or after them, and an optional exponent, ``e``
or ``E`` with a whole number.
"""

import numpy as np

from treatise._core.jit import compiled, inlined

_FEED, _RETURN, _QUOTE, _PLUS, _MINUS, _DOT, _ZERO, _NINE = 10, 13, 34, 43, 45, 46, 48, 57

INTEGER, DECIMAL, OTHER = 1, 2, 4
"""Bits of a column's kind; a column of missing values has none."""


NUMBER, NO_DIGITS, NO_NUMBER = range(3)
_IS_DIGIT = np.zeros(256, np.bool_)
_IS_DIGIT[_ZERO : _NINE + 1] = True
_ALMOST_FULL = 100_000_000_000_000_000  # one more digit fits in 64 bits


@inlined
def scan(data: np.ndarray, at: int, past: int) -> tuple[np.int64, int, bool, bool, int]:
    """The number written in ``data[at:past]`` as ``significand * 10**scale``.

    Returns the significand of up to 18 digits, the scale, whether it is negative, whether digits were left out, and
    whether it is a number at all: ``NO_DIGITS`` where it does not even begin as one, as ``inf`` and ``nan`` do not.
    """
    negative = at < past and data[at] == _MINUS
    if at < past and (data[at] == _MINUS or data[at] == _PLUS):
        at += 1
    significand, scale, seen, point, cut = np.int64(0), 0, False, False, False
    while at < past:
        byte = data[at]
        if _IS_DIGIT[byte]:
            seen = True
            if significand < _ALMOST_FULL:
                significand = significand * 10 + np.int64(byte - _ZERO)
                scale -= point
            else:
                cut = True
                scale += not point
        elif byte == _DOT and not point:
            point = True
        else:
            break
        at += 1
    if not seen:
        return significand, scale, negative, cut, NO_DIGITS
    if at < past and (data[at] == 101 or data[at] == 69):  # e and E
        at += 1
        down = at < past and data[at] == _MINUS
        at += at < past and (data[at] == _MINUS or data[at] == _PLUS)
        if at == past:
            return significand, scale, negative, cut, NO_NUMBER
        power = 0
        while at < past and _IS_DIGIT[data[at]]:
            power = min(power * 10 + (data[at] - _ZERO), 100_000)
            at += 1
        scale += -power if down else power
    return significand, scale, negative, cut, NUMBER if at == past else NO_NUMBER


@compiled
def kind_of(data: np.ndarray, first: int, past: int) -> int:
    """The kind of ``data[first:past]``. Numbers with leading zeros or more than 18 digits are other things."""
    at = first
    if at < past and data[at] in (_PLUS, _MINUS):
        at += 1
    start = at
    while at < past and _ZERO <= data[at] <= _NINE:
        at += 1
    digits = at - start
    if digits > 18 or (digits > 1 and data[start] == _ZERO):
        return OTHER
    if at == past:
        return INTEGER if digits > 0 else OTHER
    if data[at] == _DOT:
        at += 1
        start = at
        while at < past and _ZERO <= data[at] <= _NINE:
            at += 1
        digits += at - start
    if digits == 0:
        return OTHER
    if at < past and data[at] in (69, 101):  # E and e
        at += 1
        if at < past and data[at] in (_PLUS, _MINUS):
            at += 1
        start = at
        while at < past and _ZERO <= data[at] <= _NINE:
            at += 1
        if at == start:
            return OTHER
    return DECIMAL if at == past else OTHER


@compiled
def word_at(data: np.ndarray, first: int, past: int, words: np.ndarray, lengths: np.ndarray) -> int:
    """The number of the word in ``data[first:past]``, or -1."""
    for word in range(len(lengths)):
        if lengths[word] == past - first:
            same = True
            for i in range(past - first):
                same &= data[first + i] == words[word, i]
            if same:
                return word
    return -1


@compiled
def classify(
    data: np.ndarray, separator: int, words: np.ndarray, lengths: np.ndarray, kinds: np.ndarray, seen: np.ndarray
) -> None:
    """Or the kind of every cell into its column's of ``kinds``, and mark in ``seen`` the words for nothing.

    A cell in quotes counts as no number, whatever it holds.
    """
    at, column = 0, 0
    while at < len(data):
        if data[at] == _QUOTE:
            kinds[column] |= OTHER
            at += 1
            first = at
            while data[at] != _QUOTE or data[at + 1] == _QUOTE:
                at += 1 + (data[at] == _QUOTE)
            word = word_at(data, first, at, words, lengths)
            if word >= 0:
                seen[word] = 1
            at += 1
        first = at
        while data[at] != separator and data[at] != _FEED:
            at += 1
        past = at - (data[at] == _FEED and at > first and data[at - 1] == _RETURN)
        if past > first:
            kind = kind_of(data, first, past)
            if kind == OTHER:
                word = word_at(data, first, past, words, lengths)
                if word >= 0:
                    kind = 0
                    seen[word] = 1
            kinds[column] |= kind
        column = 0 if data[at] == _FEED else column + 1
        at += 1
