"""Smallest sets that meet all of some sets, against all subsets."""

from itertools import combinations

import numpy as np
import pytest

from treatise.optimize import TooManySetsError, greedy_hitting_set, minimal_masks, minimum_hitting_sets


def every_smallest(masks, n):
    for size in range(n + 1):
        found = [sum(1 << i for i in chosen) for chosen in combinations(range(n), size)]
        found = [chosen for chosen in found if all(chosen & mask for mask in masks)]
        if found:
            return sorted(found)
    return None


def test_all_smallest_sets_are_those_of_a_search_through_all_subsets():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 9))
        masks = [int(mask) for mask in rng.integers(1, 2**n, rng.integers(0, 9))]
        wanted = every_smallest(masks, n)
        assert minimum_hitting_sets(masks, every=True) == wanted
        (one,) = minimum_hitting_sets(masks)
        assert one in wanted
        size = one.bit_count()
        assert minimum_hitting_sets(masks, most=size) is not None
        assert size == 0 or minimum_hitting_sets(masks, most=size - 1) is None


def test_greed_meets_all_and_is_seldom_much_larger():
    rng = np.random.default_rng(1)
    for _ in range(100):
        masks = [int(mask) for mask in rng.integers(1, 2**12, 30)]
        chosen = greedy_hitting_set(masks)
        assert all(chosen & mask for mask in masks)
        assert chosen.bit_count() <= 2 * minimum_hitting_sets(masks)[0].bit_count()


def test_sets_that_hold_others_are_left_out():
    assert minimal_masks([0b111, 0b011, 0b011, 0b110, 0b1000]) == [0b1000, 0b011, 0b110]


def test_what_cannot_be_met_and_what_would_fill_the_memory_is_refused():
    for search in (minimum_hitting_sets, greedy_hitting_set):
        with pytest.raises(ValueError, match="empty set"):
            search([0b1, 0])
    pairs = [0b11 << (2 * i) for i in range(10)]
    assert len(minimum_hitting_sets(pairs, every=True)) == 2**10
    with pytest.raises(TooManySetsError, match="more than 100 smallest sets, of 10 elements"):
        minimum_hitting_sets(pairs, every=True, limit=100)
    assert minimum_hitting_sets([]) == [0] and greedy_hitting_set([]) == 0
