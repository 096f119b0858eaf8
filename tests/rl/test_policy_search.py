"""Bayesian optimisation of policies: kernel, process, learned world and search against brute force and peers."""

import warnings

import gymnasium
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from treatise._core.errors import TreatiseError
from treatise.kernels import plot_gram
from treatise.rl import (
    Acrobot,
    CartPole,
    EndRule,
    GaussianControl,
    GaussianProcess,
    LinearDynamics,
    LinearQuadratic,
    MountainCar,
    PlanarArm,
    PolicyBO,
    SoftmaxControl,
    StateTerms,
    Trajectory,
    behavior_kernel,
    expected_improvement,
    plot_policy_search,
    run_policy,
    trajectory_kl,
)
from treatise.rl.environments import Environment
from treatise.rl.policy_search.behavior import BehaviorArchive
from treatise.rl.policy_search.box_maximum import maximum_in_box

CAR_TERMS = StateTerms([("identity", 0, 1.0, 0.5), ("identity", 1, 100.0)], degree=2)


class Plain(Environment):
    """A compiled world that is told step by step, as any other world."""

    def __init__(self, world):
        self.world = world
        self.n_actions, self.action_size = world.n_actions, world.action_size
        self.state_size, self.max_steps = world.state_size, world.max_steps

    def reset(self, rng):
        return self.world.reset(rng)

    def step(self, action):
        return self.world.step(action)


class TwoStates(Environment):
    """Two states; an action leads to the other state with a probability of its own."""

    n_actions, state_size, max_steps = 2, 2, 3
    MOVES = np.array([[0.2, 0.9], [0.6, 0.3]])  # by state and action
    REWARDS = np.array([0.0, 1.0])

    def reset(self, rng):
        self.rng, self.place = rng, 0
        return np.eye(2)[0]

    def step(self, action):
        if self.rng.random() < self.MOVES[self.place, action]:
            self.place = 1 - self.place
        return np.eye(2)[self.place], self.REWARDS[self.place], False


def enumerated(policy, theta, other):
    """Exact divergence of the trajectories of two policies in TwoStates, and both mean returns."""
    chances = [
        np.exp([[policy.log_likelihoods(t, np.eye(2)[[s]], np.array([a]), np.array([0, 1]))[0, 0] for a in (0, 1)]
                for s in (0, 1)])
        for t in (theta, other)
    ]  # fmt: skip
    divergence, returns = 0.0, np.zeros(2)
    for path in np.ndindex(*(2,) * 6):
        actions, places = path[:3], (0, *path[3:])
        world = np.prod([
            TwoStates.MOVES[s, a] if s != t else 1.0 - TwoStates.MOVES[s, a]
            for s, a, t in zip(places, actions, places[1:])
        ])  # fmt: skip
        p, q = (world * np.prod([c[s, a] for s, a in zip(places, actions)]) for c in chances)
        divergence += p * np.log(p / q)
        returns += np.array([p, q]) * TwoStates.REWARDS[list(places[1:])].sum()
    return divergence, returns


# Expected improvement and the process


def test_expected_improvement_is_the_integral_over_what_exceeds_the_best():
    for mean, deviation, best in ((0.3, 0.7, 1.0), (1.5, 0.2, 1.0), (-2.0, 1.0, 0.5)):
        law = norm(mean - best, deviation)
        integral, _ = quad(lambda gain, law=law: gain * law.pdf(gain), 0.0, 12.0)
        assert expected_improvement(mean, deviation, best) == pytest.approx(integral, abs=1e-10)
    assert expected_improvement(0.3, 0.7, 1.0) == pytest.approx(0.05832083, abs=5e-9)
    np.testing.assert_array_equal(expected_improvement([0.3, 3.0], [0.0, 0.0], 1.0), [0.0, 0.0])
    with pytest.raises(ValueError, match="deviation holds -1"):
        expected_improvement(0.0, -1.0, 0.0)


