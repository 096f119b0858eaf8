"""Objectives, limits and contraction of policy evaluation, the worlds of the surveys, penalties and tuning."""

import gymnasium
import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from treatise.rl import (
    BRM,
    LSPE,
    LSTD,
    TD,
    FiniteEvaluation,
    FiniteMDP,
    LinearGaussianEvaluation,
    LinearQuadratic,
    PenalizedLSTD,
    as_gymnasium,
    boyan_chain,
    boyan_features,
    garnet,
    linear_cart_pole,
    n_link_pendulum,
    plot_learning_curves,
    plot_objective,
    plot_tuning,
    random_mdp,
    random_policy,
    tune,
    weighted_score,
)
from treatise.rl.policy_evaluation.objectives import OBJECTIVES
from treatise.rl.policy_evaluation.penalized import lars_td, lars_td_residual


def finite_problem(seed=0, n_states=7, n_actions=3, p=3, **others):
    rng = np.random.default_rng(seed)
    mdp = garnet(n_states, n_actions, 4, random_state=seed)
    mdp = FiniteMDP(mdp.transitions, rng.normal(size=(n_states, n_actions, n_states)), discount=0.9)
    policies = [0.1 + 0.7 * random_policy(n_states, n_actions, random_state=seed + k) for k in (1, 2)]
    target, behaviour = (policy / policy.sum(axis=1, keepdims=True) for policy in policies)
    return FiniteEvaluation(mdp, rng.normal(size=(n_states, p)), target, behaviour, **others)


