"""The search for broken axioms against Table 1 of the paper, and the phases of two cliques against closed forms."""

import numpy as np
import pytest

from treatise.network import check_axioms, graph_quality, plot_two_clique_phase, two_clique_phase
from treatise.network.communities.axioms import AXIOMS, partitions

TABLE = {
    ("components", ()): {"continuity"},
    ("modularity", ()): {"monotonicity", "locality"},
    ("rb", ()): {"monotonicity", "locality"},
    ("fixed", (("M", 1.0),)): {"scale invariance", "monotonicity"},
    ("adaptive", (("M", 0.0),)): set(),
    ("adaptive", (("M", 10.0),)): {"scale invariance"},
    ("adaptive", (("M", 1.0), ("gamma", 1.0))): {"scale invariance", "monotonicity"},
    ("cpm", ()): {"scale invariance"},
    ("ncut", ()): {"richness"},
}


@pytest.mark.parametrize(("function", "parameters"), TABLE)
def test_exactly_the_axioms_of_table_1_are_broken(function, parameters):
    found = check_axioms(function, n_trials=400, max_nodes=5, **dict(parameters))
    assert {axiom for axiom, example in found.items() if example} == TABLE[function, parameters]


def test_a_counterexample_is_one():
    example = check_axioms("modularity", "monotonicity")["monotonicity"]
    before, after = example.graphs
    (labels,) = example.clusterings
    same = labels[:, np.newaxis] == labels
    assert (after[same] >= before[same]).all()
    assert (after[~same] <= before[~same]).all()
    assert graph_quality(after, labels, "modularity") < graph_quality(before, labels, "modularity")
    example = check_axioms("modularity", "locality")["locality"]
    values = [
        graph_quality(example.graphs[i // 2], labels, "modularity") for i, labels in enumerate(example.clusterings)
    ]
    assert values[0] > values[1]
    assert values[2] < values[3]


def test_relative_monotonicity_is_broken_by_modularity_alone():
    assert check_axioms("modularity", "relative monotonicity", n_trials=20_000)["relative monotonicity"]
    assert not check_axioms("adaptive", "relative monotonicity", M=1.0)["relative monotonicity"]


def test_a_function_of_ones_own_is_judged():
    found = check_axioms(lambda E, labels: float(labels[0]), n_trials=100)
    assert found["permutation invariance"]
    assert found["richness"]
    assert found["continuity"] is None


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no axiom is called"):
        check_axioms("modularity", "fairness")
    with pytest.raises(ValueError, match="no quality function is called"):
        check_axioms("beauty")
    with pytest.raises(TypeError, match="by name"):
        check_axioms(lambda E, labels: 0.0, M=1.0)
    assert len(AXIOMS) == 7


def test_partitions_are_as_many_as_bells_numbers():
    for n, bell in enumerate([1, 2, 5, 15, 52, 203, 877], start=1):
        found = {tuple(labels) for labels in partitions(n)}
        assert len(found) == bell


def test_phases_follow_their_closed_forms():
    rng = np.random.default_rng(0)
    w, b = rng.uniform(0.1, 100, (2, 2000))
    v = w + b
    for gamma in (1.0, 2.0, 4.0):
        phase = two_clique_phase(0.0, gamma, w, b)
        # (w/v)(1/g) - 1/g^2 twice, against 1/g - 1/g^2 once.
        np.testing.assert_array_equal(phase == 2, w / v > (1 + 1 / gamma) / 2)
        assert (phase != 4).all()
    for M in (10.0, 100.0):
        phase = two_clique_phase(M, 0.0, w, b)
        two_beat_one, halves_beat_two = v**2 > b * M, v**2 > w * M
        assert (phase[two_beat_one & ~halves_beat_two] == 2).all()
        assert (phase[two_beat_one & halves_beat_two] == 4).all()
        assert (phase[~two_beat_one & ~halves_beat_two] == 1).all()


def test_phase_is_the_best_of_three_clusterings_of_a_real_graph():
    """Two cliques of two nodes each: inner weight w over four entries, b over the entries between."""
    w, b, M, gamma = 8.0, 3.0, 6.0, 0.5
    block, across = np.full((2, 2), w / 4), np.full((2, 2), b / 4)
    E = np.block([[block, across], [across, block]])
    values = {count: graph_quality(E, labels, M=M, gamma=gamma) for count, labels in
              {1: [0, 0, 0, 0], 2: [0, 0, 1, 1], 4: [0, 1, 2, 3]}.items()}  # fmt: skip
    assert two_clique_phase(M, gamma, w, b) == max(values, key=values.get)


def test_phase_picture_and_bad_weights():
    ax = plot_two_clique_phase(100.0, 0.0)
    assert "M = 100" in ax.get_title()
    with pytest.raises(ValueError, match="zero or more"):
        two_clique_phase(1.0, 1.0, -1.0, 1.0)
    with pytest.raises(ValueError, match="nor both zero"):
        two_clique_phase(0.0, 0.0, 1.0, 1.0)


def test_clusterings_that_tie_but_for_rounding_break_no_axiom():
    # w - v^2 / V of a union of components is zero; rounding leaves 1e-16 of it, of either sign.
    def potts(E, labels):
        member = labels[:, None] == np.unique(labels)
        return float((((E @ member) * member).sum(axis=0) - (E.sum(axis=1) @ member) ** 2 / E.sum()).sum())

    assert check_axioms(potts, "scale invariance", n_trials=1000, random_state=2)["scale invariance"] is None
