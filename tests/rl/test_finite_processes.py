"""Finite decision processes against their definitions."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from treatise.rl import (
    BlockersTask,
    FiniteMDP,
    FinitePOMDP,
    LargeActionTask,
    PropofolControl,
    PuckWorld,
    as_gymnasium,
    baird_star,
    boyan_chain,
    cyclic_process,
    from_gymnasium,
    garnet,
    grid5,
    heaven_hell,
    linear_cart_pole,
    maze1d,
    n_link_pendulum,
    rock_sample,
    stationary_distribution,
    three_state_process,
    tiger,
)
from treatise.rl import random_mdp as random_world
from treatise.rl.environments import Environment


def random_mdp(rng, n_states=5, n_actions=3, **others):
    transitions = rng.dirichlet(np.ones(n_states), size=(n_actions, n_states))
    return FiniteMDP(transitions, rng.normal(size=(n_states, n_actions, n_states)), **others)


def test_stationary_distribution_is_left_as_it_is_also_by_a_periodic_chain_with_transient_states():
    chain = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    distribution = stationary_distribution(chain)
    np.testing.assert_allclose(distribution, [0.5, 0.5, 0.0], atol=1e-15)


def test_a_chain_with_two_closed_classes_is_refused():
    with pytest.raises(ValueError, match="2 closed classes"):
        stationary_distribution(np.eye(2))


def test_value_is_the_sum_of_discounted_rewards():
    rng = np.random.default_rng(0)
    mdp, policy = random_mdp(rng, discount=0.9), rng.dirichlet(np.ones(3), size=5)
    expected, reach = np.zeros(5), np.eye(5)
    transitions = sum(policy[:, [a]] * mdp.transitions[a] for a in range(3))
    rewards = np.array(
        [sum(policy[s, a] * mdp.transitions[a, s] @ mdp.rewards[s, a] for a in range(3)) for s in range(5)]
    )
    for step in range(400):
        expected += 0.9**step * reach @ rewards
        reach = reach @ transitions
    np.testing.assert_allclose(mdp.value(policy), expected, rtol=1e-10)


def test_terminal_states_are_worth_nothing_and_let_the_discount_be_one():
    mdp = FiniteMDP([[[0.5, 0.5], [0.0, 1.0]]], [-1.0, 7.0], discount=1.0, terminal=[False, True])
    np.testing.assert_allclose(mdp.value(np.ones((2, 1))), [-2.0, 0.0], atol=1e-14)
    with pytest.raises(ValueError, match="no finite value"):
        FiniteMDP([[[0.5, 0.5], [0.0, 1.0]]], [-1.0, 7.0], discount=1.0).value(np.ones((2, 1)))


@pytest.mark.parametrize("chain", [[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.5, 0.5]], [[0.7, 0.3], [0.1, 0.9]]])
def test_without_discount_nor_end_there_is_no_value_whatever_rounding_makes_of_it(chain):
    with pytest.raises(ValueError, match="some state goes on earning for ever"):
        FiniteMDP([chain], [0.0, 1.0], discount=1.0).value([0, 0])


def test_an_unknown_action_is_named():
    with pytest.raises(ValueError, match="names action -1; there are 1"):
        FiniteMDP([np.eye(2)], [0.0, 1.0]).value([0, -1])


def test_no_deterministic_policy_excels_the_optimal_one():
    rng = np.random.default_rng(1)
    mdp = random_mdp(rng, n_states=4, n_actions=2, discount=0.8)
    best = np.max([mdp.value(np.array(each)) for each in np.ndindex(2, 2, 2, 2)], axis=0)
    policy, values = mdp.optimal()
    np.testing.assert_allclose(values, best, rtol=1e-10)
    np.testing.assert_allclose(mdp.action_value(policy).max(axis=1), values, rtol=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_the_unit_of_the_rewards_does_not_change_the_optimal_policy(seed):
    mdp = random_mdp(np.random.default_rng(seed), n_states=4, n_actions=3, discount=0.8)
    small = FiniteMDP(mdp.transitions, 1e-14 * mdp.expected_rewards, discount=0.8)
    np.testing.assert_array_equal(small.optimal()[0], mdp.optimal()[0])


def test_runs_follow_the_probabilities_and_one_seed_gives_one_run():
    rng = np.random.default_rng(2)
    mdp, policy = random_mdp(rng), rng.dirichlet(np.ones(3), size=5)
    run, again = (mdp.sample(policy, 200_000, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(run.next_states, again.next_states)
    np.testing.assert_array_equal(run.next_states[:-1], run.states[1:])
    counts = np.zeros((3, 5, 5))
    np.add.at(counts, (run.actions, run.states, run.next_states), 1.0)
    joint = mdp.stationary(policy)[None, :, None] * policy.T[:, :, None] * mdp.transitions
    # 200 000 dependent draws: the shares scatter by about 0.001.
    np.testing.assert_allclose(counts / len(run), joint, atol=0.005)
    np.testing.assert_array_equal(run.rewards, mdp.rewards[run.states, run.actions, run.next_states])
    assert run.starts.sum() == 1


def test_episodes_end_in_terminal_states_or_at_the_horizon():
    mdp = FiniteMDP([[[0.5, 0.5], [0.0, 1.0]]], [1.0, 0.0], start=[1.0, 0.0], terminal=[False, True])
    run = mdp.sample(np.zeros(2, dtype=int), 5_000, horizon=3, random_state=0)
    beginnings = np.flatnonzero(run.starts)
    lengths = np.diff(beginnings)
    assert lengths.max() == 3 and (run.states == 0).all()
    ended = run.ends[beginnings[1:] - 1]
    assert ended[lengths < 3].all() and not ended[lengths == 3].all()


def test_probability_zero_is_never_drawn():
    mdp = FiniteMDP([[[0.1] * 10 + [0.0] * 2] * 12], np.zeros(12), start=[0.0] * 11 + [1.0])
    run = mdp.sample(np.zeros(12, dtype=int), 100_000, random_state=0)
    assert run.states[0] == 11 and run.next_states.max() == 9


def test_belief_follows_bayes_and_an_impossible_observation_is_refused():
    rng = np.random.default_rng(4)
    transitions = rng.dirichlet(np.ones(3), size=(2, 3))
    sight = rng.dirichlet(np.ones(4), size=(2, 3))
    pomdp = FinitePOMDP(transitions, sight, np.zeros(3))
    belief = np.array([0.2, 0.3, 0.5])
    joint = np.array([sum(belief[s] * transitions[1, s, t] * sight[1, t, 2] for s in range(3)) for t in range(3)])
    np.testing.assert_allclose(pomdp.belief_update(belief, 1, 2), joint / joint.sum(), rtol=1e-12)
    np.testing.assert_allclose(pomdp.observation_probabilities(belief, 1)[2], joint.sum(), rtol=1e-12)
    clear = FinitePOMDP([np.eye(2)], np.eye(2), np.zeros(2))
    with pytest.raises(ValueError, match="cannot follow"):
        clear.belief_update([1.0, 0.0], 0, 1)


@pytest.mark.parametrize(
    ("belief", "action", "observation", "message"),
    [
        ([0.5, 0.9], 0, 0, "belief sum to 1.4"),
        ([1.0], 0, 0, "give a probability for each of 2 states"),
        ([0.5, 0.5], 4, 0, "action 4 or observation 0 is not known; there are 1 and 2"),
        ([0.5, 0.5], 0, -1, "action 0 or observation -1 is not known"),
    ],
)
def test_no_belief_comes_of_what_is_none(belief, action, observation, message):
    pomdp = FinitePOMDP([np.eye(2)], np.full((2, 2), 0.5), [0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        pomdp.belief_update(belief, action, observation)


def test_hidden_runs_act_on_what_is_seen():
    pomdp = FinitePOMDP([np.eye(2)[::-1], np.eye(2)], [[0.9, 0.1], [0.1, 0.9]], [0.0, 1.0])
    run = pomdp.sample([1, 0], 50_000, random_state=0)
    np.testing.assert_array_equal(run.actions, 1 - run.observations)
    np.testing.assert_array_equal(run.next_observations[:-1], run.observations[1:])
    assert abs((run.observations == run.states).mean() - 0.9) < 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[[0.5, 0.4]] * 2], [0, 0]), "sum to 0.9"),
        (([[[1.5, -0.5]] * 2], [0, 0]), "hold -0.5"),
        (([[[np.nan, 1.0]] * 2], [0, 0]), "not finite"),
        (([[0.5, 0.5]] * 2, [0, 0]), "give \\(n_actions"),
        (([[[0.5, 0.5]] * 2], [0, 0, 0]), "rewards have the shape"),
        (([[[0.5, 0.5]] * 2], [0, np.inf]), "rewards hold"),
    ],
)
def test_what_is_no_process_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FiniteMDP(*arguments)


def test_a_wrong_policy_is_refused():
    mdp = random_mdp(np.random.default_rng(5))
    for policy, message in (([0, 1], "shape"), ([0, 1, 2, 3, 0], "action 3"), (np.full((5, 3), 0.5), "sum to 1.5")):
        with pytest.raises(ValueError, match=message):
            mdp.value(policy)
    with pytest.raises(ValueError, match="n_steps=0"):
        mdp.sample([0] * 5, 0)


class Corridor(Environment):
    """One step right of the five that lead out; a step costs one."""

    n_actions, max_steps = 2, 20

    def reset(self, rng):
        self.place = int(rng.integers(5))
        return np.array([self.place])

    def step(self, action):
        self.place = max(self.place + (1 if action == 1 else -1), 0)
        return np.array([self.place]), -1.0, self.place == 5


def test_a_world_there_and_back_through_gymnasium_is_the_same():
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    world = as_gymnasium(Corridor())
    checker.check_env(world, skip_render_check=True)
    back = from_gymnasium(world)
    state = back.reset(np.random.default_rng(0))
    for _ in range(5 - int(state[0])):
        state, reward, done = back.step(1)
    assert done and reward == -1.0
    world.reset(seed=0)
    cut = [world.step(0)[3] for _ in range(20)]
    assert cut == [False] * 19 + [True]


ZOO = {
    "garnet": lambda: garnet(6, 2, 2, random_state=0), "Boyan": boyan_chain, "Baird": baird_star,
    "random": lambda: random_world(random_state=0), "linear cart-pole": linear_cart_pole, "pendulum": n_link_pendulum,
    "three states": three_state_process, "cycle": cyclic_process, "puck": PuckWorld, "tiger": tiger, "maze": maze1d,
    "grid": grid5, "heaven and hell": heaven_hell, "rocks": rock_sample, "propofol": PropofolControl,
    "blockers": BlockersTask, "many actions": LargeActionTask,
}  # fmt: skip


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.filterwarnings("ignore")
def test_every_world_of_the_papers_is_one_of_gymnasium_s(name):
    made = ZOO[name]()
    world = as_gymnasium(made[0] if isinstance(made, tuple) else made)
    check_env(world, skip_render_check=True)


def test_a_finite_world_moves_and_earns_as_its_process():
    mdp = garnet(5, 2, 3, random_state=1)
    mdp = FiniteMDP(mdp.transitions, np.arange(50.0).reshape(5, 2, 5), terminal=np.arange(5) == 4)
    world, rng = as_gymnasium(mdp), np.random.default_rng(0)
    counts, state = np.zeros((2, 5, 5)), world.reset(seed=0)[0]
    for _ in range(4_000):
        action = int(rng.integers(2))
        after, reward, ended, cut, _ = world.step(action)
        assert reward == mdp.rewards[state, action, after] and ended == (after == 4) and not cut
        counts[action, state, after] += 1
        state = world.reset()[0] if ended else after
    seen = counts.sum(axis=2) > 0
    found = counts[seen] / counts.sum(axis=2)[seen][:, np.newaxis]
    # Some 500 draws a row: four standard errors.
    np.testing.assert_allclose(found, mdp.transitions[seen], atol=0.1)
    assert (counts > 0)[seen].tolist() == (mdp.transitions > 0)[seen].tolist()


def test_actions_of_groups_become_bits():
    blockers = as_gymnasium(BlockersTask())
    assert blockers.action_space.nvec.tolist() == [4, 4] and blockers.observation_space.n == 42
    task = LargeActionTask(3, 5, 2, random_state=0)
    world = as_gymnasium(task)
    state, _ = world.reset(seed=0)
    right = task.right_action(state)
    assert world.step(right.astype(int))[1] == 5.0
    with pytest.raises(TypeError, match="is no world"):
        as_gymnasium(object())