def test_the_process_with_a_squared_exponential_kernel_is_scikit_learn_s():
    rng = np.random.default_rng(0)
    X, y, new = rng.uniform(-1, 1, (12, 3)), rng.normal(size=12), rng.uniform(-1, 1, (40, 3))
    rho, noise = 2.5, 0.01
    theirs = GaussianProcessRegressor(RBF(1 / np.sqrt(rho)), alpha=noise, optimizer=None).fit(X, y)

    def kernel(a, b):
        return np.exp(-0.5 * rho * ((a[:, None] - b[None]) ** 2).sum(axis=2))

    mean, deviation = GaussianProcess(kernel(X, X), y, noise=noise).predict(kernel(new, X))
    expected = theirs.predict(new, return_std=True)
    np.testing.assert_allclose(mean, expected[0], atol=1e-8)
    np.testing.assert_allclose(deviation, expected[1], atol=1e-8)


def test_the_search_asks_where_the_improvement_by_scikit_learn_s_process_is_highest():
    policy = SoftmaxControl(2, StateTerms([1]))
    search = PolicyBO(policy, kernel="se", rho=3.0, noise=0.05, n_candidates=4000, random_state=0)
    search.optimize(MountainCar(max_steps=50), 6, 2)
    run = run_policy(MountainCar(), policy, [0.3, -0.2], random_state=1)
    search.tell([0.3, -0.2], run)
    theta = search.ask()
    y = (search.y_ - search.y_.mean()) / (search.y_.std() or 1.0)
    theirs = GaussianProcessRegressor(RBF(1 / np.sqrt(3.0)), alpha=0.05, optimizer=None).fit(search.X_, y)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 81)] * 2), axis=-1).reshape(-1, 2)
    mean, deviation = theirs.predict(np.vstack([grid, theta]), return_std=True)
    improvement = expected_improvement(mean, deviation, y.max())
    assert improvement[-1] >= improvement[:-1].max() * (1.0 - 1e-3)


def test_the_weight_of_the_mean_makes_the_evidence_largest():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(9, 9))
    K, y, m = A @ A.T / 9 + np.eye(9), rng.normal(size=9), rng.normal(size=9)
    process = GaussianProcess(K, y, mean=m, noise=0.1)
    best = minimize_scalar(lambda beta: -process.log_evidence(beta, m), tol=1e-12).x
    assert process.beta == pytest.approx(best, abs=1e-6)
    density = norm.logpdf(np.linalg.solve(np.linalg.cholesky(K + 0.1 * np.eye(9)), y - 0.3 * m)).sum()
    density -= np.linalg.slogdet(K + 0.1 * np.eye(9))[1] / 2
    assert process.log_evidence(0.3, m) == pytest.approx(density)


def test_a_mean_that_is_right_has_weight_one_and_one_that_says_nothing_has_none():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(7, 7))
    K, y, rows = A @ A.T / 7 + np.eye(7), rng.normal(size=7), rng.normal(size=(5, 7))
    right = GaussianProcess(K, y, mean=y)
    assert right.beta == pytest.approx(1.0)
    np.testing.assert_allclose(right.predict(rows, mean=np.arange(5.0))[0], np.arange(5.0), atol=1e-9)
    m = rng.normal(size=7)
    solved = np.linalg.solve(K + 1e-6 * np.eye(7), y)
    m -= (m @ solved) / (solved @ solved) * solved  # orthogonal to y in the inverse of K
    unrelated, zero = GaussianProcess(K, y, mean=m), GaussianProcess(K, y)
    assert abs(unrelated.beta) < 1e-12 and zero.beta == 0.0
    for found, expected in zip(unrelated.predict(rows, mean=7.0), zero.predict(rows)):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_an_indefinite_kernel_matrix_gets_what_it_lacks_and_says_so():
    K = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    process = GaussianProcess(K, [1.0, 0.0, -1.0], noise=1e-3)
    assert process.jitter == pytest.approx(np.sqrt(2.0) - 1.0 - 1e-3, abs=1e-8)
    assert np.isfinite(process.predict(K)).all()
    assert GaussianProcess(np.eye(3), np.ones(3)).jitter == 0.0
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcess(np.full((2, 2), np.nan), np.ones(2))
    with pytest.raises(ValueError, match="2 values need"):
        GaussianProcess(np.eye(3), np.ones(2))
    with pytest.raises(ValueError, match="noise=-1 is a variance"):
        GaussianProcess(np.eye(2), np.ones(2), noise=-1)


