"""The terascale paper's experiment: its arithmetic, its claims, and what real data add."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def evidence(quick):
    return quick("v15-1111")


def test_quick_form_reaches_every_row(evidence):
    assert [row.quantity for row in evidence.rows if row.failed] == []


def test_claims_and_arithmetic_are_there_without_data(evidence):
    rows = {row.quantity: row for row in evidence.rows}
    for start in ("hybrid traffic", "the warm start", "overcomplete averaging stays"):
        assert any(quantity.startswith(start) and row.verdict == "reached" for quantity, row in rows.items()), start
    assert evidence.figure is not None
    assert len(evidence.figure.axes) == 3


def test_minibatches_lag_behind_the_hybrid_at_equal_passes(evidence):
    here = {row.quantity: row.here for row in evidence.rows}
    last = "Zipf clicks: suboptimality of {} after 8 passes"
    assert here[last.format("minibatches")] > 10 * here[last.format("the hybrid")] > 0
    # Minibatches of the square root of n: as many sums over the cluster, for one of the hybrid.
    assert here["Zipf clicks: sums over the cluster in a pass of minibatches, where the hybrid takes one"] == 316


def test_real_data_give_their_rows(evidence, real_data):
    real_data("sequences/C_elegans_acc_seq.fa")
    real_data("libsvm/rcv1_small.dat.gz")
    real_data("libsvm/rcv1_small_test.data.gz")
    here = {row.quantity: row.here for row in evidence.rows}
    assert here["RCV1 sample, streamed: test accuracy"] > 0.8
    # 82 letters have sum_k (82 - k + 1) = 1450 substrings of up to 20.
    assert here["C. elegans acceptor sites: features in each row"] == 1450
    auprc = [value for quantity, value in here.items() if "auPRC" in quantity]
    # Chance is the share of sites, 1 in 11.
    assert len(auprc) == 3
    assert np.min(auprc) > 0.5
