"""The experiment of the hardness of large-sample learning."""

import numpy as np

from treatise.papers.bayesnet.v05_1287 import random_instance


def test_the_quick_form_reaches_every_statement(quick):
    evidence = quick("v05-1287")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    here = {row.quantity: row.here for row in evidence.rows}
    name = "cycle of 2 vertices, 16 observed variables"
    assert here[f"{name}: fewest parameters of any graph (Equation 2 at k = 1)"] == 438
    assert here["parameters of A, B, D, E and G of an arc"] == 186
    assert here["p(0) where 0, 1 and 2 parents are not 0"] == "1/16, 1/64, 1/128"
    assert here["60 random networks: pairs with sets given"] > 1000
    assert evidence.figure is not None and evidence.skipped == []


def test_random_instances_keep_the_bounds_on_degrees():
    for seed in range(5):
        arcs = random_instance(np.random.default_rng(seed), 7)
        for v in range(7):
            into, out = sum(head == v for _, head in arcs), sum(tail == v for tail, _ in arcs)
            assert into >= 1 and out >= 1 and into + out <= 3