# Policies and episodes


def test_terms_are_products_of_functions_of_the_state():
    z = np.array([[0.3, -0.7]])
    signals = [0, ("cos", 1, 3.0), ("sin", 0, 2.0, 1.0), ("1/cos", 0), ("above", 1, -1.0, -0.5), ("opposite", 1)]
    values = [0.3, np.cos(-2.1), np.sin(1.6), 1 / np.cos(0.3), 1.0, -np.pi + 0.7]
    np.testing.assert_allclose(StateTerms(signals)(z)[0], values)
    terms = StateTerms(2, degree=3, constant=True)
    x, v = z[0]
    np.testing.assert_allclose(terms(z)[0], [1, x, v, x * x, x * v, v * v, x**3, x * x * v, x * v * v, v**3])
    np.testing.assert_allclose(StateTerms(2, products=[(), (0, 1, 1)])(z)[0], [1.0, x * v * v])
    for broken, message in (
        (lambda: StateTerms([("tan", 0)]), "'tan' is not known"),
        (lambda: StateTerms(2, products=[(2,)]), "not there"),
        (lambda: StateTerms(2, degree=0), "degree=0"),
        (lambda: StateTerms([3])(z), "number 3; there are 2"),
    ):
        with pytest.raises(ValueError, match=message):
            broken()


@pytest.mark.parametrize("choices,heads", [(2, 1), (3, 1), (2, 3), (5, 1)])
def test_likelihoods_of_episodes_are_sums_of_log_softmaxes(choices, heads):
    rng = np.random.default_rng(0)
    policy = SoftmaxControl(choices, StateTerms(3, degree=2), n_heads=heads)
    thetas, states = rng.normal(size=(7, policy.size)), rng.normal(size=(300, 3))
    actions, bounds = rng.integers(0, policy.n_actions, 300), np.array([0, 5, 280, 300])
    scores = np.einsum("mhcp,np->mnhc", thetas.reshape(7, heads, choices, -1), policy.terms(states))
    chances = scores - np.logaddexp.reduce(scores, axis=3, keepdims=True)
    digits = np.array(np.unravel_index(actions, (choices,) * heads)).T
    steps = np.take_along_axis(chances, digits[None, :, :, None], axis=3).sum(axis=(2, 3))
    expected = np.add.reduceat(steps, bounds[:-1], axis=1)
    found = policy.log_likelihoods(thetas, policy.terms(states), actions, bounds)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    # One candidate at a time is the same to the bit, so that a policy has a ratio of exactly one to itself.
    for theta, row in zip(thetas, found):
        np.testing.assert_array_equal(policy.log_likelihoods(theta, policy.terms(states), actions, bounds)[0], row)


def test_likelihoods_of_vectors_are_those_of_normal_noise():
    rng = np.random.default_rng(0)
    policy = GaussianControl(2, StateTerms(3), deviation=0.3)
    thetas, states, actions = rng.normal(size=(4, 6)), rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    bounds = np.array([0, 20, 50])
    means = np.einsum("mhp,np->mnh", thetas.reshape(4, 2, 3), states)
    expected = np.add.reduceat(norm.logpdf(actions, means, 0.3).sum(axis=2), bounds[:-1], axis=1)
    found = policy.log_likelihoods(thetas, states, actions, bounds)
    np.testing.assert_allclose(found - found[:1], expected - expected[:1], rtol=1e-9, atol=1e-9)


def test_actions_are_drawn_with_the_softmax_s_probabilities():
    policy, rng = SoftmaxControl(3, StateTerms(1), n_heads=2), np.random.default_rng(0)
    theta = np.array([0.0, 1.0, -1.0, 0.5, 0.0, 2.0])
    drawn = [policy.act(theta, [1.0], draw) for draw in policy.draws(rng, 8_000)]
    first, second = (np.exp(part) / np.exp(part).sum() for part in (theta[:3], theta[3:]))
    expected = np.outer(first, second).ravel()
    found = np.bincount(drawn, minlength=9) / 8_000
    assert np.abs(found - expected).max() < 4.0 * np.sqrt(expected.max() / 8_000)


