"""Weighted transducers against sums over strings, written out."""

import operator
from itertools import product

import numpy as np
import pytest

from treatise.kernels import SEMIRINGS, WeightedTransducer, plot_transducer, string_acceptor

STRINGS = ["".join(s) for n in range(3) for s in product("ab", repeat=n)]


def table(machine, strings=STRINGS):
    """Weight of every pair of short strings."""
    return np.array([[machine.weight_of(x, y) for y in strings] for x in strings])


def random_machine(seed, semiring="probability", epsilon=True):
    """Three states in order, so that no path repeats a state; empty symbols on either side."""
    rng = np.random.default_rng(seed)
    symbols = ["a", "b", None] if epsilon else ["a", "b"]
    arcs = []
    for p, q in ((0, 1), (0, 2), (1, 2), (0, 1), (1, 2)):
        weight = float(rng.uniform(0.1, 1.0))
        weight = {"probability": weight, "log": -np.log(weight), "tropical": weight, "boolean": 1.0}[semiring]
        arcs.append((p, symbols[rng.integers(len(symbols))], symbols[rng.integers(len(symbols))], weight, q))
    one = SEMIRINGS[semiring].one
    return WeightedTransducer(arcs, {0: one, 1: one}, {2: one, 1: one}, semiring=semiring)


def enumerated(machine, x, y):
    """Weight of a pair by walking all paths; the machine has no cycle."""
    plus, times = machine.semiring.plus, machine.semiring.times

    def walk(state, read, written):
        total = machine._final[state] if (read, written) == ("", "") else machine.semiring.zero
        for p, a, b, w, q in machine.arcs:
            if p == state and read.startswith(a or "") and written.startswith(b or ""):
                total = plus(total, times(w, walk(q, read[len(a or "") :], written[len(b or "") :])))
        return total

    total = machine.semiring.zero
    for state in range(machine.n_states):
        total = plus(total, times(machine._initial[state], walk(state, x, y)))
    return float(total)


@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_weights_of_pairs_are_sums_over_paths(semiring):
    for seed in range(4):
        machine = random_machine(seed, semiring)
        expected = [[enumerated(machine, x, y) for y in STRINGS] for x in STRINGS]
        np.testing.assert_allclose(table(machine), expected, atol=1e-12)


def test_composition_is_the_product_of_the_matrices_of_weights():
    for seed in range(6):
        first, second = random_machine(seed), random_machine(seed + 50)
        # Two arcs write at most two symbols: the strings in between are all among these.
        np.testing.assert_allclose(table(first @ second), table(first) @ table(second), atol=1e-12)


def test_composition_is_associative():
    for seed in range(5):
        a, b, c = (random_machine(3 * seed + i) for i in range(3))
        left, right = ((a @ b) @ c).total_weight(), (a @ (b @ c)).total_weight()
        assert left == pytest.approx(right, rel=1e-12, abs=1e-15)


def test_empty_symbols_of_both_machines_are_counted_in_one_order_only():
    erase = WeightedTransducer([(0, "a", None, 1.0, 1)], [0], [1])
    insert = WeightedTransducer([(0, None, "b", 1.0, 1)], [0], [1])
    assert (erase @ insert).weight_of("a", "b") == 1
    twice = WeightedTransducer([(0, "a", None, 1.0, 1), (1, "a", None, 1.0, 2)], [0], [2])
    thrice = WeightedTransducer([(i, None, "b", 1.0, i + 1) for i in range(3)], [0], [3])
    assert (twice @ thrice).weight_of("aa", "bbb") == 1


def test_rational_operations_have_the_weights_of_their_definitions():
    a, b = random_machine(1), random_machine(2)
    np.testing.assert_allclose(table(a + b), table(a) + table(b), atol=1e-12)
    np.testing.assert_allclose(table(a.inverse()), table(a).T, atol=1e-12)
    np.testing.assert_allclose(table(a.scaled(0.3)), 0.3 * table(a), atol=1e-12)
    expected = [
        [
            sum(
                a.weight_of(x[:i], y[:j]) * b.weight_of(x[i:], y[j:])
                for i in range(len(x) + 1)
                for j in range(len(y) + 1)
            )
            for y in STRINGS
        ]
        for x in STRINGS
    ]
    np.testing.assert_allclose(table(a * b, STRINGS), expected, atol=1e-12)


