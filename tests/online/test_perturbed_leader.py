"""Follow the perturbed leader with unbounded losses (JMLR 12:241)."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from treatise.datasets import make_fractional_brownian_motion, make_leader_losses
from treatise.online import (
    DecreasingPerturbedLeader,
    FixedPerturbedLeader,
    FollowTheLeader,
    PerturbedLeader,
    game_volume,
    perturbed_leader_probabilities,
)


def quarter(rounds):
    return np.full(len(rounds), 0.25)


def by_quadrature(losses, rate):
    """p(i) as the integral over the winner's draw, straight from the definition."""
    probabilities = []
    for i in range(len(losses)):
        leads = rate * (np.delete(losses, i) - losses[i])
        start = max(0.0, float(np.max(-leads)))
        value, _ = quad(lambda x, leads=leads: math.exp(-x) * np.prod(-np.expm1(-(x + leads))), start, start + 60)
        probabilities.append(value)
    return np.array(probabilities)


def calm_game(rng, limit, n_rounds, n_experts, initial_volume, *, signed):
    """Losses as large as they may be: each round's largest takes a random part of what gamma allows."""
    losses, volume = np.empty((n_rounds, n_experts)), initial_volume
    for t in range(n_rounds):
        share = limit[t] * rng.random()
        growth = share / (1.0 - share) * volume
        row = rng.uniform(-1.0 if signed else 0.0, 1.0, n_experts)
        losses[t] = growth * row / np.abs(row).max()
        volume += growth
    return losses


def test_two_experts_have_the_closed_form():
    for lead in (-3.0, -0.4, 0.0, 1e-9, 0.7, 40.0, 900.0):
        first = 1.0 - 0.5 * math.exp(-lead) if lead >= 0.0 else 0.5 * math.exp(lead)
        probabilities = perturbed_leader_probabilities([0.0, lead / 2.0], rate=2.0)
        np.testing.assert_allclose(probabilities, [first, 1.0 - first], atol=1e-12)


def test_three_experts_have_the_known_probabilities():
    np.testing.assert_allclose(
        perturbed_leader_probabilities([1.0, 1.5, 3.0], rate=0.8), [0.60900348, 0.31260414, 0.07839238], atol=1e-8
    )


@pytest.mark.parametrize("n_experts", [2, 3, 7, 40, 128, 129, 400])
def test_probabilities_equal_the_integral_sum_to_one_and_fall_with_the_loss(n_experts):
    losses = np.sort(np.random.default_rng(n_experts).gamma(1.0, 3.0, n_experts))
    probabilities = perturbed_leader_probabilities(losses, rate=0.7)
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-10)
    assert np.all(np.diff(probabilities) < 0.0)
    if n_experts <= 40:
        np.testing.assert_allclose(probabilities, by_quadrature(losses, 0.7), atol=1e-7)


def test_probabilities_equal_frequencies_of_draws():
    losses, rng = np.array([0.0, 0.3, 0.5, 2.0]), np.random.default_rng(0)
    winners = np.argmin(losses - rng.exponential(size=(1_000_000, 4)) / 1.5, axis=1)
    # Six standard errors of a frequency in a million.
    np.testing.assert_allclose(
        np.bincount(winners, minlength=4) / 1e6, perturbed_leader_probabilities(losses, 1.5), atol=3e-3
    )


def test_bad_probabilities_are_refused():
    with pytest.raises(ValueError, match="finite"):
        perturbed_leader_probabilities([0.0, np.nan], 1.0)
    with pytest.raises(ValueError, match="rate=-1"):
        perturbed_leader_probabilities([0.0, 1.0], -1.0)


def test_scale_of_the_perturbation_by_hand():
    assert PerturbedLeader(quarter).perturbation_scale([1], 3)[0] == pytest.approx(1.08249042, abs=1e-8)
    unsigned = PerturbedLeader(quarter, signed=False)
    assert unsigned.perturbation_scale([1], 3)[0] == pytest.approx(0.51356499, abs=1e-8)
    # 2 a (exp(4/a) - 1) tends to 8.
    limit = PerturbedLeader(quarter, a=1e9).perturbation_scale([1], 3)[0]
    assert limit == pytest.approx(0.97622268, abs=1e-8)
    assert limit == pytest.approx(math.sqrt(8 / (1 + math.log(3))) / 2, rel=1e-8)
    np.testing.assert_allclose(
        PerturbedLeader(1.0).perturbation_scale([1, 4], 3),
        PerturbedLeader(lambda t: 1 / t).perturbation_scale([1, 4], 3),
    )


def test_paper_form_of_the_scale_agrees():
    a, n_experts, limit = 10.0, 5, 0.2
    exponent = 0.5 * (1 - math.log(a * (1 + math.log(n_experts)) / (2 * math.expm1(4 / a))) / math.log(limit))
    scale = PerturbedLeader(lambda t: np.full(len(t), limit), a=a).perturbation_scale([1], n_experts)[0]
    assert scale == pytest.approx(a * limit**exponent, rel=1e-12)


