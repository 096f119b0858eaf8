"""Q(lambda) against value iteration and a plain loop; the simulated patient against its equations."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sklearn.exceptions import ConvergenceWarning

from treatise.rl import (
    FiniteMDP,
    PIDController,
    PropofolControl,
    PropofolPatient,
    QLambda,
    control_metrics,
    fuzzy_memberships,
    fuzzy_state,
)
from treatise.rl.tabular._loops import empty_traces, learn
from treatise.rl.tabular.q_lambda import loss_of


def corridor(n=5):
    left, right = np.maximum(np.arange(n) - 1, 0), np.minimum(np.arange(n) + 1, n - 1)
    rewards = np.zeros((n, 2, n))
    rewards[n - 2, 1, n - 1] = 1.0
    rewards[:, 0, :] -= 0.1
    return FiniteMDP([np.eye(n)[left], np.eye(n)[right]], rewards, discount=0.9, terminal=np.arange(n) == n - 1)


@pytest.mark.parametrize("lam", [0.0, 0.8])
def test_values_become_those_of_value_iteration(lam):
    mdp = corridor()
    model = QLambda(0.9, lam=lam, epsilon=0.3, steps_per_episode=50, random_state=0).fit(mdp)
    policy, values = mdp.optimal()
    np.testing.assert_allclose(model.q_.max(axis=1), values, atol=1e-3)
    assert model.converged_ and model.predict([0, 1, 2, 3]).tolist() == [1, 1, 1, 1] == policy[:4].tolist()


def two_states():
    """Staying earns 1 for ever; leaving costs 10 once, and earns 1.5 for ever."""
    return FiniteMDP([np.eye(2), [[0, 1], [0, 1]]], [[1, -10], [1.5, 1.5]], discount=0.9, start=[1, 0])


def test_a_step_that_became_tiny_does_not_certify_a_wrong_policy():
    # Without random actions leaving is never tried; worth 0.99 * 150 - 10 against 100 with this discount.
    with pytest.warns(ConvergenceWarning, match="settled on loses 1 of what lies between"):
        blind = QLambda(0.99, epsilon=0.0, random_state=0).fit(two_states())
    assert blind.policy_[0] == 0 and not blind.converged_ and blind.loss_ == pytest.approx(1.0)
    assert blind.history_[-1, 0] < 2e-5
    open_eyed = QLambda(0.99, epsilon=0.1, random_state=0).fit(two_states())
    assert open_eyed.policy_[0] == 1 and open_eyed.converged_ and open_eyed.loss_ == 0.0
    # The discount of the agent counts: at 0.9 leaving is worth 3.5 and staying 10.
    assert QLambda(0.9, epsilon=0.1, random_state=0).fit(two_states()).policy_[0] == 0


def test_the_loss_is_the_share_between_the_worst_and_the_best_policy():
    rng = np.random.default_rng(0)
    mdp = FiniteMDP(rng.dirichlet(np.ones(3), (3, 3)), rng.normal(size=(3, 3)), discount=0.5, start=[0.2, 0.5, 0.3])
    policies = [np.array(actions) for actions in itertools.product(range(3), repeat=3)]
    worth = np.array([mdp.start @ mdp.value(policy) for policy in policies])
    shares = (worth.max() - worth) / np.ptp(worth)
    np.testing.assert_allclose([loss_of(policy, mdp, 0.5) for policy in policies], shares, atol=1e-10)
    flat = FiniteMDP(mdp.transitions, np.full(3, 7.0), discount=0.5)
    assert loss_of(policies[0], flat, 0.5) == 0.0


def test_traces_are_those_of_a_plain_table():
    rng = np.random.default_rng(0)
    Q, plain, table = np.zeros((6, 2)), np.zeros((6, 2)), np.zeros((6, 2))
    traces, live = empty_traces(6, 2), 0
    for _ in range(500):
        state, action, delta = rng.integers(6), rng.integers(2), rng.normal()
        live = learn(Q, state, action, delta, 0.1, 0.7, *traces, live)
        table[state, action] = 1.0
        plain += 0.1 * delta * table
        table *= 0.7
    # Traces below 1e-8 are forgotten.
    np.testing.assert_allclose(Q, plain, atol=1e-7)


def test_without_traces_each_step_moves_one_value():
    Q = np.zeros((3, 2))
    learn(Q, 1, 1, 2.0, 0.5, 0.0, *empty_traces(3, 2), 0)
    assert Q.tolist() == [[0, 0], [0, 1.0], [0, 0]]


def test_one_seed_gives_one_table_and_an_unfinished_one_warns():
    world = PropofolControl()
    with pytest.warns(UserWarning, match="give more rounds"):
        first, again = (QLambda(n_rounds=2, episodes_per_round=5, random_state=1).fit(world) for _ in range(2))
    np.testing.assert_array_equal(first.q_, again.q_)


def test_rates_of_the_prototype_patient():
    rates = PropofolPatient().rates
    assert rates["k10"] + rates["k12"] + rates["k13"] == pytest.approx(1.078281, abs=5e-7)
    for name, value in (("k12", 0.481967), ("k21", 0.065516), ("k13", 0.195785), ("k31", 0.003513)):
        assert rates[name] == pytest.approx(value, abs=5e-7)


def test_the_flow_is_that_of_the_differential_equation_and_balances():
    patient = PropofolPatient(40, 80, 180, ke0=0.2)
    infusion = np.repeat([3.0, 0.0, 1.0], 24)
    states, index = patient.simulate(infusion)
    state = np.zeros(4)
    for rate in (3.0, 0.0, 1.0):
        drift = np.array([10.0 * rate, 0.0, 0.0, 0.0])
        state = solve_ivp(
            lambda _, x, drift=drift: patient.generator @ x + drift, (0, 2), state, rtol=1e-11, atol=1e-11
        ).y[:, -1]
    np.testing.assert_allclose(states[-1], state, atol=1e-7)
    steady = np.linalg.solve(patient.generator, [-10.0, 0.0, 0.0, 0.0])
    assert steady[0] / patient.volumes[0] == pytest.approx(10.0 / patient.clearance, rel=1e-8)
    assert steady[3] == pytest.approx(10.0 / patient.clearance, rel=1e-8)
    washed, _ = patient.simulate(np.zeros(200), states[-1])
    assert (np.diff(washed[:, :3].sum(axis=1)) < 0).all()
    assert index[0] > 94.0 and (np.diff(index[:24]) < 0).all()


def test_the_world_of_single_steps_is_that_of_the_loop():
    # One greedy episode of the compiled loop, which learns nothing, earns what the world's own steps do.
    world, policy = PropofolControl(targets=(45.0, 55.0)), np.random.default_rng(3).integers(0, 15, 400)
    Q = np.eye(15)[policy]
    mean = world.learning_episodes(
        np.random.default_rng(7), 0.9, 0.0, 0.0, 0.0, 1, 200, Q.copy(), empty_traces(400, 15)
    )  # fmt: skip

    class WithTheDrawsOfTheLoop:
        """The loop draws a number at every step to see whether to act at random."""

        def __init__(self):
            self.rng = np.random.default_rng(7)

        def step(self, percept):
            self.rng.random()
            return world.step(policy[int(percept[0])])

    run = WithTheDrawsOfTheLoop()
    percept, earned = world.reset(run.rng), []
    for _ in range(200):
        percept, reward, done = run.step(percept)
        earned.append(reward)
        assert not done
    assert np.mean(earned) == pytest.approx(mean, abs=1e-10)


def test_memberships_sum_to_one_and_states_cover_the_table():
    for error in (-30.0, -7.0, 0.0, 3.3, 20.0, 50.0):
        for change in (-12.0, 0.0, 4.9, 30.0):
            found = fuzzy_memberships(error, change)
            assert found[:3].sum() == pytest.approx(1.0) and found[3:].sum() == pytest.approx(1.0)
            assert 0 <= fuzzy_state(error, change) < 400
    assert fuzzy_memberships(0.0, 0.0).tolist() == [0, 1, 0, 0, 1, 0]
    assert fuzzy_state(20.0, 0.0) == fuzzy_state(99.0, 0.0) != fuzzy_state(15.0, 0.0)
    assert fuzzy_state(-25.0, -25.0) == 0 and fuzzy_state(25.0, 25.0) == 399


def test_scores_of_constant_and_growing_errors():
    flat = control_metrics(np.full(100, 52.5), 50.0)
    assert (flat["mdpe"], flat["mdape"], flat["wobble"], flat["rmse"]) == (5.0, 5.0, 0.0, 2.5)
    assert flat["divergence"] == pytest.approx(0.0, abs=1e-12)
    hours = np.arange(720) * 5.0 / 3600.0
    ramp = control_metrics(50.0 * (1.0 + 0.02 * hours), 50.0)
    assert ramp["divergence"] == pytest.approx(2.0)
    assert control_metrics([50.0, 56.0], 50.0)["controlled"] == 50.0


def test_an_agent_that_has_learned_holds_most_patients():
    world = PropofolControl()
    model = QLambda(0.9, random_state=0).fit(world)
    scores = world.evaluate(model.policy_, 40, random_state=0)
    medians = {name: float(np.median(each)) for name, each in scores.items()}
    assert abs(medians["mdpe"]) <= 5 and medians["mdape"] <= 7.5 and medians["wobble"] <= 5 and medians["rmse"] <= 5
    assert medians["controlled"] >= 80
    nothing = world.evaluate(np.zeros(400, dtype=int), 10, random_state=0)
    assert np.median(nothing["controlled"]) == 0.0
    assert np.median(world.evaluate(PIDController(), 40, random_state=0)["controlled"]) >= 80


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PropofolPatient(sex="other"), "'other'"),
        (lambda: PropofolPatient(weight=-3), "weight=-3"),
        (lambda: PropofolPatient(age=110), "positive volume"),
        (lambda: PropofolPatient().simulate([-1.0]), "negative"),
        (lambda: control_metrics([], 50), "at least one"),
        (lambda: control_metrics([50.0], 0), "above 0"),
        (lambda: PropofolControl().evaluate(np.zeros(3, dtype=int)), "400 actions"),
        (lambda: PropofolControl(targets=(60, 40)), "lower one first"),
        (lambda: PropofolControl().evaluate(PIDController(), settling=90.0), "nothing"),
        (lambda: fuzzy_state(np.nan, 0.0), "no control error"),
        (lambda: QLambda(gamma=1.0).fit(corridor()), "gamma"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
