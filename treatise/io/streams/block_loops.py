"""What is checked of a block of a cache before compiled code follows its indices."""

import numpy as np

from treatise._core.jit import compiled

_ONE, _TWO = np.uint64(1), np.uint64(2)


@compiled
def weighted_sum(words: np.ndarray) -> np.uint64:
    """A checksum of 32-bit words: each counts by an odd number of its own, modulo 2**64.

    No change of one word leaves it, nor one of their order; and it is as fast as memory, ten times as a CRC.
    """
    total = np.uint64(0)
    for i in range(np.uint64(len(words))):
        total += np.uint64(words[i]) * (_TWO * i + _ONE)
    return total


@compiled
def is_sound(indptr: np.ndarray, indices: np.ndarray, limit: int) -> bool:
    """Whether rows begin where the last ends, from the first index to the last, and all are from 0 to the limit."""
    if indptr[0] != 0 or indptr[-1] != len(indices):
        return False
    backward, outside = 0, 0
    for row in range(np.uint64(1), np.uint64(len(indptr))):
        backward += indptr[row] < indptr[row - _ONE]
    for at in range(np.uint64(len(indices))):
        outside += indices[at] < 0 or indices[at] >= limit
    return backward + outside == 0