def test_rounds_equal_the_definition():
    losses = np.random.default_rng(1).standard_normal((30, 3)) * np.arange(1, 31)[:, None]
    strategy = PerturbedLeader(0.5, initial_volume=2.0)
    play = strategy.run(losses, keep_weights=True)
    total, volume = np.zeros(3), 2.0
    for t, row in enumerate(losses):
        rate = 1.0 / (strategy.perturbation_scale([t + 1], 3)[0] * volume)
        assert play.rates[t] == pytest.approx(rate, rel=1e-12)
        np.testing.assert_allclose(play.weights[t], perturbed_leader_probabilities(total, rate), atol=1e-12)
        total, volume = total + row, volume + np.abs(row).max()


def test_alternating_losses_cost_little_where_the_leader_pays_every_time():
    losses = make_leader_losses(1)
    strategy = PerturbedLeader(lambda t: np.minimum(0.999, 1.0 / t), signed=False)
    assert strategy.run(losses).regret[-1] == pytest.approx(13.892, abs=1e-3)
    assert FollowTheLeader().run(losses).regret[-1] == 499.75


@pytest.mark.parametrize("signed", [True, False])
def test_the_bounds_hold_where_the_fluctuation_keeps_its_limit(signed):
    rng = np.random.default_rng(2)
    for power in (0.3, 0.5, 0.9):
        for _ in range(5):
            strategy = PerturbedLeader(lambda t, power=power: 0.9 * t**-power, signed=signed, initial_volume=1.0)
            limit = 0.9 * np.arange(1, 301.0) ** -power
            losses = calm_game(rng, limit, 300, int(rng.integers(2, 12)), 1.0, signed=signed)
            assert strategy.first_violation(losses) is None
            play = strategy.run(losses)
            assert np.all(play.regret <= strategy.bound_curve(losses))
            assert strategy.regret_bounds(losses)["Theorem 2"] == strategy.bound_curve(losses)[-1]


@pytest.mark.parametrize("signed", [True, False])
def test_the_bound_is_finite_and_holds_with_a_power_of_the_round(signed):
    """gamma = t**-d is 1 in the first round, which is all of the volume where there was none before."""
    rng = np.random.default_rng(5)
    for volume in (0.0, 1.0):
        for _ in range(10):
            strategy = PerturbedLeader(0.5, signed=signed, initial_volume=volume)
            n_experts, limit = int(rng.integers(2, 12)), np.arange(1, 201.0) ** -0.5
            row = rng.uniform(-1.0 if signed else 0.0, 1.0, n_experts)
            # The first round takes a volume of 0 to 1, or one of 1 to 2.
            later = calm_game(rng, limit[1:], 199, n_experts, 1.0 + volume, signed=signed)
            losses = np.vstack([row / np.abs(row).max(), later])
            assert strategy.first_violation(losses) is None
            assert np.all(strategy.run(losses).regret <= strategy.bound_curve(losses))
            assert strategy.regret_bounds(losses)["Theorem 2"] == strategy.bound_curve(losses)[-1] < np.inf
            infeasible = strategy.infeasible_losses(losses)
            # The gap to the infeasible leader round by round, in the form that needs no limit of gamma.
            power = 4.0 if signed else 2.0
            b = power * limit / strategy.perturbation_scale(np.arange(1, 201), n_experts)
            gap = strategy.run(losses).losses - infeasible
            allowed = (2.0 if signed else 1.0) * b * game_volume(losses).growth
            assert np.all(gap[1:] <= allowed[1:] + 1e-12)


def test_lemmas_on_the_infeasible_leader_hold():
    rng, a = np.random.default_rng(3), 10.0
    limit = 0.9 * np.arange(1, 201.0) ** -0.5
    losses = calm_game(rng, limit, 200, 6, 1.0, signed=True)
    strategy = PerturbedLeader(lambda t: 0.9 * t**-0.5, a=a, initial_volume=1.0)
    growth, scale = game_volume(losses).growth, strategy.perturbation_scale(np.arange(1, 201), 6)
    infeasible = strategy.infeasible_losses(losses)
    # Lemma 3 with gamma^(1 - alpha) = gamma a / mu, Lemma 4 with gamma^alpha = mu / a.
    lag = strategy.run(losses).losses.sum() - infeasible.sum()
    assert lag <= 2.0 * math.expm1(4 / a) * np.sum(limit * a / scale * growth)
    assert infeasible.sum() - losses.sum(axis=0).min() <= (1 + math.log(6)) * np.sum(scale * growth)


