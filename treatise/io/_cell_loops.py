"""What the cells of canonical delimited text hold, column by column, without making strings of them."""

import numpy as np

from treatise._core.jit import compiled

_FEED, _RETURN, _QUOTE, _PLUS, _MINUS, _DOT, _ZERO, _NINE = 10, 13, 34, 43, 45, 46, 48, 57

INTEGER, DECIMAL, OTHER = 1, 2, 4
"""Bits of a column's kind; a column of missing values has none."""


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
