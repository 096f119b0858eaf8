"""Steps of compiled loops that are one instruction of the processor, or four lanes of it."""

import numpy as np
import pytest

from treatise._core import bits, lanes
from treatise._core.jit import compiled


@compiled
def summed(values, size):
    return lanes.sum_in_lanes(values, size)


@compiled
def below_the_lowest(word):
    return bits.trailing_zeros(word)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 39, 40, 41])
def test_a_sum_in_lanes_has_the_bits_of_the_same_sum_one_after_another(kind, size):
    values = np.random.default_rng(size).normal(scale=1e3, size=41).astype(kind)
    assert summed(values, size) == lanes._one_after_another(values, size)


def test_bits_below_the_lowest_are_counted_in_any_word():
    words = [0, 1, 1 << 63, (1 << 64) - 1, *(3 << shift for shift in range(62)), 0x80 << 40]
    for word in map(np.uint64, words):
        expected = 64 if word == 0 else next(bit for bit in range(64) if int(word) >> bit & 1)
        assert below_the_lowest(word) == bits._counted(word) == expected
