"""Partitions: probabilities that sum to one, distances by their definitions, the mass given the groups."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln
from sklearn.metrics import mutual_info_score

from treatise._core.jit import compiled
from treatise.statistics.partitions import (
    binder_distance,
    co_clustering,
    draw_nested_partition,
    draw_partition,
    log_nested_partition_probability,
    log_partition_probability,
    nested_partitions,
    representative_partition,
    set_partitions,
    variation_of_information,
)
from treatise.statistics.partitions._loops import draw_mass


def test_all_partitions_are_met_once_and_their_probabilities_sum_to_one():
    assert [sum(1 for _ in set_partitions(n)) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]  # Bell's numbers
    assert len({tuple(labels) for labels in set_partitions(6)}) == 203
    total = sum(np.exp(log_partition_probability(labels, 0.6)) for labels in set_partitions(6))
    assert total == pytest.approx(1.0, abs=1e-12)
    found = list(nested_partitions(5))
    assert len(found) == 358
    total = sum(np.exp(log_nested_partition_probability(*labels, 1.3, 0.7)) for labels in found)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_drawn_partitions_have_the_stated_probabilities():
    rng, n = np.random.default_rng(0), 5_000
    counts = {}
    for _ in range(n):
        key = tuple(np.concatenate(draw_nested_partition(3, 1.3, 0.7, rng)))
        counts[key] = counts.get(key, 0) + 1
    for restaurants, tables in nested_partitions(3):
        chance = np.exp(log_nested_partition_probability(restaurants, tables, 1.3, 0.7))
        # Tables are numbered restaurant by restaurant in both.
        seen = counts.pop((*restaurants, *tables), 0) / n
        assert abs(seen - chance) < 4 * np.sqrt(chance * (1 - chance) / n)
    assert not counts
    assert draw_partition(50, 1e-9, rng).max() == 0


def test_distances_are_those_of_their_definitions():
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = rng.integers(0, 4, 15), rng.integers(0, 3, 15)
        shared = mutual_info_score(a, b)
        entropies = mutual_info_score(a, a) + mutual_info_score(b, b)
        assert variation_of_information(a, b) == pytest.approx((entropies - 2 * shared) / np.log(2), abs=1e-12)
        pairs = (a[:, None] == a) != (b[:, None] == b)
        assert binder_distance(a, b) == pytest.approx(pairs.mean(), abs=1e-12)
        assert variation_of_information(a, b) == pytest.approx(variation_of_information(b + 7, a), abs=1e-12)


@pytest.mark.parametrize(("loss", "distance"), [("variation", variation_of_information), ("binder", binder_distance)])
def test_the_representative_has_the_least_mean_distance(loss, distance):
    draws = np.random.default_rng(2).integers(0, 3, (25, 12))
    mean = [np.mean([distance(a, b) for b in draws]) for a in draws]
    chosen, expected = representative_partition(draws, loss=loss)
    assert chosen == np.argmin(mean)
    assert expected == pytest.approx(min(mean), abs=1e-12)
    assert representative_partition(draws, loss=loss, most=5)[0] in (0, 6, 12, 18, 24)


def test_co_clustering_counts_the_draws_that_join_two_rows():
    np.testing.assert_allclose(co_clustering([[0, 0, 1], [5, 5, 5]]), [[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]])


@compiled
def masses_of(rng, n, shape, rate, n_groups, n_rows):
    found, mass = np.empty(n), 1.0
    for s in range(n):
        mass = draw_mass(rng, mass, n_groups, n_rows, shape, rate)
        found[s] = mass
    return found


@pytest.mark.parametrize(
    ("n_groups", "n_rows", "shape", "rate"), [(1, 1, 1.0, 1.0), (4, 30, 1.0, 1.0), (2, 9, 3.0, 2.0)]
)
def test_the_mass_has_its_posterior_given_the_groups(n_groups, n_rows, shape, rate):
    def density(a):
        return a ** (shape - 1 + n_groups) * np.exp(-rate * a + gammaln(a) - gammaln(a + n_rows))

    whole = quad(density, 0, np.inf)[0]
    mean = quad(lambda a: a * density(a), 0, np.inf)[0] / whole
    deviation = np.sqrt(quad(lambda a: (a - mean) ** 2 * density(a), 0, np.inf)[0] / whole)
    drawn = masses_of(np.random.default_rng(0), 40_000, shape, rate, n_groups, n_rows)
    assert abs(drawn.mean() - mean) < 0.03 * deviation  # draws are nearly independent: 0.005 is one standard error
    assert drawn.std() == pytest.approx(deviation, rel=0.03)


def test_bad_partitions_are_refused():
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        variation_of_information([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="loss='none'"):
        representative_partition([[0, 1]], loss="none")
    with pytest.raises(ValueError, match="one row of labels"):
        co_clustering([0, 1])