def test_two_states_that_one_feature_cannot_tell_apart():
    mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    problem = FiniteEvaluation(mdp, np.ones((2, 1)), np.ones((2, 1)))
    np.testing.assert_allclose(problem.values, [0.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(problem.solution("mspbe"), [1.0], atol=1e-12)
    assert problem.objective([1.0], "mspbe") < 1e-20 < problem.objective([1.0], "msbe")


@pytest.mark.parametrize("seed", range(3))
def test_the_bellman_error_is_the_projected_one_and_what_the_projection_takes_away(seed):
    problem = finite_problem(seed)
    theta = np.random.default_rng(seed).normal(size=3)
    phi, d = problem.features, problem.weights
    ahead = problem.chain_rewards + 0.9 * problem.chain @ phi @ theta
    projected = phi @ np.linalg.solve((phi.T * d) @ phi, (phi.T * d) @ ahead)
    lost = d @ (ahead - projected) ** 2
    found = problem.objectives(theta)
    np.testing.assert_allclose(found["msbe"] - found["mspbe"] - lost, 0.0, atol=1e-10)
    np.testing.assert_allclose(found["msbe"], d @ (ahead - phi @ theta) ** 2)
    np.testing.assert_allclose(found["mse"], d @ (problem.values - phi @ theta) ** 2)
    np.testing.assert_allclose(found["neu"], np.sum(((phi.T * d) @ (ahead - phi @ theta)) ** 2))
    brute = 0.0
    for s, a, t in np.ndindex(7, 3, 7):
        error = problem.mdp.rewards[s, a, t] + 0.9 * phi[t] @ theta - phi[s] @ theta
        brute += d[s] * problem.target[s, a] * problem.mdp.transitions[a, s, t] * error**2
    np.testing.assert_allclose(found["mstde"], brute)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradients_match_differences_and_vanish_at_the_solutions(name):
    problems = [finite_problem(), LinearGaussianEvaluation(linear_cart_pole(), target_noise=0.1, behaviour_noise=0.3)]
    for problem in problems:
        theta = np.linspace(-1.0, 1.0, problem.n_features)
        step = 1e-5
        differences = [
            (problem.objective(theta + step * e, name) - problem.objective(theta - step * e, name)) / (2 * step)
            for e in np.eye(problem.n_features)
        ]
        np.testing.assert_allclose(problem.gradient(theta, name), differences, rtol=1e-5, atol=1e-5)
        best = problem.solution(name)
        scale = np.abs(problem.gradient(theta, name)).max()
        np.testing.assert_allclose(problem.gradient(best, name), 0.0, atol=1e-8 * scale)
        np.testing.assert_allclose(problem.objective(np.stack([best, theta]), name)[1], problem.objective(theta, name))


def test_estimators_reach_their_limits():
    problem = finite_problem(p=3)
    run = problem.sample(400_000, random_state=0)
    for decay in (0.0, 0.4):
        limit = problem.limit("lstd", decay)
        for model in (LSTD(0.9, decay), LSTD(0.9, decay, weighting="standard"), LSPE(0.9, decay)):
            found = model.fit(*run).coef_
            assert np.linalg.norm(found - limit) < 0.05 * np.linalg.norm(limit)
            if isinstance(model, LSPE):
                np.testing.assert_allclose(found, LSTD(0.9, decay).fit(*run).coef_, atol=1e-3)
    np.testing.assert_allclose(problem.limit("lstd"), problem.solution("mspbe"), rtol=1e-8)
    np.testing.assert_allclose(BRM(0.9).fit(*run).coef_, problem.solution("mstde"), atol=0.05)
    with pytest.raises(ValueError, match="no limit is known of 'fpkf'"):
        problem.limit("fpkf")


def test_brm_with_a_trace_reaches_the_limit_of_theorem_3():
    rng = np.random.default_rng(0)
    mdp = garnet(4, 2, 3, random_state=0)  # rewards of states
    target = np.array([[0.6, 0.4]] * 4)
    problem = FiniteEvaluation(mdp, rng.normal(size=(4, 2)), target, np.full((4, 2), 0.5))
    matrix, right = problem.limit_system("brm", 0.5)
    run = problem.sample(400_000, random_state=1)
    model = BRM(0.95, 0.5, weighting="standard", weigh_rewards=False, eps=1e9).fit(*run)
    np.testing.assert_allclose(np.linalg.inv(model._inverse) / 400_000, matrix, atol=0.005 * np.abs(matrix).max())
    np.testing.assert_allclose(model.coef_, np.linalg.solve(matrix, right), rtol=0.05)
    with pytest.raises(ValueError, match="smaller trace_decay"):
        FiniteEvaluation(mdp, rng.normal(size=(4, 2)), target, np.tile([0.2, 0.8], (4, 1))).limit("brm", 0.9)


def test_contraction_is_the_spectral_radius_of_the_projected_operator():
    problem = finite_problem(3)
    phi, d, P = problem.features, problem.weights, problem.chain
    projection = phi @ np.linalg.solve((phi.T * d) @ phi, phi.T * d)
    for decay in (0.0, 0.7):
        operator = projection @ ((1 - decay) * 0.9 * P @ np.linalg.inv(np.eye(7) - decay * 0.9 * P))
        np.testing.assert_allclose(problem.contraction(decay), np.abs(np.linalg.eigvals(operator)).max())
    same = FiniteEvaluation(problem.mdp, phi, problem.target)
    assert same.contraction() < 1.0 and same.growth() < 0.0  # on-policy TD converges


def test_episodes_that_end_are_counted_from_their_beginnings():
    mdp = FiniteMDP([[[0.0, 1.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]], [1.0, 2.0, 9.0], discount=1.0,
                    start=[1.0, 0.0, 0.0], terminal=[False, False, True])  # fmt: skip
    problem = FiniteEvaluation(mdp, np.eye(3)[:, :2], np.ones((3, 1)))
    np.testing.assert_allclose(problem.weights, [1 / 3, 2 / 3, 0.0], atol=1e-12)
    np.testing.assert_allclose(problem.solution("mspbe"), [5.0, 4.0], atol=1e-10)
    found = LSTD(1.0).fit(*problem.sample(200_000, random_state=0)).coef_
    np.testing.assert_allclose(found, [5.0, 4.0], atol=0.05)


def test_a_target_that_does_what_the_behaviour_never_does_is_refused():
    with pytest.raises(ValueError, match="never takes"):
        FiniteEvaluation(boyan_two_actions(), np.eye(2), np.full((2, 2), 0.5), np.array([0, 0]))


def boyan_two_actions():
    return FiniteMDP(np.full((2, 2, 2), 0.5), [0.0, 1.0])


def test_boyans_chain_has_the_bias_of_each_objective():
    mdp, counted, state = boyan_chain(), np.zeros(14), np.eye(14)[0]
    for _ in range(20):
        counted += state
        state = state @ mdp.transitions[0]
    problem = FiniteEvaluation(mdp, boyan_features(), np.ones((14, 1)), weights=counted, horizon=20)
    found = [np.sqrt(problem.objective(problem.solution(name), "mse")) for name in ("mstde", "msbe", "mspbe")]
    np.testing.assert_allclose(found, [2.38, 0.050, 0.116], atol=0.005)


def test_cart_pole_moments_are_those_of_a_long_run():
    problem = LinearGaussianEvaluation(linear_cart_pole())
    found = [np.sqrt(problem.objective(problem.solution(name), "mse")) for name in ("mstde", "msbe", "mspbe")]
    np.testing.assert_allclose(found, [4.66, 3.90, 2.63], atol=0.02)
    run = problem.sample(1_000_000, random_state=0)
    learned = np.sqrt(problem.objective(LSTD(0.95).fit(*run).coef_, "mse"))
    np.testing.assert_allclose(learned, 2.63, rtol=0.05)
    for name, sums in (("features", run.features.T @ run.features), ("ahead", run.features.T @ run.next_features)):
        np.testing.assert_allclose(sums / 1e6, getattr(problem.moments, name), rtol=0.06)


def test_noisy_policies_of_a_linear_world_have_moments_and_ratios_to_match():
    problem = LinearGaussianEvaluation(linear_cart_pole(), target_noise=0.1, behaviour_noise=0.2, features="products")
    run = problem.sample(300_000, random_state=1)
    weighted = run.ratios[:, None] * run.next_features
    assert abs(run.ratios.mean() - 1.0) < 0.01
    np.testing.assert_allclose(weighted.T @ run.next_features / 3e5, problem.moments.drawn_ahead, rtol=0.15, atol=0.05)
    np.testing.assert_allclose((run.ratios * run.rewards**2).mean(), problem.moments.drawn_square, rtol=0.15)
    np.testing.assert_allclose(run.features.T @ (run.ratios * run.rewards) / 3e5, problem.moments.rewards, rtol=0.15)
    # Products of the state's parts express the value, so that three of the objectives have one minimum, without error.
    for name in ("mse", "msbe", "mspbe"):
        assert problem.objective(problem.solution(name), "mse") < 1e-8


def test_the_best_gain_solves_the_riccati_equation_and_values_add_up():
    world = linear_cart_pole(physics="correct")
    gain = world.optimal_gain()
    root = np.sqrt(0.95)
    worth = solve_discrete_are(root * world.A, root * world.B, -world.Q, -world.R)
    expected = -np.linalg.solve(0.1 + 0.95 * world.B.T @ worth @ world.B, 0.95 * world.B.T @ worth @ world.A)
    np.testing.assert_allclose(gain, expected, rtol=1e-6)
    matrix, constant = world.value(gain, 0.3)
    state, rng = np.array([0.1, 0.0, 0.2, 0.0]), np.random.default_rng(0)
    world.start = state
    totals = []
    for _ in range(400):
        rewards = world.run(gain, 0.3, 200, random_state=rng)[2]
        totals.append(0.95 ** np.arange(200) @ rewards)
    expected = state @ matrix @ state + constant
    assert abs(np.mean(totals) - expected) < 4 * np.std(totals) / 20
    with pytest.raises(ValueError, match="does not hold the state"):
        world.stationary_covariance(np.zeros((1, 4)))


def test_pendulum_of_many_links_has_the_printed_matrices_and_is_a_world_of_gymnasium():
    world = n_link_pendulum(20)
    inertia = np.array([[25.0 * (21 - max(i, h)) for h in range(1, 21)] for i in range(1, 21)])
    gravity = np.diag([-9.81 * 5.0 * (21 - i) for i in range(1, 21)])
    np.testing.assert_allclose(world.A[20:, :20], -0.1 * np.linalg.inv(inertia) @ gravity, atol=1e-10)
    np.testing.assert_allclose(world.B[20:], 0.1 * np.linalg.inv(inertia), atol=1e-12)
    seen = as_gymnasium(n_link_pendulum(2))
    assert isinstance(seen, gymnasium.Env)
    state, _ = seen.reset(seed=0)
    state, reward, ended, cut, _ = seen.step(np.zeros(2))
    assert state.shape == (4,) and reward == 0.0 and not ended and not cut
    with pytest.raises(ValueError, match="B has the shape"):
        LinearQuadratic(np.eye(2), np.ones((3, 1)), np.eye(2), np.eye(1))


def test_garnets_and_random_worlds_are_what_they_say():
    mdp = garnet(30, 2, 2, random_state=0)
    assert ((mdp.transitions > 0).sum(axis=2) == 2).all()
    np.testing.assert_array_equal(mdp.transitions, garnet(30, 2, 2, random_state=0).transitions)
    assert (random_mdp(20, 3, random_state=0).transitions > 0).all()
    with pytest.raises(ValueError, match="branching=9"):
        garnet(5, 2, 9)


def penalized_moments(model, run):
    phi, r, after = run
    size = np.sqrt((phi**2).mean(axis=0))
    phi, after, n = phi / size, after / size, len(r)
    return phi.T @ (phi - model.discount * after) / n, phi.T @ phi / n, phi.T @ r / n, size


def sparse_run(seed=0, n=300, p=12):
    rng = np.random.default_rng(seed)
    chain = rng.normal(size=(n + 1, p)) * np.linspace(0.1, 10.0, p)
    chain[:, 0] = np.cumsum(rng.normal(size=n + 1)) / 5
    return chain[:-1], chain[:-1, 0] + rng.normal(size=n), chain[1:]


@pytest.mark.parametrize("penalty", ["l2", "l1", "dantzig", "lars", "l1_pbr", "l2_l1", "l2_l2"])
def test_penalties_solve_their_problem(penalty):
    run = sparse_run()
    model = PenalizedLSTD(0.6, penalty=penalty, strength=0.05, inner_strength=0.1).fit(*run)
    A, C, b, size = penalized_moments(model, run)
    theta, s, eye = model.coef_ * size, model.strength_, np.eye(12)
    assert model.converged_
    if penalty == "l2":
        np.testing.assert_allclose((A + 0.05 * eye) @ theta, b)
    elif penalty == "l1":
        lasso = Lasso(alpha=s / 24, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(A, b)
        np.testing.assert_allclose(theta, lasso.coef_, atol=1e-8)
    elif penalty == "dantzig":
        assert np.abs(A @ theta - b).max() <= s + 1e-8
        np.testing.assert_allclose(np.abs(A @ theta - b).max(), s, rtol=1e-6)  # the bound is met
        assert np.abs(theta).sum() <= np.abs(np.linalg.solve(A, b)).sum()
    elif penalty == "lars":
        # The fixed point of the Lasso of one step, whose aim is made with the coefficients themselves.
        n = len(run[1])
        phi, after = run[0] / size, run[2] / size
        lasso = Lasso(alpha=s, fit_intercept=False, tol=1e-14, max_iter=100_000)
        np.testing.assert_allclose(lasso.fit(phi, run[1] + 0.6 * after @ theta).coef_, theta, atol=1e-6)
        assert n == 300 and 0 < (theta != 0).sum() < 12
    else:
        phi, after, n = run[0] / size, run[2] / size, len(run[1])

        def regression(omega):
            return np.linalg.solve(C + 0.1 * eye, phi.T @ (run[1] + 0.6 * after @ omega) / n)

        def cost(omega):
            distance = np.mean((phi @ (regression(omega) - omega)) ** 2)
            return distance + s * (np.sum(omega**2) if penalty == "l2_l2" else np.abs(omega).sum())

        rng = np.random.default_rng(1)
        least = cost(theta)
        assert all(cost(theta + scale * rng.normal(size=12)) > least for scale in (1e-1, 1e-2, 1e-3) for _ in range(20))
    if penalty not in ("l2", "l2_l2"):
        assert (PenalizedLSTD(0.6, penalty=penalty, strength=1.0).fit(*run).coef_ == 0.0).all()


def test_lars_td_follows_features_that_leave_again_and_tells_where_it_fails():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(8, 8))
        A = root @ root.T / 8 + 0.3 * (root - root.T) / 8 + 0.05 * np.eye(8)  # positive definite, not symmetric
        b = rng.normal(size=8)
        for strength in (0.5, 0.1, 0.01):
            assert lars_td_residual(A, b, lars_td(A, b, strength), strength) < 1e-9
    rng = np.random.default_rng(0)
    phi, after = rng.normal(size=(2, 50, 6))
    with pytest.warns(ConvergenceWarning, match="conditions of the optimum"):
        PenalizedLSTD(0.99, penalty="lars", strength=1e-4).fit(phi, rng.normal(size=50), 8.0 * phi + after)


def test_more_features_than_steps_are_no_obstacle_for_a_penalty():
    rng = np.random.default_rng(0)
    chain = rng.normal(size=(41, 100))
    for penalty in ("l2", "l1_pbr", "dantzig", "l2_l2"):
        model = PenalizedLSTD(0.5, penalty=penalty, strength=0.1).fit(chain[:-1], chain[:-1, 0], chain[1:])
        assert np.isfinite(model.coef_).all() and model.converged_


def test_tuning_finds_the_setting_with_the_least_weighted_score():
    problem = FiniteEvaluation(boyan_chain(), boyan_features(), np.ones((14, 1)), weights=np.ones(14), horizon=20)
    grid = {"alpha": [0.01, 0.1, 1e3], "trace_decay": [0.0, 0.5]}
    tuned = tune(TD(), grid, problem, n_steps=400, keep_every=100, n_runs=2, random_state=0)
    assert len(tuned.settings) == 6 and tuned.scores.min() == tuned.best_score and np.isinf(tuned.scores).any()
    np.testing.assert_array_equal(
        tune(TD(), grid, problem, n_steps=400, keep_every=100, n_runs=2, n_jobs=2, random_state=0).scores, tuned.scores
    )
    assert weighted_score([1.0, 1.0, 1.0]) == 1.0 and weighted_score([0.0, 3.0]) == 2.0
    assert plot_tuning(tuned, "alpha", "trace_decay").get_xlabel() == "alpha"
    with pytest.raises(ValueError, match="was not tuned"):
        plot_tuning(tuned, "alpha", "beta")


def test_pictures_show_what_they_are_given():
    curves = {"LSTD": np.ones((3, 5)), "TD": [2.0, 3.0, np.inf, np.nan, np.nan]}
    ax = plot_learning_curves(curves, steps=[1, 2, 3, 4, 5])
    assert [len(line.get_xdata()) for line in ax.lines] == [5, 2]
    problem = finite_problem()
    path = TD(0.9, keep_every=10).fit(*problem.sample(200, random_state=0)).path_
    assert plot_objective(problem, "mse", path=path).get_title() == "mse"
    with pytest.raises(ValueError, match="two different ones"):
        plot_objective(problem, features=(0, 0))
