"""Policy gradients: exact numbers, estimates against them, baselines and value functions."""

import numpy as np
import pytest

from treatise.rl import (
    GPOMDP,
    FiniteMDP,
    FinitePOMDP,
    PuckWorld,
    SoftmaxPolicy,
    SquashedPolicy,
    as_gymnasium,
    baseline_distance_gradient,
    cyclic_process,
    exact_policy_gradient,
    gradient_variance,
    mixing_time,
    optimal_baseline,
    three_state_process,
    value_error_gradient,
    variance_bound,
)


def random_pomdp(seed=0, n_states=4, n_actions=3, n_observations=2):
    rng = np.random.default_rng(seed)
    process = FinitePOMDP(
        rng.dirichlet(np.ones(n_states), size=(n_actions, n_states)),
        rng.dirichlet(np.ones(n_observations), size=n_states),
        rng.normal(size=(n_states, n_actions, n_states)),
    )
    policy = SoftmaxPolicy(n_actions, rng.normal(size=(n_observations, 2)))
    return process, policy, rng.normal(size=6)


def average_reward(process, policy, theta):
    return exact_policy_gradient(process, policy, theta).average_reward


def differences(function, theta, step=1e-6):
    return np.array(
        [(function(theta + step * e) - function(theta - step * e)) / (2 * step) for e in np.eye(len(theta))]
    )


@pytest.mark.parametrize("kind", [SoftmaxPolicy, SquashedPolicy])
def test_log_gradients_are_those_of_finite_differences(kind):
    rng = np.random.default_rng(0)
    policy, theta = kind(3, rng.normal(size=(4, 2))), rng.normal(size=6)
    for y in range(4):
        for u in range(3):
            expected = differences(lambda t, y=y, u=u: np.log(policy.probabilities(t)[y, u]), theta)
            np.testing.assert_allclose(policy.log_gradients(theta)[y, u], expected, atol=1e-8)


def test_the_true_gradient_is_that_of_the_average_reward_and_the_limit_of_the_discounted_one():
    process, policy, theta = random_pomdp()
    found = exact_policy_gradient(process, policy, theta, beta=0.999999)
    expected = differences(lambda t: average_reward(process, policy, t), theta)
    np.testing.assert_allclose(found.gradient, expected, atol=1e-8)
    np.testing.assert_allclose(found.discounted_gradient, expected, atol=1e-4)


def test_numbers_of_the_three_state_process():
    process, policy, theta = three_state_process()
    found = exact_policy_gradient(process, policy, theta)
    np.testing.assert_allclose(found.values, [5.56650807, 5.56650807, 6.64551594], atol=5e-9)
    np.testing.assert_allclose(found.discounted_gradient[:2], [-0.03258977, -0.03510190], atol=5e-9)
    np.testing.assert_allclose(found.gradient[:2], [-0.03272585, -0.03524847], atol=5e-9)
    assert found.average_reward == pytest.approx(0.29419747, abs=5e-9)
    np.testing.assert_allclose(optimal_baseline(process, policy, theta), [6.35254, 6.35254, 6.26938], atol=1e-5)
    np.testing.assert_allclose(optimal_baseline(process, policy, theta, kind="constant"), 6.33837, atol=1e-5)


def test_variances_of_the_three_state_process_and_the_excess_over_the_best():
    process, policy, theta = three_state_process()
    best = optimal_baseline(process, policy, theta)
    least = gradient_variance(process, policy, theta, baseline=best)
    for kind, expected in (("observation", 0.0188460), ("constant", 0.0189431), ("mean_return", 0.0394392)):
        baseline = optimal_baseline(process, policy, theta, kind=kind)
        found = gradient_variance(process, policy, theta, baseline=baseline)
        assert found == pytest.approx(expected, abs=5e-8)
        # Theorem 16: the excess is the squared distance from the best, weighed by the squared log gradients.
        joint = process.stationary(policy.probabilities(theta))[:, None] * policy.probabilities(theta)
        weights = (joint * np.square(policy.log_gradients(theta)).sum(axis=2)).sum(axis=1)
        assert found - least == pytest.approx(weights @ np.square(baseline - best), abs=1e-12)
    assert gradient_variance(process, policy, theta) == pytest.approx(4.0065955, abs=5e-8)


def test_a_value_function_that_is_not_the_true_one_can_be_better():
    process, policy, theta = cyclic_process()
    found = exact_policy_gradient(process, policy, theta, beta=0.9)
    np.testing.assert_allclose(found.values, [18.15, 12.15, 14.85], rtol=1e-12)
    np.testing.assert_allclose(found.discounted_gradient, 1.0, rtol=1e-12)
    other = found.values - [15.15, 15.15, 14.85]
    for value, variance in ((found.values, 231.5225), (other, 5.0)):
        assert gradient_variance(process, policy, theta, beta=0.9, value=value) == pytest.approx(variance, rel=1e-12)