@pytest.mark.parametrize("world,policy", [
    (MountainCar(), SoftmaxControl(2, CAR_TERMS)),
    (Acrobot(max_steps=60), SoftmaxControl(3, StateTerms(4))),
    (CartPole(), GaussianControl(1, StateTerms(4))),
    (PlanarArm(), SoftmaxControl(2, StateTerms([3, 4]), n_heads=3)),
])  # fmt: skip
def test_a_compiled_episode_is_the_one_told_step_by_step(world, policy):
    theta = np.random.default_rng(5).uniform(-1, 1, policy.size)
    compiled = run_policy(world, policy, theta, 3, random_state=1)
    plain = run_policy(Plain(world), policy, theta, 3, random_state=1)
    for name in ("states", "actions", "rewards", "next_states", "starts", "ends"):
        np.testing.assert_array_equal(getattr(compiled, name), getattr(plain, name), err_msg=name)
    assert compiled.starts.sum() == 3


def test_a_policy_that_does_not_suit_the_world_is_refused():
    policy = SoftmaxControl(3, StateTerms(2))
    with pytest.raises(ValueError, match="the policy has 3 actions and the world 2 actions"):
        run_policy(MountainCar(), policy, np.zeros(6))
    with pytest.raises(ValueError, match="vectors of 1"):
        run_policy(CartPole(), policy, np.zeros(6))
    with pytest.raises(ValueError, match="number 4; there are 2"):
        run_policy(MountainCar(), SoftmaxControl(2, StateTerms([4])), np.zeros(2))
    with pytest.raises(ValueError, match="this policy has 2 parameters"):
        run_policy(MountainCar(), SoftmaxControl(2, StateTerms(1)), np.zeros(3))
    with pytest.raises(TypeError, match="no world"):
        run_policy("car", policy, np.zeros(6))
    world = LinearQuadratic([[1.0]], [[1.0]], [[-1.0]], [[-1.0]])
    with pytest.raises(ValueError, match="give max_steps"):
        run_policy(world, GaussianControl(1, StateTerms(1)), [0.0])


# Behaviour


def test_policies_of_one_behaviour_are_alike_however_far_apart_their_parameters_lie():
    rng = np.random.default_rng(0)
    policy = SoftmaxControl(2, CAR_TERMS)
    # Binary fractions, so that the shift by a constant a state is exact.
    theta = np.round(rng.uniform(-1, 1, policy.size) * 64) / 64
    shift = np.round(rng.uniform(-1, 1, CAR_TERMS.n_terms) * 64) / 64
    shifted = theta + np.tile(shift, 2)
    runs = [run_policy(MountainCar(), policy, each, 2, random_state=s) for s, each in enumerate((theta, shifted))]
    K = behavior_kernel(policy, [theta, shifted], runs)
    np.testing.assert_array_equal(K, 1.0)
    search = PolicyBO(policy, (-3, 3), kernel="se")
    for each, run in zip((theta, shifted), runs):
        search.tell(each, run)
    assert search.kernel_matrix()[0, 1] < 0.5


def test_the_kernel_is_symmetric_with_ones_on_its_diagonal_and_values_up_to_one():
    rng, policy = np.random.default_rng(0), SoftmaxControl(2, CAR_TERMS)
    thetas = rng.uniform(-0.3, 0.3, (6, policy.size))
    runs = [run_policy(MountainCar(max_steps=60), policy, theta, 3, random_state=rng) for theta in thetas]
    K = behavior_kernel(policy, thetas, runs)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diag(K), 1.0)
    assert K.min() > 0.0 and K.max() <= 1.0
    wide, printed = behavior_kernel(policy, thetas, runs, alpha=0.5), behavior_kernel(policy, thetas, runs, sqrt=False)
    np.testing.assert_allclose(wide, np.sqrt(K))
    # The definition, from divergences one by one.
    there, back = (
        trajectory_kl(policy, thetas[0], thetas[1], runs[0]),
        trajectory_kl(policy, thetas[1], thetas[0], runs[1]),
    )
    assert K[0, 1] == pytest.approx(np.exp(-np.sqrt(there) - np.sqrt(back)))
    assert printed[0, 1] == pytest.approx(np.exp(-there - back))


