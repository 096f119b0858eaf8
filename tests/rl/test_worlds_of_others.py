"""Worlds of Gymnasium's and of users': every learner takes those that suit it, and says what is wrong with others."""

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete
from sklearn.exceptions import ConvergenceWarning

from treatise.rl import (
    GPOMDP,
    BlockersTask,
    Environment,
    FiniteMDP,
    FiniteWorld,
    FreeEnergySARSA,
    LargeActionTask,
    PuckWorld,
    QLambda,
    SoftmaxControl,
    SoftmaxPolicy,
    StateTerms,
    as_gymnasium,
    exact_policy_gradient,
    from_gymnasium,
    run_policy,
    three_state_process,
)


class Told(gymnasium.Env):
    """Keeps the actions that it is told, and cuts its episodes off after three steps."""

    def __init__(self, actions, shown=None):
        self.action_space, self.observation_space = actions, shown or Box(-1.0, 1.0, (1,), np.float64)
        self.heard = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        self.steps = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.steps += 1
        assert self.steps <= 3, "the episode was cut off"
        assert action in self.action_space
        self.heard.append(action)
        return self.observation_space.sample(), 1.0, False, self.steps == 3, {}


def test_actions_of_several_choices_are_groups_of_bits():
    world = Told(MultiDiscrete([3, 2, 4], start=[0, 1, 5]))
    taken = from_gymnasium(world)
    assert taken.action_groups == [3, 1, 4] and taken.action_size == 8 and taken.n_actions is None
    taken.reset(np.random.default_rng(0))
    taken.step(np.array([0, 0, 1, 1, 0, 1, 0, 0], dtype=bool))
    assert world.heard[0].tolist() == [2, 2, 6]
    bits = from_gymnasium(Told(MultiBinary((2, 2))))
    bits.reset(np.random.default_rng(0))
    bits.step([1, 0, 1, 1])
    assert bits.action_groups == [1] * 4 and bits.world.heard[0].tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("make", [BlockersTask, lambda: LargeActionTask(3, 5, 2, random_state=0)])
def test_worlds_of_bits_are_the_same_there_and_back(make):
    # All chance comes from the generator, of which the way through Gymnasium takes a seed.
    straight, back = make(), from_gymnasium(as_gymnasium(make()))
    assert back.action_groups == straight.action_groups and back.state_size == straight.state_size
    seed = int(np.random.default_rng(5).integers(2**31 - 1))
    state = straight.reset(np.random.default_rng(seed))
    np.testing.assert_array_equal(back.reset(np.random.default_rng(5)), state)
    rng = np.random.default_rng(1)
    for _ in range(10):
        parts = [rng.random(1) < 0.5 if size == 1 else np.arange(size) == rng.integers(size) for size in
                 straight.action_groups]  # fmt: skip
        for one, other in zip(straight.step(np.concatenate(parts)), back.step(np.concatenate(parts)), strict=True):
            np.testing.assert_array_equal(one, other)


def test_numbered_states_stay_numbers_and_bits_are_told():
    numbered = from_gymnasium(Told(Discrete(2), Discrete(4, start=3)))
    assert numbered.state_numbers == range(3, 7) and numbered.reset(np.random.default_rng(0)).shape == (1,)
    assert from_gymnasium(Told(Discrete(2), MultiBinary(3))).state_groups == [1, 1, 1]
    assert from_gymnasium(Told(Discrete(2), MultiDiscrete([2, 3]))).state_groups == [2, 3]
    flat = gymnasium.wrappers.FlattenObservation(Told(Discrete(2), Discrete(4)))
    assert from_gymnasium(flat).state_groups == [1] * 4
    with pytest.raises(ValueError, match="MultiBinary or Box"):
        from_gymnasium(Told(gymnasium.spaces.Text(3)))


def test_an_episode_that_its_world_cuts_off_is_over():
    run = run_policy(Told(Discrete(2)), SoftmaxControl(2, StateTerms(1)), [0.0, 0.0], 4, max_steps=20, random_state=0)
    assert len(run) == 12 and not run.ends.any() and run.starts.sum() == 4
    with pytest.warns(ConvergenceWarning, match="give more rounds"):
        QLambda(n_rounds=1, episodes_per_round=3, random_state=0).fit(Told(Discrete(2), Discrete(3)))
    FreeEnergySARSA(2, random_state=0).run(Told(MultiBinary(2), MultiBinary(2)), 20)
    GPOMDP(random_state=0).estimate(Told(Discrete(2)), SoftmaxPolicy(2), [0.0, 0.0], 40)
    again = as_gymnasium(from_gymnasium(Told(Discrete(2))))
    again.reset(seed=0)
    assert [again.step(0)[3] for _ in range(3)] == [False, False, True]