def test_the_best_constant_of_a_bandit_swaps_the_probabilities():
    process = FiniteMDP(np.ones((2, 1, 1)), [[3.0, 7.0]])
    policy, theta = SoftmaxPolicy(2, [[1.0]]), np.array([0.4, -0.3])
    first, second = policy.probabilities(theta)[0]
    # With beta = 0 the return is the reward alone.
    found = optimal_baseline(process, policy, theta, beta=0.0, kind="constant")
    assert found[0] == pytest.approx(second * 3.0 + first * 7.0)


@pytest.mark.parametrize("baseline", [None, "mean_return", "constant", "observation", 6.0])
def test_estimates_are_right_within_their_errors(baseline):
    process, policy, theta = three_state_process()
    exact = exact_policy_gradient(process, policy, theta)
    found = GPOMDP(baseline=baseline, extra_steps=100, random_state=0).estimate(process, policy, theta, 400_000)
    assert (np.abs(found.gradient - exact.discounted_gradient) < 4 * found.standard_error).all()
    assert found.average_reward == pytest.approx(exact.average_reward, abs=0.005)


def test_errors_of_many_runs_are_those_that_one_run_tells():
    process, policy, theta = three_state_process()
    runs = [GPOMDP(random_state=seed).estimate(process, policy, theta, 20_000) for seed in range(200)]
    spread = np.std([run.gradient for run in runs], axis=0)
    told = np.mean([run.standard_error for run in runs], axis=0)
    np.testing.assert_allclose(told, spread, rtol=0.2)  # 200 runs give the spread to 5 %


def test_a_hidden_process_and_its_baselines_are_estimated():
    process, policy, theta = random_pomdp(3)
    exact = exact_policy_gradient(process, policy, theta)
    found = GPOMDP(random_state=0).estimate(process, policy, theta, 1_000_000)
    assert (np.abs(found.gradient - exact.discounted_gradient) < 4 * found.standard_error).all()
    np.testing.assert_allclose(found.baseline, optimal_baseline(process, policy, theta), atol=0.2)


def test_the_telescoped_baseline_equals_taking_it_from_the_returns():
    process, policy, theta = random_pomdp(1)
    run = process.sample(policy.probabilities(theta), 2_000, random_state=0)
    g = policy.log_gradients(theta)[run.observations, run.actions]
    baseline, beta, counted = np.array([2.0, -1.0]), 0.8, 1_500
    returns = np.zeros(2_001)
    for t in reversed(range(2_000)):
        returns[t] = run.rewards[t] + beta * returns[t + 1]
    direct = g[:counted].T @ (returns[:counted] - baseline[run.observations[:counted]])
    z, telescoped = np.zeros(6), np.zeros(6)
    for t in range(2_000):
        z = beta * z + (g[t] if t < counted else 0.0)
        step = baseline[run.observations[t]] - beta * baseline[run.next_observations[t]]
        telescoped += z * (run.rewards[t] - step)
    # 500 further steps leave 0.8^500 of the last baseline.
    np.testing.assert_allclose(telescoped, direct, rtol=1e-10)


def test_the_learned_baseline_comes_near_the_best():
    process, policy, theta = three_state_process()
    found = GPOMDP(baseline="online", random_state=0).estimate(process, policy, theta, 1_000_000)
    np.testing.assert_allclose(found.baseline, optimal_baseline(process, policy, theta), rtol=0.02)


def test_the_distance_to_the_best_baseline_has_no_slope_there():
    process, policy, theta = three_state_process()
    run = process.sample(policy.probabilities(theta), 400_000, random_state=0)
    gradients, best = policy.log_gradients(theta), optimal_baseline(process, policy, theta)
    at_best = baseline_distance_gradient(run, gradients, best)
    joint = process.stationary(policy.probabilities(theta))[:, None] * policy.probabilities(theta)
    weights = (joint * np.square(gradients).sum(axis=2)).sum(axis=1)
    away = np.array([1.0, -2.0, 0.5])
    elsewhere = baseline_distance_gradient(run, gradients, best + away)
    # Theorem 16: the slope is the weighted distance; the noise of 400 000 steps is some thousandths.
    np.testing.assert_allclose(at_best, 0.0, atol=0.01)
    np.testing.assert_allclose(elsewhere, weights * away, atol=0.01)


