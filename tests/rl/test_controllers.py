"""Controllers, the planner and the worlds with hidden states against their definitions."""

import numpy as np
import pytest
from hidden_worlds import GRID, MAZE, TIGER, random_case
from sklearn.exceptions import ConvergenceWarning

from treatise.rl import (
    FinitePOMDP,
    FiniteStateController,
    HiddenWorld,
    as_gymnasium,
    grid5,
    heaven_hell,
    maze1d,
    rock_sample,
    solve_pomdp,
    tiger,
)


@pytest.mark.parametrize(
    ("pomdp", "controller", "value"),
    [
        (tiger(), TIGER, 1.9334390),
        (maze1d(), MAZE, 1.0206897),
        (grid5(), GRID, 0.9**8 / (1 - 0.9**9)),
    ],
)
def test_experts_of_the_paper_are_worth_what_it_prints_and_no_policy_excels_them(pomdp, controller, value):
    assert controller.value(pomdp) == pytest.approx(value, abs=5e-8)
    best = solve_pomdp(pomdp)
    assert best.value == pytest.approx(value, abs=5e-8) and best.error_bound < 1e-6 and best.converged
    assert best.controller.value(pomdp) == pytest.approx(best.value, abs=1e-12)


def test_values_are_the_expected_discounted_rewards_of_all_histories():
    pomdp, controller, _ = random_case(0)
    # Weight of each (node, state), moved on step by step by the definitions.
    weights, earned = np.zeros((3, 4)), 0.0
    weights[controller.start] = pomdp.start
    for step in range(200):
        after = np.zeros_like(weights)
        for node, state in np.ndindex(3, 4):
            action = controller.actions[node]
            earned += 0.8**step * weights[node, state] * pomdp.expected_rewards[state, action]
            for to, seen in np.ndindex(4, 2):
                chance = pomdp.transitions[action, state, to] * pomdp.observations[action, to, seen]
                after[controller.successors[node, seen], to] += weights[node, state] * chance
        weights = after
    assert controller.value(pomdp) == pytest.approx(earned, rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_occupancies_and_the_linear_map_of_rewards_give_the_value(seed):
    pomdp, controller, rng = random_case(seed)
    features, alpha = rng.random((4, 3, 5)), rng.normal(size=5)
    expected = controller.value(pomdp, features @ alpha)
    assert alpha @ controller.feature_expectation(pomdp, features) == pytest.approx(expected, rel=1e-10)
    assert controller.occupancy(pomdp).sum() == pytest.approx(1 / (1 - 0.8), rel=1e-10)
    linear = controller.reward_values(pomdp)
    np.testing.assert_allclose(np.tensordot(linear, pomdp.expected_rewards), controller.values(pomdp), rtol=1e-10)
    # The derivative of the values by one reward; a linear function has no error of differences but rounding.
    moved = pomdp.expected_rewards.copy()
    moved[2, 1] += 1e-3
    slope = (controller.values(pomdp, moved) - controller.values(pomdp)) / 1e-3
    np.testing.assert_allclose(linear[:, :, 2, 1], slope, atol=1e-9)


@pytest.mark.parametrize(
    ("pomdp", "controller", "n_beliefs"), [(tiger(), TIGER, 5), (maze1d(), MAZE, 4), (grid5(), GRID, 13)]
)
def test_beliefs_met_are_as_many_as_the_paper_counts_and_follow_bayes(pomdp, controller, n_beliefs):
    visits = controller.visited_beliefs(pomdp)
    assert visits.n_beliefs == n_beliefs
    known = {(node, tuple(belief.round(6))) for node, belief in zip(*visits)}
    for node, belief in zip(*visits):
        action = controller.actions[node]
        for seen in np.flatnonzero(pomdp.observation_probabilities(belief, action)):
            after = pomdp.belief_update(belief, action, seen)
            assert (controller.successors[node, seen], tuple(after.round(6))) in known


def test_no_controller_of_two_nodes_excels_the_planner_on_a_random_process():
    pomdp, _, _ = random_case(5, n_states=2, n_actions=2)
    best = max(
        FiniteStateController(actions, np.reshape(successors, (2, 2)), start).value(pomdp)
        for actions in np.ndindex(2, 2)
        for successors in np.ndindex(2, 2, 2, 2)
        for start in range(2)
    )
    assert solve_pomdp(pomdp).value >= best - 1e-9


def test_the_planner_finds_the_optimum_where_states_are_seen():
    pomdp, _, _ = random_case(6, discount=0.9)
    seen = FinitePOMDP(pomdp.transitions, np.eye(4), pomdp.expected_rewards, discount=0.9, start=np.eye(4)[0])
    solution = solve_pomdp(seen)
    assert solution.value == pytest.approx(seen.optimal()[1][0], rel=1e-9)
    assert solution.error_bound < 1e-6


def test_heaven_and_hell_is_worth_a_lap_of_eleven_steps():
    # Three steps to the priest, seven to heaven, one to begin anew: the paper's 8.64.
    world = heaven_hell()
    solution = solve_pomdp(world)
    assert (world.n_states, world.n_actions, world.n_observations) == (20, 4, 11)
    assert solution.value == pytest.approx(0.99**10 / (1 - 0.99**11), abs=1e-9) and solution.error_bound < 1e-6
    assert solution.controller.visited_beliefs(world).n_beliefs == 19


@pytest.mark.parametrize("pomdp", [tiger(), maze1d(), grid5()])
@pytest.mark.parametrize(("unit", "constant"), [(1e-10, 0.0), (1e9, 0.0), (1.0, 1e9)])
def test_neither_the_unit_of_the_rewards_nor_what_every_step_earns_changes_the_plan(pomdp, unit, constant):
    """Gains were none beside one plus the largest value: with small rewards, or a large constant, nobody planned."""
    plain = solve_pomdp(pomdp)
    moved = solve_pomdp(pomdp, rewards=unit * pomdp.expected_rewards + constant)
    np.testing.assert_array_equal(moved.controller.actions, plain.controller.actions)
    np.testing.assert_array_equal(moved.controller.successors, plain.controller.successors)
    everywhere = constant / (1.0 - pomdp.discount)
    assert moved.value == pytest.approx(unit * plain.value + everywhere, rel=1e-12)
    assert moved.converged and moved.error_bound <= 1e-7 * unit


def test_too_few_iterations_are_told():
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        assert not solve_pomdp(tiger(), max_iter=1).converged


def test_where_beliefs_are_too_many_the_bound_is_infinite_and_the_value_a_real_one():
    world = rock_sample()
    solution = solve_pomdp(world, max_beliefs=150)
    assert solution.error_bound == np.inf and len(solution.beliefs) <= 150
    assert solution.controller.value(world) == pytest.approx(solution.value, rel=1e-9)
    assert solution.value > 1.0 / (1.0 - 0.95**6)  # more than driving out to the east for ever


def test_rock_sample_has_the_size_of_the_paper_and_its_rewards():
    world = rock_sample(4, 3)
    assert (world.n_states, world.n_actions, world.n_observations) == (129, 8, 2)
    place = (4 * 1 + 2) * 8  # column 2, row 1: the first rock
    assert world.expected_rewards[place + 0b100, 7] == 10.0 and world.expected_rewards[place, 7] == -10.0
    assert world.transitions[7, place + 0b111, place + 0b011] == 1.0  # sampled rocks are bad
    assert world.expected_rewards[0, 7] == -100.0 and world.expected_rewards[0, 3] == -100.0
    assert world.expected_rewards[3 * 8, 1] == 1.0 and world.transitions[1, 3 * 8, 128] == 1.0
    np.testing.assert_allclose(world.transitions[0, 128], world.start)
    # Beside the rock a check is always right; twenty cells away three times of four.
    assert world.observations[4, place + 0b100, 1] == 1.0
    far = rock_sample(21, 1, rocks=[(20, 0)], start=(0, 0))
    assert far.observations[4, 1, 1] == pytest.approx(0.75)


@pytest.mark.parametrize("make", [tiger, maze1d, grid5, heaven_hell, rock_sample])
def test_every_world_goes_into_gymnasium(make):
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    world = as_gymnasium(HiddenWorld(make(), max_steps=30))
    checker.check_env(world, skip_render_check=True)


def test_a_world_shows_and_earns_what_the_process_says():
    pomdp, rng = tiger(), np.random.default_rng(0)
    world = HiddenWorld(pomdp)
    assert world.reset(rng) == [-1.0]
    heard, earned = zip(*((seen[0], reward) for seen, reward, _ in (world.step(0) for _ in range(20_000))))
    assert set(earned) == {-1.0}
    assert min(np.mean(heard), 1 - np.mean(heard)) == pytest.approx(0.15, abs=0.01)  # one tiger, heard 85 of 100


def test_runs_of_a_controller_do_what_its_nodes_say_and_repeat_with_the_seed():
    runs = TIGER.sample(tiger(), 500, 20, random_state=0)
    for actions, seen in runs:
        node = 0
        for action, observation in zip(actions, seen):
            assert action == TIGER.actions[node]
            node = TIGER.successors[node, observation]
    again = TIGER.sample(tiger(), 500, 20, random_state=0)
    assert all((a == b).all() and (y == z).all() for (a, y), (b, z) in zip(runs, again))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [[0, 0]]), "2 actions and 1 rows"),
        (([0], [[1, 0]]), "not among the 1"),
        (([-1], [[0, 0]]), "negative"),
        (([], np.zeros((0, 2))), "there must be a node"),
        (([0], [[0, 0]], 3), "not among the 1"),
    ],
)
def test_what_is_no_controller_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FiniteStateController(*arguments)