def test_estimated_divergences_approach_the_enumerated_ones_and_bound_the_returns():
    policy = SoftmaxControl(2, StateTerms(2))
    theta, other = np.array([0.8, -0.4, -0.2, 0.6]), np.array([-0.5, 0.3, 0.4, -0.1])
    exact, returns = enumerated(policy, theta, other)
    back, _ = enumerated(policy, other, theta)
    runs = [run_policy(TwoStates(), policy, each, 6_000, random_state=s) for s, each in enumerate((theta, other))]
    assert trajectory_kl(policy, theta, other, runs[0]) == pytest.approx(exact, rel=0.06)
    assert trajectory_kl(policy, theta, other, runs[1], drawn_by="other") == pytest.approx(exact, rel=0.1)
    assert trajectory_kl(policy, other, theta, runs[1]) == pytest.approx(back, rel=0.06)
    np.testing.assert_allclose([run.rewards.sum() / 6_000 for run in runs], returns, rtol=0.03)
    # Theorem 1, with the largest return of three steps.
    assert abs(returns[0] - returns[1]) <= 3.0 * np.sqrt(2.0) * (np.sqrt(exact) + np.sqrt(back))
    K = behavior_kernel(policy, [theta, other], runs)
    assert K[0, 1] == pytest.approx(np.exp(-np.sqrt(exact) - np.sqrt(back)), rel=0.05)
    assert behavior_kernel(policy, [other], runs[1:], new=[theta])[0, 0] == pytest.approx(K[0, 1], rel=0.05)


def test_importance_weights_are_exactly_one_at_home_and_never_overflow():
    rng, policy = np.random.default_rng(0), SoftmaxControl(2, CAR_TERMS)
    theta = rng.uniform(-1, 1, policy.size)
    run = run_policy(MountainCar(), policy, theta, 3, random_state=0)
    assert trajectory_kl(policy, theta, theta, run, drawn_by="other") == 0.0
    assert behavior_kernel(policy, [theta], [run], new=[theta])[0, 0] == 1.0
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        far = 1000.0 * rng.normal(size=(20, policy.size))
        D = BehaviorArchive(policy)
        D.add(theta, run)
        assert np.isfinite(D.distances_of(far)).all()
        assert np.isfinite(behavior_kernel(policy, [theta], [run], new=far)).all()
        assert np.isfinite(trajectory_kl(policy, far[0], theta, run, drawn_by="other"))


def test_a_policy_without_chance_has_no_behaviour_to_compare():
    policy = GaussianControl(1, StateTerms(4), deviation=0.0)
    with pytest.raises(ValueError, match=r"deterministic; give it noise .* kernel='se'"):
        PolicyBO(policy)
    with pytest.raises(ValueError, match="deterministic"):
        behavior_kernel(policy, np.zeros((0, 4)), [])
    run = run_policy(CartPole(), policy, np.zeros(4), random_state=0)
    with pytest.raises(ValueError, match="deterministic"):
        trajectory_kl(policy, np.zeros(4), np.ones(4), run)
    search = PolicyBO(policy, kernel="se", n_candidates=100, random_state=0)
    assert search.optimize(CartPole(), 7).best_return_ > 0.0


# The learned world


def small_cart():
    """Two numbers pushed by a force: linear, with quadratic costs, twenty steps."""
    return LinearQuadratic(
        [[1.0, 0.2], [0.0, 0.9]], [[0.0], [0.2]], [[-1.0, 0.0], [0.0, -0.1]], [[-0.05]], start=[1.0, 0.0]
    )


def test_a_linear_world_is_learned_exactly_and_simulated_returns_are_its_own():
    world, policy = small_cart(), GaussianControl(1, StateTerms(2), deviation=0.2)
    run = run_policy(world, policy, [-0.5, -0.3], 3, max_steps=20, random_state=0)
    model = LinearDynamics(StateTerms(3), StateTerms(3, degree=2), ridge=0.0).fit(run, policy)
    np.testing.assert_allclose(model.transition_coef_, np.hstack([world.A, world.B]).T, atol=1e-10)
    thetas = np.array([[-0.8, -0.6], [-0.2, -0.9]])
    simulated = model.returns(policy, thetas, 4, random_state=7)
    rng = np.random.default_rng(np.random.RandomState(7).randint(2**31 - 1, size=4))
    rng.integers(3, size=4)
    draws = np.stack([policy.draws(rng, 20) for _ in range(4)])
    for theta, found in zip(thetas, simulated):
        total = 0.0
        for e in range(4):
            world.reset(np.random.default_rng(0))
            state = world.start
            for t in range(20):
                state, reward, _ = world.step(policy.act(theta, state, draws[e, t]))
                total += reward
        assert found == pytest.approx(total / 4, rel=1e-8)
    assert model.clipped_ == 0.0