def test_closure_is_the_sum_of_all_powers():
    letter = WeightedTransducer([(0, "a", "a", 0.5, 1), (0, "b", "b", 0.2, 1)], [0], [1])
    star = letter.closure()
    for text in STRINGS:
        assert star.weight_of(text) == pytest.approx(0.5 ** text.count("a") * 0.2 ** text.count("b"))
    # 1 / (1 - 0.7): the sum over all strings, by solving for the cycles.
    assert star.total_weight() == pytest.approx(1 / 0.3)
    logs = WeightedTransducer(
        [(0, "a", "a", -np.log(0.5), 1), (0, "b", "b", -np.log(0.2), 1)], [0], [1], semiring="log"
    )
    assert logs.closure().total_weight() == pytest.approx(-np.log(1 / 0.3))


def test_divergent_sums_are_refused():
    for weight in (1.0, 1.5):
        loop = WeightedTransducer([(0, "a", "a", weight, 0)], [0], [0])
        with pytest.raises(ValueError, match="diverges"):
            loop.total_weight()
    with pytest.raises(ValueError, match="negative cost"):
        WeightedTransducer([(0, "a", "a", -1.0, 0)], [0], [0], semiring="tropical").total_weight()
    # A cycle that reaches no final state does not matter.
    harmless = WeightedTransducer([(0, "a", "a", 2.0, 1), (1, "a", "a", 3.0, 1), (0, "b", "b", 0.5, 2)], [0], [2])
    assert harmless.total_weight() == 0.5


def test_cheapest_paths_with_cycles():
    arcs = [(0, "a", "a", 3.0, 1), (1, "a", "a", 1.0, 0), (1, "b", "b", 1.0, 2), (0, "b", "b", 5.0, 2)]
    machine = WeightedTransducer(arcs, [0], [2], semiring="tropical")
    np.testing.assert_array_equal(machine.shortest_distance(), [4.0, 1.0, 0.0])
    reach = WeightedTransducer([(p, a, b, 1.0, q) for p, a, b, _, q in arcs], [0], [2], semiring="boolean")
    np.testing.assert_array_equal(reach.shortest_distance(), [1.0, 1.0, 1.0])


def test_probability_and_log_semirings_agree():
    for seed in range(5):
        plain, logs = random_machine(seed), random_machine(seed, "log")
        np.testing.assert_allclose(np.exp(-table(logs)), table(plain), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_removing_empty_symbols_and_trimming_keep_the_weights(semiring):
    for seed in range(8):
        machine = random_machine(seed, semiring).project("output")
        bare = machine.remove_epsilon()
        assert all(a is not None for _, a, *_ in bare.arcs)
        np.testing.assert_allclose(table(bare), table(machine), atol=1e-12)
        np.testing.assert_allclose(table(machine.trim()), table(machine), atol=1e-12)
    cycle = WeightedTransducer([(0, None, None, 0.5, 0)], [0], [0])
    with pytest.raises(ValueError, match="cycle"):
        cycle.remove_epsilon()
    assert cycle.total_weight() == 2.0


def test_projection_sums_over_the_other_side():
    machine = random_machine(3)
    expected = table(machine).sum(axis=0)
    written = machine.project("output")
    np.testing.assert_allclose([written.weight_of(text) for text in STRINGS], expected, atol=1e-12)


def test_normalised_lattices_are_distributions():
    lattice = WeightedTransducer([(0, "a", "a", 3.0, 1), (0, "b", "b", 2.0, 1)], [0], [1])
    assert lattice.normalized().weight_of("a") == pytest.approx(0.6)
    logs = WeightedTransducer(
        [(0, "a", "a", -np.log(3.0), 1), (0, "b", "b", -np.log(2.0), 1)], [0], [1], semiring="log"
    )
    assert logs.normalized().total_weight() == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="accepts nothing"):
        WeightedTransducer([], [0], [1]).normalized()
    with pytest.raises(ValueError, match="no total"):
        random_machine(0, "tropical").normalized()