def test_infeasible_leader_equals_its_definition():
    losses = np.random.default_rng(4).standard_normal((20, 3))
    strategy = PerturbedLeader(0.5)
    total, volume = np.zeros(3), 0.0
    for t, (row, expected) in enumerate(zip(losses, strategy.infeasible_losses(losses))):
        total, volume = total + row, volume + np.abs(row).max()
        rate = 1.0 / (strategy.perturbation_scale([t + 1], 3)[0] * volume)
        assert expected == pytest.approx(perturbed_leader_probabilities(total, rate) @ row, abs=1e-12)


def test_violations_are_named_and_void_the_bound():
    losses = np.array([[0.1, 0.0], [0.1, 0.0], [5.0, 0.0]])
    strategy = PerturbedLeader(lambda t: np.full(len(t), 0.5), initial_volume=1.0)
    assert strategy.first_violation(losses) == 3
    assert strategy.regret_bounds(losses)["Theorem 2"] == np.inf
    assert strategy.first_violation(losses[:2]) is None
    # Without an initial volume the first round is all there is: its fluctuation is one.
    assert PerturbedLeader(quarter).first_violation(losses) == 1
    negative = PerturbedLeader(lambda t: np.full(len(t), 0.9), initial_volume=1.0, signed=False)
    assert negative.first_violation([[0.1, 0.0], [-0.1, 0.0]]) == 2


def test_volume_and_fluctuation_by_hand():
    volume = game_volume([[0.0, 0.0], [1.0, -3.0], [2.0, 1.0]])
    np.testing.assert_array_equal(volume.volume, [0.0, 3.0, 5.0])
    np.testing.assert_array_equal(volume.growth, [0.0, 3.0, 2.0])
    np.testing.assert_allclose(volume.fluctuation, [0.0, 1.0, 0.4])
    with pytest.raises(ValueError, match="nan or infinity"):
        game_volume([[np.nan, 1.0]])
    with pytest.raises(ValueError, match=r"losses of shape \(2,\)"):
        game_volume([1.0, 2.0])


def test_scaling_the_losses_changes_no_probability():
    losses = np.random.default_rng(5).standard_t(2, (200, 4))
    weights = PerturbedLeader().run(losses, keep_weights=True).weights
    np.testing.assert_allclose(PerturbedLeader().run(1e6 * losses, keep_weights=True).weights, weights, atol=1e-12)
    assert np.ptp(weights[-1]) > 0.01


@pytest.mark.parametrize("perturbation", ["fresh", "frozen"])
def test_draws_lose_on_average_what_the_probabilities_lose(perturbation):
    losses = np.random.default_rng(7).standard_normal((25, 3)) + [0.0, 0.1, 0.2]
    exact = PerturbedLeader().run(losses).losses.sum()
    drawn = [
        PerturbedLeader(perturbation=perturbation, random_state=seed).run(losses).losses.sum() for seed in range(2000)
    ]
    assert abs(np.mean(drawn) - exact) <= 4.0 * np.std(drawn) / math.sqrt(2000)


def test_draws_put_all_weight_on_one_expert_and_follow_the_seed():
    losses = np.random.default_rng(8).standard_normal((50, 3))
    one, same, other = (
        PerturbedLeader(perturbation="fresh", random_state=seed).run(losses, keep_weights=True).weights
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(np.sort(one, axis=1), np.tile([0.0, 0.0, 1.0], (50, 1)))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_bounded_leaders_have_their_rates():
    losses = np.random.default_rng(9).random((20, 4))
    np.testing.assert_allclose(FixedPerturbedLeader(0.3).run(losses).rates, 0.3)
    rates = DecreasingPerturbedLeader(2.0).run(losses).rates
    np.testing.assert_allclose(rates, np.sqrt(math.log(4) / (2 * np.arange(1, 21))) / 2)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="gamma must give"):
        PerturbedLeader(lambda t: 2.0 * t).start(2)
    for strategy in (PerturbedLeader(a=0.0), PerturbedLeader(gamma=-1.0), PerturbedLeader(perturbation="often")):
        with pytest.raises(ValueError, match="parameter"):
            strategy.start(2)


def test_fractional_brownian_motion_has_its_covariance():
    for hurst in (0.3, 0.7):
        paths = np.array([make_fractional_brownian_motion(8, hurst, random_state=seed) for seed in range(6000)])
        times = np.arange(9) / 8
        s, t = np.meshgrid(times, times)
        expected = 0.5 * (s ** (2 * hurst) + t ** (2 * hurst) - np.abs(s - t) ** (2 * hurst))
        # Five standard errors of a covariance of six thousand standard normals.
        np.testing.assert_allclose(np.cov(paths.T), expected, atol=0.1)
        np.testing.assert_allclose(paths.T @ paths / 6000, expected, atol=0.1)
    with pytest.raises(ValueError, match="hurst=1"):
        make_fractional_brownian_motion(8, 1)