def test_a_controller_for_another_process_is_refused():
    with pytest.raises(ValueError, match="has 9 observations and 4 actions"):
        TIGER.value(grid5())
    with pytest.raises(ValueError, match="has action 9; the process has 2 observations and 3 actions"):
        FiniteStateController([9], [[0, 0]]).value(tiger())
    with pytest.raises(ValueError, match="discount=1"):
        TIGER.value(tiger(discount=1.0))
    with pytest.raises(ValueError, match="more than limit=3"):
        TIGER.visited_beliefs(tiger(), limit=3)
    with pytest.raises(ValueError, match="give rocks"):
        rock_sample(7, 8)
    with pytest.raises(ValueError, match="rewards must be finite"):
        solve_pomdp(tiger(), rewards=np.full((2, 3), np.nan))


@pytest.mark.parametrize(("rocks", "least"), [(((3, 1), (2, 1), (1, 0)), 25.0), (((3, 0), (3, 3), (1, 1)), 24.0)])
def test_the_planner_comes_to_rocks_that_lie_many_actions_away(rocks, least):
    """From the beliefs of the first few actions alone it went east for ever, for 3.8, or left rocks alone, for 18.5."""
    world = rock_sample(rocks=rocks)
    found = solve_pomdp(world, max_beliefs=300)
    assert found.value >= least and np.isinf(found.error_bound)
    assert solve_pomdp(world, max_beliefs=300).controller.actions.tolist() == found.controller.actions.tolist()