def test_a_model_with_the_right_features_tells_the_car_s_returns():
    signals = [0, 1, ("cos", 0, 3.0), 2]
    policy, car = SoftmaxControl(2, CAR_TERMS), MountainCar()
    car.constants = np.array([0.001, 0.0025, 1e3, -1e9, 0.5])  # no wall and no limit of speed, which are not linear
    rng = np.random.default_rng(0)
    thetas = rng.uniform(-1, 1, (4, policy.size))
    runs = [run_policy(car, policy, theta, random_state=rng) for theta in thetas]
    run = Trajectory(*(np.concatenate([getattr(r, n) for r in runs]) for n in (
        "states", "actions", "rewards", "next_states", "starts", "ends")))  # fmt: skip
    end = EndRule(StateTerms(1), [[1.0]], [0.5])
    model = LinearDynamics(
        StateTerms(signals, constant=True), StateTerms(0, products=[()]), action_values=MountainCar.ACTIONS, end=end
    ).fit(run, policy)
    swing = np.zeros(policy.size)
    swing[CAR_TERMS.n_terms + 1] = 1.0  # push the way it moves
    true = run_policy(car, policy, swing, 200, random_state=0).rewards.sum() / 200
    assert true > -390.0
    assert model.returns(policy, [swing], 200, random_state=0)[0] == pytest.approx(true, rel=0.05)
    with pytest.raises(ValueError, match="give a row for each of 2 actions"):
        LinearDynamics(StateTerms(3), StateTerms(3), action_values=np.eye(3)).fit(run, policy)


def test_the_optimum_of_a_linear_world_is_found_within_ten_trials():
    world, policy = small_cart(), GaussianControl(1, StateTerms(2), deviation=0.05)

    def true_return(theta):
        moment, closed, total = np.outer(world.start, world.start), world.A + world.B @ [theta], 0.0
        for _ in range(20):
            spent = np.array([theta]) @ moment @ np.array([theta]).T + 0.05**2
            total += np.trace(world.Q @ moment) + world.R[0, 0] * spent[0, 0]
            moment = closed @ moment @ closed.T + 0.05**2 * world.B @ world.B.T
        return total

    grid = np.linspace(-3, 0, 31)
    best = max(true_return([a, b]) for a in grid for b in grid)
    model = LinearDynamics(StateTerms(3), StateTerms(3, degree=2))
    search = PolicyBO(
        policy, (-3.0, 0.0), kernel="se", mean="model", model=model, rho=1.0, n_init=3, n_candidates=300, random_state=0
    ).optimize(world, 10, max_steps=20)
    assert search.beta_ == pytest.approx(1.0, abs=0.1)
    assert true_return(search.best_theta_) > best - 0.05 * abs(best)


def test_a_model_that_says_nothing_leaves_the_choices_as_they_are():
    world, policy = small_cart(), GaussianControl(1, StateTerms(2), deviation=0.2)

    class Silent(LinearDynamics):
        def returns(self, policy, thetas, n_rollouts=20, *, random_state=None):
            self.clipped_ = 0.0
            return np.zeros(len(thetas))

    silent = Silent(StateTerms(3), StateTerms(3))
    options = {"kernel": "se", "n_candidates": 200, "acq_optimizer": "direct"}
    plain, weighed = PolicyBO(policy, random_state=0, **options), PolicyBO(
        policy, random_state=0, mean="model", model=silent, **options
    )  # fmt: skip
    for trial in range(8):
        theta = plain.ask()
        np.testing.assert_array_equal(weighed.ask(), theta)
        run = run_policy(world, policy, theta, max_steps=20, random_state=trial)
        plain.tell(theta, run)
        weighed.tell(theta, run)
    assert weighed.beta_ == 0.0


