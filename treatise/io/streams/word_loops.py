"""Words of text, eight bytes at a time: where one ends, and its hash."""

import numpy as np

from treatise._core.bits import trailing_zeros
from treatise._core.jit import compiled, inlined

_ZERO = 48
# What a byte does to the word before it: nothing, a digit that keeps a name numeric, or an end.
_WORD, _DIGIT, _END = 0, 1, 2
_ROLE = np.zeros(256, np.uint8)
_ROLE[48:58] = _DIGIT
_ROLE[[9, 10, 13, 32, 58, 124]] = _END

_LOW = np.uint64(0xFFFFFFFF)
# One byte eight times: ones, highest bits, the first byte past the blank, colons, bars.
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_VISIBLE, _COLONS, _BARS = np.uint64(0x2121212121212121), np.uint64(0x3A3A3A3A3A3A3A3A), np.uint64(0x7C7C7C7C7C7C7C7C)


@compiled
def _four(data: np.ndarray, at: int) -> np.uint64:
    """Four bytes as a number, the lowest first: the compiler makes one access of it."""
    i = np.uint64(at)
    return (
        np.uint64(data[i])
        | np.uint64(data[i + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[i + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[i + np.uint64(3)]) << np.uint64(24)
    )


@compiled
def eight(data: np.ndarray, at: int) -> np.uint64:
    """Eight bytes as a number, likewise."""
    i = np.uint64(at)
    return (
        np.uint64(data[i])
        | np.uint64(data[i + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[i + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[i + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[i + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[i + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[i + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[i + np.uint64(7)]) << np.uint64(56)
    )


@inlined
def ends_among(text: np.uint64) -> np.uint64:
    """How many of eight bytes come before the first blank or control character, colon or bar; 8 where there is none.

    Subtracting borrows from the highest bit of a byte that is too small, which finds them all without a branch.
    """
    colons, bars = text ^ _COLONS, text ^ _BARS
    flags = (((text - _VISIBLE) & ~text) | ((colons - _ONES) & ~colons) | ((bars - _ONES) & ~bars)) & _HIGH
    return trailing_zeros(flags) >> np.uint64(3)


@compiled
def word_end(data: np.ndarray, at: int, past: int) -> int:
    """The first place from ``at`` on with a byte that ends a word, or ``past``.

    A control character that ends nothing is passed over.
    """
    while at + 8 <= past:
        size = int(np.int64(ends_among(eight(data, at))))
        at += size
        if size == 8:
            continue
        if _ROLE[data[at]] == _END:
            return at
        at += 1
    while at < past and _ROLE[data[at]] != _END:
        at += 1
    return at


@compiled
def _stir(h: np.uint64, k: np.uint64) -> np.uint64:
    """A round of murmur3: what four bytes do to the hash, but for its last line."""
    k = (k * np.uint64(0xCC9E2D51)) & _LOW
    k = ((k << np.uint64(15)) | (k >> np.uint64(17))) & _LOW
    return h ^ ((k * np.uint64(0x1B873593)) & _LOW)


@compiled
def _turn(h: np.uint64) -> np.uint64:
    """The last line of a round."""
    h = ((h << np.uint64(13)) | (h >> np.uint64(19))) & _LOW
    return (h * np.uint64(5) + np.uint64(0xE6546B64)) & _LOW


@compiled
def _finish(h: np.uint64, size: int) -> np.uint64:
    """Murmur3's end: every bit of the hash depends on every other."""
    h ^= np.uint64(size)
    h ^= h >> np.uint64(16)
    h = (h * np.uint64(0x85EBCA6B)) & _LOW
    h ^= h >> np.uint64(13)
    h = (h * np.uint64(0xC2B2AE35)) & _LOW
    return h ^ (h >> np.uint64(16))


@compiled
def murmur3(data: np.ndarray, first: int, past: int, seed: np.uint64) -> np.uint64:
    """The 32-bit murmur3 hash of ``data[first:past]``."""
    h = np.uint64(seed) & _LOW
    body = first + ((past - first) & ~3)
    for at in range(first, body, 4):
        h = _turn(_stir(h, _four(data, at)))
    k = np.uint64(0)
    for at in range(past - 1, body - 1, -1):
        k = (k << np.uint64(8)) | np.uint64(data[at])
    return _finish(_stir(h, k), past - first)


@inlined
def short_murmur3(text: np.uint64, size: int, seed: np.uint64) -> np.uint64:
    """The same hash of the first ``size`` bytes, 7 at most, of a number made by :func:`eight`: most names are short."""
    h = np.uint64(seed) & _LOW
    text &= (np.uint64(1) << np.uint64(8 * size)) - np.uint64(1)
    # Both forms and then one of them: no branch to be guessed wrong, as lengths come in no order.
    beyond = _turn(_stir(h, text & _LOW))
    h = beyond if size >= 4 else h
    text = text >> np.uint64(32) if size >= 4 else text
    return _finish(_stir(h, text), size)


@compiled
def whole_number(data: np.ndarray, first: int, past: int) -> tuple[np.uint64, bool]:
    """The number that the digits make, and whether there are digits only."""
    number = np.uint64(0)
    for at in range(first, past):
        if _ROLE[data[at]] != _DIGIT:
            return np.uint64(0), False
        number = number * np.uint64(10) + np.uint64(data[at] - _ZERO)
    return number, True


@compiled
def hash_name(data: np.ndarray, first: int, past: int, seed: np.uint64) -> np.uint64:
    """A name's hash: of digits alone, their number plus the seed."""
    number, digits = whole_number(data, first, past)
    return number + np.uint64(seed) if digits else murmur3(data, first, past, seed)


@compiled
def hash_names(data: np.ndarray, ends: np.ndarray, seed: np.uint64, mask: np.uint64) -> np.ndarray:
    """Hashes of the names that lie one after another in ``data``, each up to its end."""
    hashes = np.empty(len(ends), np.int32)
    first = 0
    for i in range(len(ends)):
        hashes[i] = np.int32(hash_name(data, first, ends[i], seed) & mask)
        first = ends[i]
    return hashes
