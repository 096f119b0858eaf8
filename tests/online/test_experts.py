"""Exponential weights, AdaHedge, FlipFlop and their rivals (JMLR 15:1281) against the paper's definitions."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from treatise.datasets import make_leader_losses
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
    largest_variation,
    plot_regret,
    safe_rate,
)
from treatise.online.experts._round_loops import decay, total_decay

STRATEGIES = [
    AdaHedge(),
    CBMSHedge(),
    DecreasingHedge(),
    DecreasingPerturbedLeader(),
    DecreasingPerturbedLeader(perturbation="fresh", random_state=0),
    FixedPerturbedLeader(),
    FlipFlop(),
    FollowTheLeader(),
    Hedge(0.3),
    NormalHedge(),
    PerturbedLeader(),
    PerturbedLeader(perturbation="fresh", random_state=0),
    PerturbedLeader(perturbation="frozen", random_state=0),
    VariationMW(variation=3.0),
]
by_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=str)


def mix(rate, losses):
    """Weights and cumulative mix loss, as Figure 1 of the paper has them."""
    least = losses.min()
    if math.isinf(rate):
        weights = (losses == least).astype(float)
        return weights / weights.sum(), least
    weights = np.exp(-rate * (losses - least))
    return weights / weights.sum(), least - math.log(weights.mean()) / rate


def plainly(losses, choose_rate):
    """Regret of exponential weights in plain loops; ``choose_rate`` maps the record to a rate and learns gaps."""
    total, paid, record, regret = np.zeros(losses.shape[1]), 0.0, {}, []
    for row in losses:
        rate = choose_rate(record, None)
        weights, before = mix(rate, total)
        total = total + row
        paid += weights @ row
        gap = max(0.0, weights @ row - (mix(rate, total)[1] - before))
        choose_rate(record, gap)
        regret.append(paid - total.min())
    return np.array(regret)


def adahedge_rate(n_experts):
    def rate(record, gap):
        record["gap"] = record.get("gap", 0.0) + (gap or 0.0)
        return math.log(n_experts) / record["gap"] if record["gap"] > 0 else math.inf

    return rate


def flipflop_rate(n_experts, phi=2.37, alpha=1.243):
    def rate(record, gap):
        gaps, regime = record.setdefault("gaps", [0.0, 0.0]), record.setdefault("regime", 0)
        if gap is not None:
            gaps[regime] += gap
            if gaps[regime] > (phi / alpha, alpha)[regime] * gaps[1 - regime]:
                record["regime"] = 1 - regime
        regime = record["regime"]
        return math.log(n_experts) / gaps[1] if regime == 1 and gaps[1] > 0 else math.inf

    return rate


def random_games(n_games, seed=0):
    """Games of all kinds: uniform, binary, heavy-tailed, signed, with one good expert, with leaders that change."""
    rng = np.random.default_rng(seed)
    for game in range(n_games):
        n_rounds, n_experts = int(rng.integers(5, 300)), int(rng.integers(2, 51))
        shape, kind = (n_rounds, n_experts), game % 6
        if kind == 0:
            yield rng.random(shape)
        elif kind == 1:
            yield rng.integers(0, 2, shape).astype(float)
        elif kind == 2:
            yield rng.standard_t(1.5, shape)
        elif kind == 3:
            yield -rng.pareto(1.2, shape)
        elif kind == 4:
            yield rng.random(shape) + rng.random(n_experts)
        else:
            yield np.sin(np.arange(n_rounds)[:, None] / 10 + np.arange(n_experts)) * 1e3


@pytest.mark.parametrize(
    ("experiment", "published"),
    [
        (1, [499.75, 122.59, 9.55, 13.17, 31.67, 27.60]),
        (2, [0.5, 75.49, 10.24, 13.38, 0.5, 0.5]),
        (3, [0.5, 2.04, 13.50, 14.66, 0.5, 0.5]),
        (4, [0.5, 1.25, 11.76, 1.47, 0.5, 0.5]),
    ],
)
def test_final_regrets_of_the_four_experiments(experiment, published):
    losses = make_leader_losses(experiment)
    strategies = [FollowTheLeader(), Hedge(1.0), Hedge(safe_rate(1000, 2)), AdaHedge(), FlipFlop(), NormalHedge()]
    regrets = [strategy.run(losses).regret[-1] for strategy in strategies]
    # Half a unit of the second digit after the point, to which the values are known.
    np.testing.assert_allclose(regrets, published, atol=0.0051)


def test_totals_of_the_generated_losses_are_those_of_the_paper():
    np.testing.assert_array_equal(make_leader_losses(3).sum(axis=0), [508, 492])
    np.testing.assert_array_equal(make_leader_losses(4).sum(axis=0), [532, 468])
    np.testing.assert_array_equal(make_leader_losses(2)[:4], [[1, 0], [1, 0], [0, 1], [1, 0]])
    with pytest.raises(ValueError, match="experiment=5"):
        make_leader_losses(5)


@pytest.mark.parametrize("experiment", [1, 2, 3, 4])
def test_regret_curves_equal_plain_loops(experiment):
    losses = make_leader_losses(experiment)
    pairs = [
        (FollowTheLeader(), lambda record, gap: math.inf),
        (Hedge(1.0), lambda record, gap: 1.0),
        (AdaHedge(), adahedge_rate(2)),
        (FlipFlop(), flipflop_rate(2)),
    ]
    for strategy, rate in pairs:
        # A thousand rounds of doubles summed in different orders.
        np.testing.assert_allclose(strategy.run(losses).regret, plainly(losses, rate), atol=1e-9)


@pytest.mark.parametrize("n_numbers", [1, 31, 32, 1001])
def test_exponentials_of_many_numbers_are_those_of_the_library(n_numbers):
    excess = np.sort(np.random.default_rng(0).gamma(0.3, 200.0, n_numbers))
    excess[0] = 0.0
    out = np.empty(n_numbers)
    total = decay(0.9, excess, out)
    # Two units in the last place; what lies below exp(-708) may be that instead.
    np.testing.assert_allclose(out, np.exp(-0.9 * excess), rtol=5e-16, atol=np.exp(-707))
    assert total == total_decay(0.9, excess) == pytest.approx(np.exp(-0.9 * excess).sum(), rel=1e-12)
    assert out[0] == 1.0


def test_adahedge_equals_a_plain_loop_on_many_experts():
    for losses in random_games(12, seed=5):
        n_experts, scale = losses.shape[1], np.abs(losses).max()
        expected = plainly(losses, adahedge_rate(n_experts))
        np.testing.assert_allclose(AdaHedge().run(losses).regret, expected, atol=1e-9 * scale * len(losses))


@by_strategy
def test_round_by_round_equals_all_at_once(strategy):
    losses = np.random.default_rng(1).standard_normal((60, 4)) ** 2 / 10
    play = strategy.run(losses, keep_weights=True)
    online = clone(strategy).start(4)
    for row, weights, paid in zip(losses, play.weights, play.losses):
        np.testing.assert_array_equal(online.weights_, weights)
        assert online.update(row) == paid
        assert paid == pytest.approx(weights @ row, rel=1e-12)
    assert online.regret_ == pytest.approx(play.regret[-1], abs=1e-12)
    assert online.loss_ - losses.sum(axis=0).min() == pytest.approx(online.regret_, abs=1e-10)
    halves = clone(strategy).partial_fit(losses[:25]).partial_fit(losses[25:])
    np.testing.assert_array_equal(halves.weights_, clone(strategy).fit(losses).weights_)
    np.testing.assert_array_equal(halves.weights_, online.weights_)
    assert halves.n_rounds_ == online.n_rounds_ == 60


@by_strategy
def test_weights_are_a_distribution_however_large_or_small_the_losses(strategy):
    rng = np.random.default_rng(2)
    for scale in (1e-12, 1.0, 1e12):
        losses = scale * (rng.random((300, 5)) - 0.5)
        weights = strategy.run(losses, keep_weights=True).weights
        assert np.all(np.isfinite(weights)) and np.all(weights >= 0.0)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    # Cumulative losses of 1e15, of which two experts differ by little.
    losses = 1e12 + rng.random((1000, 3))
    play = strategy.run(losses, keep_weights=True)
    np.testing.assert_allclose(play.weights.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("strategy", [AdaHedge(), FlipFlop(), FollowTheLeader(), NormalHedge()], ids=str)
def test_weights_do_not_change_when_losses_are_scaled_and_shifted(strategy):
    rng = np.random.default_rng(3)
    for losses in (rng.random((400, 6)), rng.standard_t(2, (400, 3))):
        shift = 10.0 * rng.standard_normal((len(losses), 1))
        moved = strategy.run(7.3 * losses + shift, keep_weights=True).weights
        np.testing.assert_allclose(moved, strategy.run(losses, keep_weights=True).weights, atol=1e-10)


@pytest.mark.parametrize("kind", [FollowTheLeader, FlipFlop])
def test_a_tolerance_keeps_ties_that_rounding_breaks(kind):
    """One expert loses a, then b, the other a + b: a tie every third round, but not in tenths of them."""
    a, b = np.random.default_rng(12).integers(1, 10, (2, 100)).astype(float)
    nothing = np.zeros(100)
    whole = np.stack([a, nothing, b, nothing, nothing, a + b], axis=1).reshape(300, 2)
    exact = kind().run(whole, keep_weights=True).weights
    tolerant = kind(tolerance=1e-9).run(whole / 10, keep_weights=True).weights
    np.testing.assert_allclose(tolerant, exact, atol=1e-9)
    assert np.abs(kind().run(whole / 10, keep_weights=True).weights - exact).max() > 0.1


@pytest.mark.parametrize(
    "strategy", [AdaHedge(), FlipFlop(), FollowTheLeader(), Hedge(0.5), CBMSHedge(), NormalHedge()], ids=str
)
def test_rounds_in_which_all_lose_alike_change_nothing(strategy):
    losses = np.random.default_rng(4).random((50, 3))
    padded = np.insert(losses, [0, 7, 7, 30, 50], 0.123, axis=0)
    kept = strategy.run(padded, keep_weights=True).weights
    real = np.ptp(padded, axis=1) > 0.0
    # The totals of NormalHedge and the rates agree to rounding; those of the leader exactly.
    np.testing.assert_allclose(kept[real], strategy.run(losses, keep_weights=True).weights, atol=1e-12)


def test_every_bound_holds_on_games_of_all_kinds():
    for losses in random_games(200):
        variation = largest_variation(losses)
        largest = max(float(np.abs(losses).max()), 1e-300)
        for strategy in (
            AdaHedge(), FlipFlop(), FollowTheLeader(), Hedge(0.4), DecreasingHedge(loss_range=2 * largest),
            VariationMW(variation=variation), DecreasingPerturbedLeader(largest_loss=largest),
        ):  # fmt: skip
            regret = strategy.run(losses).regret[-1]
            bounds = strategy.regret_bounds(losses)
            assert bounds
            for name, bound in bounds.items():
                assert regret <= bound + 1e-9 * largest * len(losses), (strategy, name)


def test_bounds_that_need_a_range_are_void_outside_it():
    losses = np.array([[0.0, 3.0], [-1.0, 0.0]])
    assert DecreasingHedge().regret_bounds(losses)["Cesa-Bianchi and Lugosi, Theorem 2.3"] == np.inf
    assert VariationMW(10.0).regret_bounds(losses)["Hazan and Kale, Theorem 4"] == np.inf
    assert DecreasingPerturbedLeader().regret_bounds(losses)["Hutter and Poland"] == np.inf
    assert NormalHedge().regret_bounds(losses) == {}


def test_bounds_by_hand():
    # S = 1, L+ - L* = 2, L* - L- = 1, two experts, three rounds.
    losses = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    log2 = math.log(2)
    ada = AdaHedge().regret_bounds(losses)
    assert ada["Theorem 8"] == pytest.approx(2 * math.sqrt(2 / 3 * log2) + 16 / 3 * log2 + 2)
    assert ada["Corollary 9, squared ranges"] == pytest.approx(math.sqrt(3 * log2) + 4 / 3 * log2 + 2)
    assert ada["Corollary 9, small losses"] == pytest.approx(2 * math.sqrt(log2) + 16 / 3 * log2 + 2)
    assert ada["Corollary 9, large losses"] == pytest.approx(2 * math.sqrt(2 * log2) + 16 / 3 * log2 + 2)
    flip = FlipFlop().regret_bounds(losses)
    # Corollary 16 with its two digits; following the leader pays 1/2, 1 and 1/2, and the best expert 1.
    assert flip["Theorem 15, leader"] == pytest.approx(5.64 * 1.0 + 3.73, abs=0.01)
    worst = 5.64 * math.sqrt(2 / 3 * log2) + 35.53 * log2 + 5.64 * math.sqrt(log2) + 6.64
    assert flip["Theorem 15, worst case"] == pytest.approx(worst, abs=0.05)
    assert Hedge(0.5).regret_bounds(losses)["Equation 7"] == pytest.approx(log2 / 0.5 + 0.5 * 3 / 8)
    # The second round makes a tie, so that nobody is overtaken.
    assert FollowTheLeader().regret_bounds(losses)["Lemma 10"] == 2.0


def test_regret_of_following_the_leader_is_its_cumulative_gap():
    for losses in random_games(30, seed=7):
        play = FollowTheLeader().run(losses)
        np.testing.assert_allclose(play.regret, np.cumsum(play.gaps), atol=1e-12 * np.abs(losses).max() * len(losses))


def test_gaps_obey_hoeffding_bernstein_and_the_papers_inequality():
    for losses in random_games(24, seed=8):
        play = AdaHedge().run(losses, keep_weights=True)
        ranges = np.ptp(losses, axis=1)
        variance = np.sum(play.weights * (losses - play.losses[:, None]) ** 2, axis=1)
        slack = 1e-9 * np.abs(losses).max()
        assert np.all(play.gaps >= 0.0) and np.all(play.gaps <= ranges + slack)
        finite = np.isfinite(play.rates)
        rates, gaps, ranges, variance = (part[finite] for part in (play.rates, play.gaps, ranges, variance))
        assert np.all(gaps <= rates * ranges**2 / 8 + slack)
        # Bernstein's inequality, g(s rate) / s times the variance with g(x) = (exp(x) - x - 1) / x; vast exponents
        # make it void.
        tilt = np.minimum(rates * ranges, 500.0)
        least = np.where(tilt > 0.0, (np.expm1(tilt) - tilt) / np.where(tilt > 0.0, tilt, 1.0), 0.0)
        assert np.all(gaps * ranges <= least * variance + slack * ranges)
        # Equation 12, multiplied by the rate.
        assert np.all(gaps <= rates * (variance / 2 + ranges * gaps / 3) + slack)


def test_a_huge_rate_follows_the_leader():
    losses = np.random.default_rng(9).random((200, 4))
    np.testing.assert_allclose(
        Hedge(1e12).run(losses, keep_weights=True).weights,
        FollowTheLeader().run(losses, keep_weights=True).weights,
        atol=1e-12,
    )
    np.testing.assert_array_equal(Hedge(np.inf).run(losses).regret, FollowTheLeader().run(losses).regret)


@by_strategy
def test_a_single_expert_has_all_weight_and_no_regret(strategy):
    play = strategy.run(np.random.default_rng(0).random((20, 1)), keep_weights=True)
    np.testing.assert_allclose(play.weights, 1.0, atol=1e-12)
    np.testing.assert_allclose(play.regret, 0.0, atol=1e-12)


def test_flipflop_says_when_it_hedged():
    play = FlipFlop().run(make_leader_losses(1))
    hedged = play.regimes == 1
    assert hedged.any() and not hedged.all()
    assert np.all(np.isinf(play.rates[~hedged]))
    # Where the leader stays, the gap of the first round sends it to hedge, with an infinite rate: it has no gap yet.
    easy = FlipFlop().run(make_leader_losses(2))
    np.testing.assert_array_equal(easy.regimes, [0] + [1] * 999)
    assert np.all(np.isinf(easy.rates))


def test_normal_hedge_solves_its_equation_and_weighs_by_its_potential():
    losses = np.random.default_rng(10).random((100, 7))
    normal, total, paid = NormalHedge().start(7), np.zeros(7), 0.0
    for row in losses:
        paid += normal.update(row)
        total += row
        regret = np.maximum(0.0, paid - total)
        if not regret.any():
            np.testing.assert_allclose(normal.weights_, 1 / 7)
            continue
        scales = np.geomspace(regret.max() ** 2 / 100, regret.max() ** 2, 20001)
        means = np.mean(np.exp(np.minimum(regret[:, None] ** 2 / (2 * scales), 500)), axis=0)
        scale = scales[np.argmin(np.abs(np.log(means) - 1))]
        weights = regret / scale * np.exp(regret**2 / (2 * scale))
        # The grid fixes the scale to one part in four thousand.
        np.testing.assert_allclose(normal.weights_, weights / weights.sum(), atol=2e-3)


def test_variance_tuned_rate_by_hand():
    play = CBMSHedge().run(np.array([[3.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), keep_weights=True)
    # A range of 3 counts as 4; the variance of the first round is 9/4, and C = sqrt(2 (sqrt 2 - 1) / (e - 2)).
    factor = math.sqrt(2 * (math.sqrt(2) - 1) / (math.e - 2))
    rate = min(0.25, factor * math.sqrt(math.log(2) / 2.25))
    assert play.rates[1] == pytest.approx(rate)
    assert play.weights[2, 0] == pytest.approx(1 / (1 + math.exp(3 * rate)))


def test_variation_weights_by_hand():
    strategy = VariationMW(variation=100.0).fit([[1.0, 0.0], [0.0, 0.0]])
    rate = math.sqrt(math.log(2) / 400)
    # The first loss is its own mean; in the second round the first expert is half a unit from its mean.
    score = 1.0 + 4 * rate * 0.25
    assert strategy.weights_[0] == pytest.approx(1 / (1 + math.exp(rate * score)))


def test_largest_variation_equals_its_definition():
    losses = np.random.default_rng(11).random((40, 3)) + 1e3
    expected = 0.0
    for t in range(1, 41):
        leader = losses[:t].sum(axis=0).argmin()
        expected = max(expected, np.sum((losses[:t, leader] - losses[:t, leader].mean()) ** 2))
    # Losses near a thousand cost three digits of sixteen, squares twice as many.
    assert largest_variation(losses) == pytest.approx(expected, rel=1e-9)


@by_strategy
def test_bad_losses_are_refused_and_leave_the_game_as_it_was(strategy):
    game = clone(strategy).start(3)
    game.update([0.1, 0.2, 0.3])
    before = game.weights_.copy()
    for bad in ([0.1, np.nan, 0.2], [np.inf, 0.0, 0.0]):
        with pytest.raises(ValueError, match="nan or infinity"):
            game.update(bad)
    with pytest.raises(ValueError, match="2 experts, but the game has 3"):
        game.update([0.1, 0.2])
    with pytest.raises(ValueError, match="one round"):
        game.update([[0.1, 0.2, 0.3]] * 2)
    with pytest.raises(ValueError, match="a row for each round"):
        game.run([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="at least one expert"):
        clone(strategy).start(0)
    with pytest.raises(ValueError, match=r"losses hold -2e\+160, beyond 1e\+150"):
        game.update([0.1, -2e160, 1e155])
    with pytest.raises(ValueError, match=r"advice of shape \(2,\), but the game has 3 experts"):
        game.predict([1.0, 2.0])
    np.testing.assert_array_equal(game.weights_, before)


def test_bad_parameters_are_refused():
    for strategy in (
        Hedge(0.0), FlipFlop(phi=1.0), FlipFlop(alpha=0.0), FlipFlop(tolerance=-1.0), FollowTheLeader(-1.0),
        DecreasingHedge(-1.0), VariationMW(-1.0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="parameter"):
            strategy.start(2)
    for wrong in ((0, 2), (10, 0), (10, 2, 0.0)):
        with pytest.raises(ValueError, match="must be at least 1, loss_range"):
            safe_rate(*wrong)


@by_strategy
def test_bounds_of_games_without_rounds_or_without_differences_are_numbers(strategy):
    for losses in (np.empty((0, 3)), np.full((4, 3), 0.2)):
        assert not np.any(np.isnan(list(strategy.regret_bounds(losses).values())))
    assert not np.isnan(Hedge(np.inf).regret_bounds(np.ones((4, 3)))["Equation 7"])
    with pytest.raises(ValueError, match=r"losses of shape \(2,\)"):
        largest_variation([1.0, 2.0])
    if strategy.regret_bounds(np.ones((2, 2))):
        with pytest.raises(ValueError, match="nan or infinity"):
            strategy.regret_bounds([[np.nan, 1.0]])


def test_predict_mixes_advice_with_the_weights():
    hedge = Hedge(1.0).fit([[1.0, 0.0]])
    expected = (1.0 * math.exp(-1) + 3.0) / (1 + math.exp(-1))
    assert hedge.predict([1.0, 3.0]) == pytest.approx(expected)
    np.testing.assert_allclose(hedge.predict([[1.0, 3.0], [2.0, 2.0]]), [expected, 2.0])


def test_plots_show_every_strategy():
    losses = make_leader_losses(1, 50)
    plays = {"leader": FollowTheLeader().run(losses), "hedge": Hedge().run(losses)}
    ax = plot_regret(plays)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["leader", "hedge"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), plays["leader"].regret)
    assert len(plays["hedge"].plot_regret(label="again", ax=ax).lines) == 3
