"""Free energies and actions drawn by them, against sums over everything."""

import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.rl import BlockersTask, FreeEnergySARSA, LargeActionTask
from treatise.rl.free_energy._loops import (
    gibbs_sweeps,
    hidden_inputs,
    move_weights,
    negative_free_energy,
    sweeps_by_products,
    sweeps_by_sums,
)


def energy_by_enumeration(visible, W, c):
    """-F = log sum over hidden of exp(v' W h + c' v)."""
    x = visible @ W
    return visible @ c + np.log(sum(np.exp(np.dot(h, x)) for h in product((0, 1), repeat=W.shape[1])))


def test_free_energy_is_the_sum_over_hidden_states_and_the_entropy_form():
    rng = np.random.default_rng(0)
    W, c = rng.normal(size=(6, 5)), rng.normal(size=6)
    for _ in range(20):
        visible = rng.random(6) < 0.5
        found = negative_free_energy(visible, W, c, np.zeros(5))
        assert found == pytest.approx(energy_by_enumeration(visible, W, c), abs=1e-10)
        x = visible @ W
        h = 1 / (1 + np.exp(-x))
        entropy = -(h * np.log(h) + (1 - h) * np.log(1 - h)).sum()
        assert found == pytest.approx(visible @ c + h @ x + entropy, abs=1e-10)
    assert negative_free_energy(np.array([True]), np.array([[900.0, -900.0]]), np.zeros(1), np.zeros(2)) == 900.0


def test_weights_move_along_the_gradient():
    rng = np.random.default_rng(1)
    W, c, visible, x = rng.normal(size=(4, 3)), rng.normal(size=4), np.array([True, False, True, True]), np.zeros(3)
    before = negative_free_energy(visible, W, c, x)
    moved, moved_c = W.copy(), c.copy()
    move_weights(visible, moved, moved_c, x, 1.0, True)
    for i, k in product(range(4), range(3)):
        bumped = W.copy()
        bumped[i, k] += 1e-6
        slope = (negative_free_energy(visible, bumped, c, np.zeros(3)) - before) / 1e-6
        assert moved[i, k] - W[i, k] == pytest.approx(slope, abs=1e-5)
    np.testing.assert_array_equal(moved_c - c > 0.5, visible)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_sweeps_draw_from_the_law_of_free_energies(temperature):
    rng = np.random.default_rng(2)
    W, c = rng.normal(size=(7, 4)), rng.normal(size=7)  # two state bits; two bits and one of three
    starts, members = np.array([0, 1, 2, 5]), np.arange(2, 7)
    state = np.array([True, False])
    actions = [np.array([a, b, *np.eye(3)[j]], dtype=bool) for a in (0, 1) for b in (0, 1) for j in range(3)]
    energies = np.array([energy_by_enumeration(np.concatenate([state, action]), W, c) for action in actions])
    law = np.exp((energies - energies.max()) / temperature)
    law /= law.sum()
    visible, x, counts = np.concatenate([state, actions[0]]), np.zeros(4), np.zeros(12)
    hidden_inputs(visible, W, x)
    for _ in range(40_000):
        gibbs_sweeps(rng, visible, W, c, starts, members, np.ones(3, bool), temperature, 1, x, np.zeros(4))
        counts[6 * visible[2] + 3 * visible[3] + visible[4:].argmax()] += 1
        assert visible[4:].sum() == 1
    # 40 000 dependent draws: the total variation is some hundredths of what a wrong law would show.
    assert 0.5 * np.abs(counts / 40_000 - law).sum() < 0.03
    np.testing.assert_allclose(x, visible @ W, atol=1e-8)


@pytest.mark.parametrize("scale", [0.1, 1.0, 8.0])
def test_products_and_sums_draw_the_same_actions(scale):
    # The two ways to one law: weights too large for products are left to sums.
    W, c = (np.random.default_rng(4).normal(size=shape) * scale for shape in ((14, 6), (14,)))
    starts, members = np.array([0, 1, 2, 5, 6, 10]), np.arange(3, 13)
    drawn = []
    for sweeps in (sweeps_by_products, sweeps_by_sums):
        visible, x = np.zeros(14, dtype=bool), np.zeros(6)
        visible[[1, 5, 10, 13]] = True
        rng, actions = np.random.default_rng(5), []
        for _ in range(300):
            hidden_inputs(visible, W, x)
            sweeps(rng, visible, W, c, starts, members, np.ones(5, bool), 0.7, 1, x, np.zeros(5))
            actions.append(visible.copy())
        drawn.append(actions)
    np.testing.assert_array_equal(*drawn)
    assert len(np.unique(drawn[0], axis=0)) > (1 if scale > 1 else 20)  # they do change