def test_values_are_learned_in_a_world_that_can_only_be_acted_in():
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    model = QLambda(0.9, epsilon=0.5, episodes_per_round=200, steps_per_episode=50, random_state=0).fit(lake)
    state, _ = lake.reset(seed=0)
    for _ in range(6):  # the shortest way
        state, reward, ended, _, _ = lake.step(int(model.predict([state])[0]))
    assert ended and reward == 1.0 and np.isnan(model.loss_)


def test_a_finite_process_has_the_same_values_step_by_step():
    right = FiniteMDP([np.eye(4)[[0, 0, 1, 3]], np.eye(4)[[1, 2, 3, 3]]], [-1, -1, -1, 0], terminal=[0, 0, 0, 1])
    options = {"steps_per_episode": 20, "epsilon": 0.3, "random_state": 0}
    compiled, stepped = QLambda(**options).fit(right), QLambda(**options).fit(FiniteWorld(right))
    np.testing.assert_allclose(stepped.q_[:3].max(axis=1), compiled.q_[:3].max(axis=1), atol=1e-3)
    assert stepped.policy_[:3].tolist() == compiled.policy_[:3].tolist() == [1, 1, 1]


class Shown(Environment):
    """The three-state process, which shows the features of its state."""

    n_actions, state_size = 2, 2

    def __init__(self):
        self.process, self.policy, _ = three_state_process()
        self.inner = FiniteWorld(self.process)

    def reset(self, rng):
        return self.policy.features[int(self.inner.reset(rng)[0])]

    def step(self, action):
        state, reward, done = self.inner.step(action)
        return self.policy.features[int(state[0])], reward, done


@pytest.mark.parametrize("baseline", ["observation", "constant", "mean_return", None, 6.3, [6.0, 0.5, 0.5]])
def test_gradients_in_a_world_are_those_of_its_process(baseline):
    process, policy, theta = three_state_process()
    exact = exact_policy_gradient(process, policy, theta).discounted_gradient
    found = GPOMDP(baseline=baseline, random_state=0).estimate(Shown(), SoftmaxPolicy(2), theta, 12_000)
    assert (np.abs(found.gradient - exact) < 4.0 * found.standard_error).all()
    plain = GPOMDP(baseline=None, random_state=0).estimate(Shown(), SoftmaxPolicy(2), theta, 12_000)
    if baseline is not None:
        assert found.standard_error.sum() < plain.standard_error.sum() / 2
    if baseline == "constant":  # the printed best one
        assert abs(found.baseline[0] - 6.33837) < 0.4 and not found.baseline[1:].any()


def test_the_puck_can_be_climbed():
    theta, history = GPOMDP(random_state=0).optimize(PuckWorld(), SoftmaxPolicy(4), n_iter=1, n_steps=200)
    assert theta.shape == (28,) and np.isfinite(history).all()


class Unsound(Shown):
    def __init__(self, state=(0.0, 0.0), reward=0.0):
        self.state, self.reward = np.array(state), reward

    def reset(self, rng):
        return np.zeros(2)

    def step(self, action):
        return self.state, self.reward, False


def test_worlds_that_do_not_suit_a_learner_are_refused_in_words():
    policy = SoftmaxPolicy(2)
    with pytest.raises(ValueError, match="must be numbered"):
        QLambda().fit(PuckWorld())
    with pytest.raises(TypeError, match="is no world"):
        QLambda().fit(np.eye(2))
    with pytest.raises(ValueError, match="FlattenObservation"):
        FreeEnergySARSA().run(PuckWorld(), 10)
    with pytest.raises(ValueError, match="2 actions and the world 4 actions"):
        GPOMDP().estimate(PuckWorld(), policy, np.zeros(14), 10)
    with pytest.raises(ValueError, match="where observations are numbered"):
        GPOMDP().estimate(FiniteWorld(three_state_process()[0]), policy, np.zeros(2), 10)
    with pytest.raises(ValueError, match="take 'observation'"):
        GPOMDP(baseline="online").estimate(Shown(), policy, np.zeros(4), 10)
    with pytest.raises(ValueError, match="it diverged"):
        GPOMDP().estimate(Unsound(state=(np.nan, 0.0)), policy, np.zeros(4), 10)
    with pytest.raises(ValueError, match="rewards of NaN"):
        GPOMDP().estimate(Unsound(reward=np.nan), policy, np.zeros(4), 10)


def test_a_run_whose_end_depends_on_its_beginning_gives_no_gradient():
    apart = FiniteMDP(np.stack([np.eye(2)] * 2), [0.0, 1.0])
    with pytest.raises(ValueError, match="2 closed classes"):
        GPOMDP().estimate(apart, SoftmaxPolicy(2), np.zeros(4), 100)


def test_weights_that_grow_beyond_all_bounds_are_told():
    task = LargeActionTask(random_state=0)
    with pytest.warns(ConvergenceWarning, match="beyond all bounds"):
        assert FreeEnergySARSA(13, gamma=0.0, learning_rate=(5.0, 5.0), random_state=0).run(task, 500).diverged_
