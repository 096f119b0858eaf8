"""The experiments on bounds, labelings and events in random fields."""

import numpy as np

from treatise.papers.thesis_ravikumar import event_errors, experiment, random_field, weights_of


def test_the_quick_form_reaches_what_it_should():
    evidence = experiment()
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["Figure 6.1, coins: optimised Chernoff bound"] == -3.92436
    assert here["Figure 6.1, Markov chain: optimised Chernoff bound"] == -15.49444
    assert here["Figure 6.1, Markov chain: true log probability"] == -18.40557
    reached = [row.quantity for row in evidence.rows if row.verdict == "reached"]
    assert sum(quantity.startswith("Table 6.1") for quantity in reached) >= 12
    assert evidence.figure is not None and not evidence.skipped


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