def test_a_model_that_runs_away_is_put_back_and_said():
    policy = SoftmaxControl(2, CAR_TERMS)
    grow = LinearDynamics(StateTerms(2, degree=3), StateTerms(2))
    grow.fit(run_policy(MountainCar(), policy, np.zeros(policy.size), random_state=0), policy)
    grow.transition_coef_ *= 10.0
    assert np.isfinite(grow.returns(policy, np.zeros((3, policy.size)), random_state=0)).all()
    assert grow.clipped_ == 1.0

    class Wild(LinearDynamics):
        def fit(self, trajectory, policy):
            super().fit(trajectory, policy)
            self.transition_coef_ *= 10.0
            return self

    search = PolicyBO(
        policy, mean="model", model=Wild(StateTerms(2), StateTerms(2, constant=True)), n_init=2, n_candidates=50,
        random_state=0,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="leave ten times the range"):
        search.optimize(MountainCar(max_steps=50), 3)


# The search


@pytest.mark.parametrize("method", ["direct", "nes", "random"])
def test_every_way_up_finds_the_top_of_a_hill(method):
    top = np.array([0.4, -0.3, 0.1])
    rng = np.random.default_rng(0)
    found, value = maximum_in_box(
        lambda X: np.exp(-4.0 * ((X - top) ** 2).sum(axis=1)),
        np.tile([-1.0, 1.0], (3, 1)),
        np.zeros(3),
        3000,
        method,
        rng,
    )
    assert value > 0.98 and np.abs(found - top).max() < 0.1


