"""The planning function: Table 5's expressions, and times that follow from them."""

import pytest

from treatise.linear import plan_cluster
from treatise.linear.hybrid.cluster_plan import ALGORITHMS, communication_values

SIZE = {"n": 1000.0, "s": 7.0, "d": 30.0, "m": 5.0, "passes": 3.0, "batch": 20.0}


@pytest.mark.parametrize(("algorithm", "value"), [
    ("hybrid", 30 * 3), ("bundle", 30 * 3), ("online averaging", 30 * 3),
    ("parallel online", 1000 * 7 / 5 + 1000 * 3), ("overcomplete averaging", 1000 * 7 + 30),
    ("minibatch dense", 30 * 3 * 1000 / 20), ("minibatch sparse", 1000 * 7 * 3),
])  # fmt: skip
def test_expressions_are_those_of_table_five(algorithm, value):
    assert communication_values(algorithm, **SIZE) == value


def test_plan_counts_both_ways_and_bits():
    plans = {plan.algorithm: plan for plan in plan_cluster(1e6, 100, 1e5, 10, passes=2, bits_per_second=1e8)}
    hybrid = plans["hybrid"]
    assert set(plans) == set(ALGORITHMS)
    assert hybrid.bytes_per_node == 2 * 2 * 1e5 * 4
    assert hybrid.network_seconds == 8 * hybrid.bytes_per_node / 1e8
    assert hybrid.compute_seconds == 1e6 * 100 * 2 / 10 / 5e6
    assert hybrid.seconds == hybrid.compute_seconds + hybrid.network_seconds


def test_minibatches_are_of_the_square_root_of_n_unless_told():
    plans = {plan.algorithm: plan for plan in plan_cluster(1e6, 100, 1e5, 10, passes=2)}
    assert plans["minibatch dense"].values_per_node == 1e5 * 2 * 1e3


def test_wrong_sizes_and_names_are_told():
    with pytest.raises(ValueError, match="workers=0 must be positive"):
        plan_cluster(10, 1, 1, 0)
    with pytest.raises(ValueError, match="n=-1 must be positive"):
        plan_cluster(-1, 1, 1, 1)
    for name in ("batch", "bits_per_second", "features_per_second"):
        with pytest.raises(ValueError, match=f"{name}=0 must be positive"):
            plan_cluster(10, 1, 1, 1, **{name: 0})
    with pytest.raises(ValueError, match="'gossip' is unknown; it may be hybrid"):
        communication_values("gossip", **SIZE)
