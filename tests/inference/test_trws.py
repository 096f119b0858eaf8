"""Message passing for MAP: bounds and labellings against enumeration, exactness on trees."""

from itertools import product

import numpy as np
import pytest

from treatise.inference import MAPResult, PairwiseEnergy, min_sum, trws


def random_energy(seed, edges, n, h=3, symmetric=False):
    rng = np.random.default_rng(seed)
    table = rng.uniform(-1, 2, (h, h))
    table = table + table.T if symmetric else table
    return PairwiseEnergy(rng.normal(size=(n, h)), edges, rng.uniform(0, 2, len(edges)), table)


def enumerated(energy):
    """Least energy of all labellings."""
    return min(energy(np.array(f)) for f in product(range(energy.n_labels), repeat=energy.n_variables))


LOOPS = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 2), (1, 4)]
TREE = [(2, 0), (1, 2), (3, 2), (3, 4), (5, 4), (6, 1)]


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_lies_below_and_the_labelling_above_the_least_energy(seed):
    # Unsymmetric tables: a message that takes the wrong side of an edge breaks the bound.
    energy = random_energy(seed, LOOPS, 6)
    least, found = enumerated(energy), trws(energy)
    assert found.lower_bound <= least + 1e-9 and found.energy >= least - 1e-9
    assert found.energy == energy(found.labels)
    assert found.gap == pytest.approx(found.energy - found.lower_bound)
    assert min_sum(energy).energy >= least - 1e-9


def test_the_bound_is_tight_on_most_small_random_fields():
    gaps = [trws(random_energy(seed, LOOPS, 6)).gap for seed in range(25)]
    # Loose relaxations exist; a bound that ignores the couplings would be tight on none of these.
    assert np.mean(np.array(gaps) < 1e-6) > 0.5


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("solver", [trws, min_sum])
def test_both_are_exact_on_trees(seed, solver):
    energy = random_energy(seed, TREE, 7)
    found = solver(energy)
    assert found.energy == pytest.approx(enumerated(energy), abs=1e-9)
    if solver is trws:
        assert found.gap < 1e-5 * abs(found.energy)  # the tolerance of its stopping rule


def test_the_bound_never_falls_from_sweep_to_sweep():
    rng = np.random.default_rng(0)
    pixel = np.arange(64).reshape(8, 8)
    edges = np.concatenate(
        [
            np.column_stack([pixel[:, :-1].ravel(), pixel[:, 1:].ravel()]),
            np.column_stack([pixel[:-1].ravel(), pixel[1:].ravel()]),
        ]
    )
    energy = PairwiseEnergy(rng.uniform(0, 10, (64, 5)), edges, rng.uniform(0, 5, len(edges)), 1 - np.eye(5))
    bounds = [trws(energy, max_sweeps=sweeps, tol=0).lower_bound for sweeps in range(1, 12)]
    assert np.all(np.diff(bounds) >= -1e-9) and bounds[-1] > bounds[0]


def test_variables_without_edges_take_their_own_best_label():
    energy = PairwiseEnergy([[3.0, 1.0], [0.0, 5.0]], [], None, np.zeros((2, 2)))
    for found in (trws(energy), min_sum(energy)):
        assert found.labels.tolist() == [1, 0] and found.energy == 1.0
    assert trws(energy).gap == 0


def test_a_result_without_a_bound_has_no_gap():
    assert MAPResult(np.zeros(1, int), 3.0).gap is None
    assert MAPResult(np.zeros(1, int), 3.0, 3.0 + 1e-12).gap == 0.0


def test_the_energy_is_the_sum_of_its_terms():
    energy = random_energy(3, LOOPS, 6)
    f = np.array([0, 1, 2, 2, 1, 0])
    by_hand = sum(energy.unary[a, f[a]] for a in range(6))
    by_hand += sum(w * energy.table[f[a], f[b]] for w, (a, b) in zip(energy.weights, LOOPS))
    assert energy(f) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unary": [[np.nan, 0.0]]}, "unary holds NaN"),
        ({"unary": [1.0, 2.0]}, "unary must be a table"),
        ({"edges": [[0, 2]]}, "names the variable 2"),
        ({"edges": [[-1, 0]]}, "names the variable -1"),
        ({"edges": [[1, 1]]}, "joins variable 1 to itself"),
        ({"edges": [[0.0, 1.0]]}, "pairs of integers"),
        ({"weights": [-1.0]}, "the weight -1 is negative"),
        ({"weights": [1.0, 2.0]}, "one number for each of 1 edges"),
        ({"table": np.zeros((3, 3))}, "it must be 2 x 2"),
        ({"table": [[0, np.inf], [0, 0]]}, "the table of pairs holds NaN"),
    ],
)
def test_bad_energies_are_refused_with_the_reason(change, message):
    good = {"unary": np.zeros((2, 2)), "edges": [[0, 1]], "weights": None, "table": 1 - np.eye(2)}
    with pytest.raises(ValueError, match=message):
        PairwiseEnergy(**{**good, **change})


def test_bad_labellings_and_sweeps_are_refused():
    energy = random_energy(0, LOOPS, 6)
    with pytest.raises(ValueError, match="the label 3 does not exist"):
        energy([0, 0, 0, 0, 0, 3])
    with pytest.raises(ValueError, match="6 integers"):
        energy([0, 1])
    with pytest.raises(ValueError, match="max_sweeps=0"):
        trws(energy, max_sweeps=0)


@pytest.mark.parametrize("solver", [trws, min_sum])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constants_added_to_costs_change_no_label(solver):
    rng = np.random.default_rng(3)
    side, h = 12, 5
    pixel = np.arange(side * side).reshape(side, side)
    edges = np.concatenate(
        [
            np.column_stack([pixel[:, :-1].ravel(), pixel[:, 1:].ravel()]),
            np.column_stack([pixel[:-1].ravel(), pixel[1:].ravel()]),
        ]
    )
    unary, table = rng.normal(size=(side * side, h)), np.minimum(np.abs(np.subtract.outer(range(h), range(h))), 2.0)
    plain = solver(PairwiseEnergy(unary, edges, 0.8, table), max_sweeps=60)
    for to_all, to_each, to_pairs in ((1e6, 0.0, 0.0), (0.0, 1e5, 0.0), (0.0, 0.0, 1e4)):
        shift = to_all + to_each * rng.random((side * side, 1))
        moved = solver(PairwiseEnergy(unary + shift, edges, 0.8, table + to_pairs), max_sweeps=60)
        np.testing.assert_array_equal(moved.labels, plain.labels)
        assert moved.n_moves == plain.n_moves
        constant = np.broadcast_to(shift, (side * side, 1)).sum() + 0.8 * len(edges) * to_pairs
        # Sums of numbers of the size of the constant carry about ten digits fewer.
        assert moved.energy - constant == pytest.approx(plain.energy, abs=1e-9 * (1 + constant))