@pytest.mark.parametrize("kernel,mean", [("bbk", "zero"), ("se", "model"), ("bbk", "model")])
@pytest.mark.parametrize("asked", [False, True])
def test_a_search_goes_on_from_its_file_as_if_it_had_not_stopped(kernel, mean, asked, tmp_path):
    policy = SoftmaxControl(2, CAR_TERMS)

    def model():
        return None if mean == "zero" else LinearDynamics(
            StateTerms(3, degree=2), StateTerms(2, constant=True), action_values=MountainCar.ACTIONS
        )  # fmt: skip

    search = PolicyBO(
        policy, kernel=kernel, mean=mean, model=model(), n_init=3, n_rollouts=2, n_candidates=64, random_state=0
    )
    world = MountainCar(max_steps=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.optimize(world, 5, 2)
        if asked:
            search.ask()
        search.save(tmp_path / "search.npz")
        again = PolicyBO.load(tmp_path / "search.npz", policy, model=model())
        np.testing.assert_array_equal(again.y_, search.y_)
        for each in (search, again):
            each.optimize(world, 3, 2)
    np.testing.assert_array_equal(again.X_, search.X_)
    np.testing.assert_array_equal(again.y_, search.y_)


def test_files_that_hold_no_search_are_refused(tmp_path):
    policy = SoftmaxControl(2, CAR_TERMS)
    (tmp_path / "no.npz").write_bytes(b"nothing")
    with pytest.raises(TreatiseError, match="holds no search"):
        PolicyBO.load(tmp_path / "no.npz", policy)
    with pytest.raises(TreatiseError, match="cannot be read"):
        PolicyBO.load(tmp_path / "missing.npz", policy)
    PolicyBO(policy, random_state=0).optimize(MountainCar(max_steps=20), 2).save(tmp_path / "search.npz")
    with pytest.raises(TreatiseError, match="holds no search of this policy"):
        PolicyBO.load(tmp_path / "search.npz", SoftmaxControl(2, StateTerms(1)))


def test_a_world_of_gymnasium_goes_in():
    world = gymnasium.make("CartPole-v1")
    policy = SoftmaxControl(2, StateTerms([("identity", k, 5.0) for k in range(4)]))
    search = PolicyBO(policy, n_candidates=200, random_state=0).optimize(world, 12)
    assert search.best_return_ > 60.0 and len(search.y_) == 12
    assert search.best_return_ == search.y_.max()


def test_trials_told_in_any_units_of_reward_lead_to_the_same_choices():
    policy = SoftmaxControl(2, CAR_TERMS)
    searches = [PolicyBO(policy, n_init=4, n_candidates=128, random_state=0) for _ in range(2)]
    rng = np.random.default_rng(0)
    for _ in range(6):
        theta = rng.uniform(-1, 1, policy.size)
        run = run_policy(MountainCar(), policy, theta, random_state=rng)
        searches[0].tell(theta, run)
        rewards = run.rewards * 1024.0
        rewards[0] += 512.0
        searches[1].tell(theta, Trajectory(run.states, run.actions, rewards, run.next_states, run.starts, run.ends))
    np.testing.assert_allclose(searches[0].ask(), searches[1].ask(), atol=1e-6)


def test_behaviour_finds_the_hilltop_where_parameters_do_not_in_a_small_contest():
    """A small form of the paper's Figure 5; the full one is its experiment."""
    terms = StateTerms(
        [("identity", 0, 1 / 0.9, 1 / 3), ("identity", 1, 1 / 0.07)],
        products=[(0,), (1,), (0, 0), (0, 1), (1, 1), (0, 0, 1), (0, 1, 1), (1, 1, 1)],
    )
    reached = {}
    for kernel in ("bbk", "se"):
        options = {"kernel": kernel, "rho": 0.3, "noise": 1.0, "acq_optimizer": "nes", "n_candidates": 256}
        searches = [
            PolicyBO(SoftmaxControl(2, terms), random_state=seed, **options).optimize(MountainCar(), 25)
            for seed in range(4)
        ]
        reached[kernel] = np.mean([np.mean(search.y_ > -400) for search in searches])
    assert reached["bbk"] > reached["se"]


def test_what_makes_no_search_is_refused():
    policy, model = SoftmaxControl(2, CAR_TERMS), LinearDynamics(StateTerms(2), StateTerms(2))
    for options, message in (
        ({"kernel": "rbf"}, "kernel='rbf'"),
        ({"mean": "model"}, "goes with a LinearDynamics"),
        ({"model": model}, "goes with a LinearDynamics"),
        ({"noise": -1.0}, "noise=-1.0"),
        ({"alpha": np.nan}, "alpha=nan"),
        ({"n_init": 0}, "n_init=0"),
        ({"acq_optimizer": "grid"}, "acq_optimizer='grid'"),
        ({"bounds": (1.0, -1.0)}, "cross"),
        ({"bounds": (-np.inf, 1.0)}, "needs a box"),
    ):
        with pytest.raises(ValueError, match=message):
            PolicyBO(policy, **options)
    with pytest.raises(TypeError, match="policy=None is no policy"):
        PolicyBO(None)
    search = PolicyBO(policy, random_state=0)
    with pytest.raises(ValueError, match="no trial has been told"):
        _ = search.best_return_
    run = run_policy(MountainCar(max_steps=10), policy, np.zeros(policy.size), random_state=0)
    with pytest.raises(ValueError, match="the world diverged"):
        search.tell(np.zeros(policy.size), Trajectory(run.states * np.nan, *(
            getattr(run, name) for name in ("actions", "rewards", "next_states", "starts", "ends"))))  # fmt: skip
    with pytest.raises(ValueError, match="this policy has"):
        search.tell(np.zeros(3), run)
    assert len(search.y_) == 0
    np.testing.assert_array_equal(search.ask(), search.ask())


def test_pictures_show_the_best_so_far_and_the_likeness_of_the_policies():
    policy = SoftmaxControl(2, CAR_TERMS)
    search = PolicyBO(policy, n_candidates=64, random_state=0).optimize(MountainCar(max_steps=60), 7)
    ax = plot_policy_search(search)
    best = ax.lines[0].get_ydata()
    np.testing.assert_array_equal(best, np.maximum.accumulate(search.y_))
    assert ax.get_xlabel() == "trials"
    ax = plot_policy_search({"a": [[1.0, 3.0, 2.0], [0.0, 1.0, 5.0]], "b": [0.0, 0.0, 0.0]}, best=False)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [0.5, 2.0, 3.5])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    with pytest.raises(ValueError, match="no curve"):
        plot_policy_search({})
    plot_gram(search.kernel_matrix())
