"""The experiments on bounds, labelings and events in random fields."""

import numpy as np

from treatise.datasets import load_japanese_vowels
from treatise.papers.graphical.thesis_ravikumar import (
    event_errors,
    random_field,
    utterance_chain,
    weights_of,
)
from treatise.papers.graphical.thesis_ravikumar._structure import random_ising


def test_the_quick_form_reaches_what_it_should(quick):
    evidence = quick("thesis-ravikumar")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["Figure 6.1, coins: optimised Chernoff bound"] == -3.92436
    assert here["Figure 6.1, Markov chain: optimised Chernoff bound"] == -15.49444
    assert here["Figure 6.1, Markov chain: true log probability"] == -18.40557
    reached = [row.quantity for row in evidence.rows if row.verdict == "reached"]
    assert sum(row.place == "Table 6.1" and row.verdict == "reached" for row in evidence.rows) >= 4
    assert evidence.figure is not None
    additive = "interleaved mixtures, additive features: error in percent"
    assert additive in reached and here[additive] < here["interleaved mixtures, linear features: error in percent"] / 5
    assert "good correspondence of the curves, within a quarter of the size of the least" in reached
    assert "100 variables, rule and: recall rises with n" in reached
    assert "the right columns are found at n = 150 in most draws" in reached
    # Only utterances and mails come from files.
    assert len(evidence.skipped) <= 2
    assert all("JapaneseVowels" in reason or "spambase" in reason for reason in evidence.skipped)


def test_random_ising_graphs_have_cliques_of_ten_and_degree_four():
    fields, couplings = random_ising(40, np.random.default_rng(0))
    assert not fields.any() and np.abs(couplings).max() <= 3
    assert (couplings == couplings.T).all()
    assert (couplings != 0).sum(axis=0).max() <= 4
    groups = np.arange(40) // 10
    assert not couplings[groups[:, None] != groups[None, :]].any()


def test_models_have_the_printed_ranges():
    generator = np.random.default_rng(0)
    for coupling, (low, high) in {"repulsive": (-2, 0), "mixed": (-1, 1), "attractive": (0, 2)}.items():
        drawn = weights_of(coupling, 1.0, 2000, generator)
        assert low <= drawn.min() < low + 0.1 and high - 0.1 < drawn.max() <= high
    constant, fields, edges, _ = random_field("full", "mixed", 0.25, generator).ising_parameters(values=(0, 1))
    assert constant == 0 and len(edges) == 36 and np.abs(fields).max() <= 0.25


def test_estimates_of_a_bound_err_on_their_side():
    """With the truth taken as zero, the errors are the estimates themselves: lower bounds below the upper one."""
    graph = random_field("grid", "repulsive", 1.0, np.random.default_rng(0))
    lower, by_determinant, upper, _ = event_errors(graph, lambda model: iter([({4: 1}, 0.0)]))
    truth = graph.brute_force().nodes[4][1]
    assert by_determinant <= lower <= truth <= upper


def test_a_chain_of_utterances_labels_every_time_by_its_speaker(real_data):
    real_data("sequences/JapaneseVowels_TRAIN.ts")
    training, test = load_japanese_vowels()
    assert (len(training.utterances), len(test.utterances)) == (270, 370)
    assert np.all(np.bincount(training.speakers)[1:] == 30)
    x, y = utterance_chain(training, 10, np.random.RandomState(0))
    # Ten speakers give about 150 positions, as section 11.5.3 says.
    assert len(x) == len(y) and x.shape[1] == 12 and 100 < len(x) < 200
    start = next(u for u in range(270) if np.array_equal(training.utterances[u][0], x[0]))
    length = len(training.utterances[start])
    np.testing.assert_array_equal(x[:length], training.utterances[start])
    assert np.all(y[:length] == training.speakers[start] % 2)