def test_the_slope_of_the_error_bound_of_a_value_function_is_that_of_finite_differences():
    process, policy, theta = three_state_process()
    probabilities, gradients = policy.probabilities(theta), policy.log_gradients(theta)
    exact = exact_policy_gradient(process, policy, theta)
    step = exact.stationary[:, None] * probabilities

    def bound(value, omega=0.05):
        g_value = np.einsum("iu,iuk,uij,j->k", step, gradients, process.transitions, value)
        second = np.einsum("iu,iu,uij,j->", step, np.square(gradients).sum(axis=2), process.transitions, value**2)
        bias = exact.discounted_gradient - g_value
        return omega * (second - g_value @ g_value) + bias @ bias

    value = np.array([4.0, 6.0, 7.0])
    run = process.sample(probabilities, 2_000_000, random_state=1)
    found = value_error_gradient(run, gradients, value, np.eye(3), omega_over_t=0.05)
    np.testing.assert_allclose(found, differences(bound, value) / 2, rtol=0.02, atol=2e-4)


def test_a_policy_that_cannot_be_changed_has_no_gradient():
    process, policy, _ = three_state_process()
    sure = np.array([1e5, 1e5, -1e5, -1e5])
    found = GPOMDP(random_state=0).estimate(process, policy, sure, 1_000)
    assert not found.gradient.any() and np.isfinite(found.baseline).all()
    assert not exact_policy_gradient(process, policy, sure).discounted_gradient.any()


def test_mixing_times_are_those_of_powers_of_the_chain():
    chain = np.random.default_rng(0).dirichlet(0.1 * np.ones(6), size=6) * 0.1 + 0.9 * np.eye(6)
    power, steps = chain, 1
    while max(0.5 * np.abs(power[i] - power[j]).sum() for i in range(6) for j in range(6)) > np.exp(-1):
        power, steps = power @ chain, steps + 1
    assert mixing_time(chain) == steps > 10
    with pytest.raises(ValueError, match="periodic"):
        mixing_time([[0.0, 1.0], [1.0, 0.0]])


def test_the_bound_on_the_variance_of_a_mean_holds_and_is_the_least_over_its_constant():
    process, policy, theta = three_state_process()
    probabilities = policy.probabilities(theta)
    means = [process.sample(probabilities, 500, random_state=seed).rewards.mean() for seed in range(300)]
    chain = process.chain(probabilities)[0]
    share = exact_policy_gradient(process, policy, theta).average_reward
    bound = variance_bound(share * (1 - share), 500, mixing=mixing_time(chain), most=1.0)
    assert (
        np.var(means) < bound < variance_bound(share * (1 - share), 500, mixing=mixing_time(chain), most=1.0, eps=1e-2)
    )


def test_climbing_finds_the_better_action():
    process, policy, _ = three_state_process()
    climber = GPOMDP(random_state=0)
    found, history = climber.optimize(process, policy, n_iter=6, n_steps=20_000)
    best = max(process.stationary(np.array(each)) @ [0, 0, 1] for each in np.ndindex(2, 2, 2))
    assert average_reward(process, policy, found) > 0.95 * best > history[0]
    assert GPOMDP(random_state=0).optimize(process, policy, n_iter=6, n_steps=20_000)[0].tolist() == found.tolist()


def test_the_puck_bounces_and_keeps_its_energy_but_for_thrust_and_friction():
    world = PuckWorld()
    state = world.reset(np.random.default_rng(0))
    for _ in range(400):
        state, reward, done = world.step(0)
        assert (np.abs(state[:2]) <= 1.0).all() and 0.0 <= reward <= 5.0 * np.sqrt(2) and not done
    assert state[-1] == 1.0
    pytest.importorskip("gymnasium.utils.env_checker").check_env(as_gymnasium(world), skip_render_check=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GPOMDP(beta=1.0).estimate(*three_state_process(), 10), "beta"),
        (lambda: GPOMDP().estimate(*three_state_process(), 0), "n_steps=0"),
        (lambda: GPOMDP(baseline=[1.0, 2.0]).estimate(*three_state_process(), 10), "one for each of 3"),
        (lambda: three_state_process()[1].probabilities([1.0]), "4 parameters"),
        (lambda: exact_policy_gradient(*three_state_process(), beta=1.0), "beta=1.0"),
        (
            lambda: exact_policy_gradient(FiniteMDP([np.eye(2)], [0, 1]), SoftmaxPolicy(1), np.zeros(2)),
            "closed classes",
        ),
        (lambda: exact_policy_gradient(FiniteMDP([np.eye(1)], [0]), SoftmaxPolicy(2), np.zeros(2)), "the process has"),
        (lambda: SoftmaxPolicy(2, [[np.nan]]), "NaN"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
