"""Faithful tables: the paper's constants, its certificate, and every separation of random graphs."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from treatise.bayesnet import (
    BayesianNetwork,
    check_faithful,
    faithful_cpts,
)
from treatise.papers.bayesnet.v05_1287.binary_like import is_binary_like, is_binary_like_lattice, is_binary_like_tsp

FIVE = {0: (), 1: (), 2: (0, 1), 3: (2,), 4: (1,)}
STATES = [2, 3, 2, 2, 3]


def random_graph(rng, n):
    order = rng.permutation(n)
    parents = dict.fromkeys(range(n), ())
    for i, j in combinations(range(n), 2):
        if rng.random() < 0.5:
            parents[int(order[j])] += (int(order[i]),)
    return parents


def joint_of(network):
    return network.query(list(network.variables))


def test_tables_hold_exactly_the_numbers_of_equation_1():
    cpt = faithful_cpts({"x": (), "y": (), "z": ("x", "y")}, {"x": 9, "y": 2, "z": 3}, Fraction(1, 16))["z"]
    for a, b in product(range(9), range(2)):
        of_zero = {0: Fraction(1, 16), 1: Fraction(1, 64), 2: Fraction(1, 128)}[(a > 0) + (b > 0)]
        assert cpt[a, b].tolist() == [of_zero, (1 - of_zero) / 2, (1 - of_zero) / 2]
    assert max(value.denominator for value in cpt.ravel()) == 256


def test_tables_follow_the_rule_for_any_alpha_and_any_number_of_parents():
    cpts = faithful_cpts({4: (0, 1, 2, 3)}, [2, 3, 2, 4, 3], [0.1, 0.2, 0.3, 0.4, 0.7])
    for at in product(range(2), range(3), range(2), range(4)):
        m = sum(state > 0 for state in at)
        assert cpts[4][at][0] == pytest.approx(0.7 ** (2 - 0.5**m), rel=1e-15)
        assert cpts[4][at].sum() == pytest.approx(1.0, abs=1e-15)
        assert cpts[4][at][1] == cpts[4][at][2]
    assert cpts[0].tolist() == pytest.approx([0.1, 0.9])


def test_the_example_has_the_separations_and_the_weakest_link_that_enumeration_gives():
    network = BayesianNetwork(FIVE, faithful_cpts(FIVE, STATES))
    assert joint_of(network).sum() == pytest.approx(1.0, abs=1e-15)
    check = check_faithful(network)
    assert check.perfect and not check.exact
    assert (check.n_separated, check.n_connected) == (25, 55)
    assert check.largest_separated < 1e-14
    # Found beforehand by summing Equation 4 over the joint table.
    assert check.smallest_connected == pytest.approx(2.4525e-9, rel=1e-4)
    assert check.weakest == (0, 4, (3,))


def test_exact_arithmetic_agrees_that_the_example_is_perfect():
    check = check_faithful(FIVE, faithful_cpts(FIVE, STATES, Fraction(1, 16)))
    assert check.exact and check.perfect and (check.n_separated, check.n_connected) == (25, 55)
    assert check.smallest_connected == pytest.approx(2.4525e-9, rel=1e-4)


def test_random_graphs_are_perfect_and_dependence_has_the_sign_of_theorem_53():
    rng = np.random.default_rng(0)
    signs = 0
    for trial in range(200):
        n = int(rng.integers(3, 6 if trial % 4 else 7))
        parents, states = random_graph(rng, n), rng.integers(2, 4, n).tolist()
        network = BayesianNetwork(parents, faithful_cpts(parents, states, rng.uniform(0.05, 0.95, n)))
        check = check_faithful(network)
        assert check.perfect, (parents, check.violations)
        assert check.largest_separated < 1e-13
        joint = joint_of(network)
        for x, y in combinations(range(n), 2):
            rest = [v for v in range(n) if v not in (x, y)]
            for size in range(len(rest) + 1):
                for given in combinations(rest, size):
                    if network.d_separated(x, y, given):
                        continue
                    at = tuple(0 if v in given else slice(None) for v in range(n))
                    kept = [v for v in range(n) if v not in given]
                    table = joint[at].sum(axis=tuple(i for i, v in enumerate(kept) if v not in (x, y)))
                    of_zero = table[:, 0] / table.sum(axis=1)
                    # All states of x but 0 are alike; the difference of the two is known to rounding of its terms.
                    assert of_zero[0] > of_zero[1] * (1 - 1e-13)
                    signs += of_zero[0] > of_zero[1]
    assert signs > 5000


def test_exact_arithmetic_proves_random_graphs_perfect():
    rng = np.random.default_rng(1)
    for _ in range(12):
        n = int(rng.integers(3, 6))
        parents = random_graph(rng, n)
        check = check_faithful(parents, faithful_cpts(parents, rng.integers(2, 4, n).tolist(), Fraction(1, 2**16)))
        assert check.exact and check.perfect


def test_tables_of_the_rule_have_both_properties_for_up_to_five_parents():
    for n in range(6):
        for alpha in (1 / 16, 0.5, 0.95):
            cpt = faithful_cpts({n: tuple(range(n))}, [2 + v % 2 for v in range(n)] + [3], alpha)[n]
            assert is_binary_like(cpt) and is_binary_like_lattice(cpt) and is_binary_like_tsp(cpt)


def test_other_tables_fail_where_they_should():
    noisy_xor = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]])
    assert is_binary_like(noisy_xor) and not is_binary_like_lattice(noisy_xor)
    # Of the two signs of an exclusive or, one has the synergy and the other has not.
    assert is_binary_like_tsp(noisy_xor) and not is_binary_like_tsp(1 - noisy_xor)
    uniform = np.full((2, 2, 2), 0.5)
    assert not is_binary_like_lattice(uniform) and not is_binary_like_tsp(uniform)
    additive = np.array([[0.8, 0.5], [0.5, 0.2]])
    additive = np.stack([additive, 1 - additive], axis=-1)
    assert is_binary_like_lattice(additive) and not is_binary_like_tsp(additive)
    three = faithful_cpts({1: (0,)}, [3, 3])[1]
    assert is_binary_like(three)
    for changed in ([2, 0], [2, 1]):
        other = three.copy()
        other[changed[0], changed[1]] += 0.01
        other[changed[0], 2] -= 0.01
        assert not is_binary_like(other)
        assert not is_binary_like_lattice(other) and not is_binary_like_tsp(other)
    assert is_binary_like_lattice(faithful_cpts({1: (0,)}, [3, 3], Fraction(1, 16))[1])


def test_unfaithful_networks_are_found_out():
    parents = {"x": (), "y": ("x",), "z": ("x", "y")}
    # The direct link and the way through y cancel: p(z = 0 | x) = 0.5 for both x.
    z = [[[0.7, 0.3], [0.2, 0.8]], [[0.8, 0.2], [0.3, 0.7]]]
    network = BayesianNetwork(parents, {"x": [0.5, 0.5], "y": [[0.6, 0.4], [0.4, 0.6]], "z": z})
    assert network.mutual_information("x", "z") < 1e-30
    assert check_faithful(network).violations == [("x", "z", ())]
    assert len(check_faithful(network, max_given=0).violations) == 1
    assert check_faithful(network, max_given=0).n_connected == 3


def test_bad_input_is_refused():
    for alpha in (0.0, 1.0, -0.5, [0.5, 1.5], [0.5], Fraction(3, 2)):
        with pytest.raises(ValueError, match="probability between 0 and 1"):
            faithful_cpts({1: (0,)}, 2, alpha)
    with pytest.raises(ValueError, match="no rational root of order 8, which 3 parents need"):
        faithful_cpts({3: (0, 1, 2)}, 2, Fraction(1, 16))
    with pytest.raises(ValueError, match="two states or more"):
        faithful_cpts({1: (0,)}, 1)
    wide = [()] * 25
    with pytest.raises(ValueError, match="the check stops at"):
        check_faithful(BayesianNetwork(wide, faithful_cpts(wide)))
