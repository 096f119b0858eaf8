"""The experiment of following the perturbed leader, its adversary and its traders."""

import numpy as np
import pytest

from treatise.online import (
    AdaHedge,
    CBMSHedge,
    DecreasingHedge,
    DecreasingPerturbedLeader,
    FixedPerturbedLeader,
    FlipFlop,
    FollowTheLeader,
    Hedge,
    NormalHedge,
    PerturbedLeader,
    VariationMW,
    game_volume,
)
from treatise.papers.online.v12_0241 import ABSENT, experiment, growing_adversary, volatility_gains


def test_the_quick_form_reaches_what_it_should(real_data, quick):
    for name in ("djia", "sp500", "nyse_o"):
        real_data(f"portfolio/{name}.csv.gz")
    evidence = quick("v12-0241")
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.skipped == [ABSENT]
    assert sum(row.quantity.startswith(("djia", "sp500", "nyse_o")) for row in evidence.rows) == 12
    assert len(evidence.figure.axes) == 3


def test_without_data_the_generated_prices_remain(monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    evidence = experiment()
    assert len(evidence.skipped) == 4
    assert any("Hurst index 0.7" in row.quantity for row in evidence.rows)
    assert not any(row.failed for row in evidence.rows)


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
@pytest.mark.parametrize(
    "strategy",
    [
        AdaHedge(), CBMSHedge(), DecreasingHedge(), DecreasingPerturbedLeader(), FixedPerturbedLeader(), FlipFlop(),
        FollowTheLeader(), Hedge(), NormalHedge(), PerturbedLeader(), VariationMW(),
    ],
    ids=str,
)  # fmt: skip
def test_no_strategy_withstands_the_growing_adversary(strategy, epsilon):
    losses, share = growing_adversary(strategy, 60, epsilon)
    assert np.all(share >= 0.5 * (1.0 - epsilon))
    assert np.all(game_volume(losses, 1.0).fluctuation >= 1.0 - epsilon)


def test_the_adversary_refuses_what_would_overflow():
    with pytest.raises(ValueError, match="between 0 and 93"):
        growing_adversary(AdaHedge(), 1000)
    with pytest.raises(ValueError, match="epsilon=1"):
        growing_adversary(AdaHedge(), 10, 1)


def test_zero_sum_gains_obey_the_volatility_identity():
    prices = 100.0 + np.cumsum(np.random.default_rng(6).standard_normal(400))
    gains = volatility_gains(prices, shares=600.0)
    np.testing.assert_array_equal(gains[:, 0], -gains[:, 1])
    total = 600.0 * ((prices[-1] - prices[0]) ** 2 - np.sum(np.diff(prices) ** 2))
    assert gains[:, 0].sum() == pytest.approx(total, rel=1e-9)
    with pytest.raises(ValueError, match="at least two"):
        volatility_gains([1.0])