def test_weights_of_any_size_give_actions():
    agent = FreeEnergySARSA(3, init_scale=1e4, random_state=0).start([1, 1], [1, 3, 1])
    best = max(agent.value([1, 0], a) for a in ([p, *one, q] for p in (0, 1) for q in (0, 1) for one in np.eye(3)))
    assert agent.value([1, 0], agent.act([1, 0], temperature=1e-3)) > best - 1e5


def test_fixed_groups_never_change():
    agent = FreeEnergySARSA(4, random_state=0).start([1, 1], [1, 3, 1])
    for _ in range(30):
        action = agent.act([1, 0], fixed={1: [0, 1, 0], 2: [1]})
        assert action[1:].tolist() == [False, True, False, True]


@pytest.mark.parametrize("seed", range(3))
def test_a_small_task_is_learned(seed):
    task = LargeActionTask(6, 8, 3, random_state=seed)
    agent = FreeEnergySARSA(16, n_sweeps=4, linear_term=False, random_state=seed).run(task, 20_000)
    assert agent.history_[:500].mean() < 5.5 and agent.history_[-2_000:].mean() >= 7.0 and not agent.diverged_


def test_steps_that_are_too_long_are_told_once():
    agent = FreeEnergySARSA(4, learning_rate=(1e200, 1e200), random_state=0).start([1, 1], [1, 1])
    step = ([1, 0], [0, 1], 1e200, [0, 1], [1, 1])
    with pytest.warns(ConvergenceWarning, match="grew beyond all bounds"), np.errstate(all="ignore"):
        while not agent.diverged_:
            agent.learn(*step)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        agent.learn(*step)


def test_values_become_those_of_the_policy_in_a_world_of_two_states():
    class Two:
        """One bit of state, which the action becomes; being on earns one."""

        state_groups, action_groups, max_steps = [1], [1], 50

        def reset(self, rng):
            self.state = np.array([False])
            return self.state

        def step(self, action):
            self.state = np.array(action)
            return self.state, float(action[0]), False

    agent = FreeEnergySARSA(6, gamma=0.5, learning_rate=(0.1, 0.005), temperature=(1.0, 1.0), random_state=0)
    agent.run(Two(), 30_000)
    values = np.array([[agent.value([s], [a]) for a in (0, 1)] for s in (0, 1)])
    law = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    # The fixed point of SARSA under its own policy: q(s, a) = a + 0.5 E q(a, a').
    fixed = np.array([[a + 0.5 * law[a] @ values[a] for a in (0, 1)] for _ in (0, 1)])
    np.testing.assert_allclose(values, fixed, rtol=0.05)


def test_two_agents_pass_a_blocker_that_one_cannot_fool_for_ever():
    task = BlockersTask()
    state = task.reset(np.random.default_rng(0))
    assert state.sum() == 3 and len(state) == sum(task.state_groups)
    for _ in range(200):
        action = np.zeros(8, dtype=bool)
        action[[0, 4]] = True  # both go up
        state, reward, done = task.step(action)
        assert state.sum() == 3 and reward in (-1.0, 1.0)
        assert len(set(task.agents)) == 2
        if done:
            break
    np.testing.assert_array_equal(state[40:], np.eye(2)[task.blockers[0]].astype(bool))


def test_an_agent_learns_to_pass():
    task = BlockersTask()
    agent = FreeEnergySARSA(8, learning_rate=(0.1, 0.01), temperature=(1.0, 0.1), random_state=0).run(task, 8_000)
    assert agent.history_[-2_000:].mean() > agent.history_[:1_000].mean() + 0.05


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda agent: agent.act([1, 0], temperature=0.0), "temperature=0.0"),
        (lambda agent: agent.act([1]), "give 2 bits"),
        (lambda agent: agent.learn([1, 0], [0, 0, 0], np.nan), "reward=nan would spoil every weight"),
        (lambda agent: agent.value([1, 2], [0, 0, 0]), "other than 0 and 1"),
        (lambda agent: agent.act([1, 0], fixed={7: [1]}), "group 7"),
        (lambda agent: agent.act([1, 0], fixed={0: [1, 1]}), "one must be on"),
        (lambda agent: FreeEnergySARSA(temperature=(1.0, -1.0)).start([1], [1]), "temperature"),
        (lambda agent: FreeEnergySARSA().start([1], []), "at least one bit"),
        (lambda agent: FreeEnergySARSA().start([0], [1]), "sizes of groups"),
        (lambda agent: BlockersTask(width=2), "columns"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    agent = FreeEnergySARSA(3, random_state=0).start([1, 1], [2, 1])
    with pytest.raises(ValueError, match=message):
        make(agent)


@pytest.mark.parametrize("pair", [(0.02,), (), (0.02, 0.0), (0.1, 0.2, 0.3)])
def test_rates_are_two_numbers_above_zero(pair):
    with pytest.raises(ValueError, match=r"learning_rate=.* two numbers above 0"):
        FreeEnergySARSA(4, learning_rate=pair).start([1], [1, 1])