def test_symbols_may_be_words():
    machine = WeightedTransducer([(0, "good", "bad", 0.5, 1), (1, "day", "day", 1.0, 2)], [0], [2])
    assert machine.weight_of(["good", "day"], ["bad", "day"]) == 0.5
    assert string_acceptor(["good"]).total_weight() == 1
    assert machine.weight_of(["unheard"], ["of"]) == 0
    assert repr(machine) == "WeightedTransducer(3 states, 2 arcs, probability semiring)"


def test_empty_machines_have_weight_zero():
    assert WeightedTransducer([], [0], []).total_weight() == 0
    assert WeightedTransducer([], [], [], semiring="log").total_weight() == np.inf
    assert string_acceptor("").total_weight() == 1


def test_wrong_machines_are_refused():
    with pytest.raises(ValueError, match="arc 0 has 3 parts"):
        WeightedTransducer([(0, "a", 1)], [0], [1])
    with pytest.raises(ValueError, match="weight -1 is not in the probability"):
        WeightedTransducer([(0, "a", "a", -1.0, 1)], [0], [1])
    with pytest.raises(ValueError, match=r"weight 0\.5 is not in the boolean"):
        WeightedTransducer([(0, "a", "a", 0.5, 1)], [0], [1], semiring="boolean")
    with pytest.raises(ValueError, match="numbers from 0, got -1"):
        WeightedTransducer([(np.int64(2), "a", "a", 0.5, -1)], [0], [1])
    for combine in (operator.add, operator.mul, operator.matmul):
        with pytest.raises(TypeError, match="unsupported operand"):
            combine(random_machine(0), 2.0)
    with pytest.raises(ValueError, match="'max' is unknown"):
        WeightedTransducer([], [0], [0], semiring="max")
    with pytest.raises(ValueError, match="do not combine"):
        random_machine(0) @ random_machine(0, "log")
    with pytest.raises(ValueError, match="side='left'"):
        random_machine(0).project("left")


def test_diagrams_show_states_and_labels():
    machine = WeightedTransducer(
        [(0, "a", None, 0.5, 0), *((0, a, a, 1.0, 1) for a in "abcdef"), (1, "a", "b", 1.0, 0)], [0], [1]
    )
    texts = [text.get_text() for text in plot_transducer(machine).texts]
    assert {"0", "1", "a:ε/0.5", "a:b"} <= set(texts)
    assert any("… 6 in all" in text for text in texts)


@pytest.mark.parametrize("semiring", ["probability", "log"])
@pytest.mark.parametrize("around", [1.0, 1.5])
def test_a_cycle_that_diverges_is_named_as_such(semiring, around):
    weight = around if semiring == "probability" else float(-np.log(around))
    one = 1.0 if semiring == "probability" else 0.0
    machine = WeightedTransducer([(0, "a", "a", one, 1), (1, "b", "b", weight, 0)], [0], [1], semiring=semiring)
    with pytest.raises(ValueError, match="diverges: the weights around a cycle"):
        machine.total_weight()


def test_sums_over_cycles_bear_any_cost():
    arcs = [(0, "a", "a", 900.0, 1), (1, "b", "b", float(-np.log(0.5)), 1), (1, "c", "c", 700.0, 2)]
    machine = WeightedTransducer(arcs, {0: 10.0}, {2: -5.0}, semiring="log")
    # The loop doubles: 1 + 1/2 + 1/4 + ...
    assert machine.total_weight() == pytest.approx(1605.0 - np.log(2.0), rel=1e-12)
