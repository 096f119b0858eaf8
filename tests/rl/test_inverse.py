"""Inverse reinforcement learning against the paper's numbers, brute force and its special cases."""

import warnings
from itertools import product

import numpy as np
import pytest
from hidden_worlds import GRID, MAZE, TIGER, random_case
from sklearn.exceptions import ConvergenceWarning

from treatise.papers.rl.v12_0691.experts import belief_controller, compact_features
from treatise.rl import (
    FiniteMDP,
    FinitePOMDP,
    FiniteStateController,
    MDPInverseRL,
    POMDPInverseRL,
    grid5,
    heaven_hell,
    maze1d,
    solve_pomdp,
    tiger,
)
from treatise.rl.inverse.apprenticeship import nearest_in_hull
from treatise.rl.inverse.conditions import controller_conditions, new_nodes, policy_conditions

CASES = {"tiger": (tiger, TIGER), "maze": (maze1d, MAZE), "grid": (grid5, GRID)}


@pytest.mark.parametrize(
    ("name", "method", "count"),
    [
        ("tiger", "witness", 39), ("tiger", "dp", 75), ("tiger", "q", 375),
        ("maze", "witness", 12), ("maze", "dp", 18), ("maze", "q", 54),
        ("grid", "witness", 1044), ("grid", "dp", 2048), ("grid", "q", 4096),
    ],
)  # fmt: skip
def test_new_nodes_are_as_many_as_in_table_6(name, method, count):
    make, expert = CASES[name]
    assert controller_conditions(expert, make(), method).n_comparisons == count


@pytest.mark.parametrize(
    ("method", "lam", "correct", "wrong"),
    [("witness", 30, 6.75, -100), ("witness", 20, 33.04, -100), ("witness", 35, 0, 0), ("dp", 45, 6.75, -100)],
)
def test_the_tiger_s_reward_is_that_of_the_paper(method, lam, correct, wrong):
    model = POMDPInverseRL(method, r_max=100, lam=lam)
    if correct:
        model.fit(tiger(), TIGER)
    else:
        with pytest.warns(ConvergenceWarning, match="zero everywhere"):
            model.fit(tiger(), TIGER)
    np.testing.assert_allclose(model.reward_, [[0, wrong, correct], [0, correct, wrong]], atol=0.01)
    if lam == 30:
        # R1 of Table 5, after the affine change that makes listening cost one.
        np.testing.assert_allclose(0.99 * model.reward_[0] - 1, [-1, -100, 5.68], atol=0.005)


@pytest.mark.parametrize("method", ["witness", "dp", "q"])
@pytest.mark.parametrize("name", CASES)
def test_the_expert_is_optimal_for_every_learned_reward(name, method):
    make, expert = CASES[name]
    pomdp = make()
    model = POMDPInverseRL(method).fit(pomdp, expert)
    conditions = controller_conditions(expert, pomdp, method)
    assert model.reward_.any() and np.abs(model.reward_).max() <= 1.0
    assert model.slack_ >= -1e-7 and (conditions.rows @ model.reward_.ravel()).min() >= -1e-7
    best = solve_pomdp(pomdp, rewards=model.reward_)
    assert best.error_bound < 1e-6
    assert expert.value(pomdp, model.reward_) == pytest.approx(best.value, abs=1e-7)
    assert model.margin_ == pytest.approx(conditions.total @ model.reward_.ravel())
    assert model.n_constraints_ == len(conditions.rows)


def margins_by_definition(pomdp, expert, method, reward):
    """All margins of Tables 2 and 3, one after the other, and which of them are summed."""
    values, margins, summed = expert.values(pomdp, reward), [], []
    listed = {
        (a, *os) for a in range(pomdp.n_actions) for os in product(range(expert.n_nodes), repeat=pomdp.n_observations)
    }
    if method == "witness":
        own = [(a, *os) for a, os in zip(expert.actions.tolist(), expert.successors.tolist())]
        listed = {
            new
            for new in listed
            if new[0] not in expert.actions
            or any(new[0] == old[0] and sum(x != y for x, y in zip(new, old)) <= 1 for old in own)
        }
    for node, belief in zip(*expert.visited_beliefs(pomdp)):
        for action, *after in listed:
            worth = 0.0
            for s in range(pomdp.n_states):
                ahead = sum(
                    pomdp.transitions[action, s, t] * pomdp.observations[action, t, z] * values[after[z], t]
                    for t in range(pomdp.n_states)
                    for z in range(pomdp.n_observations)
                )
                worth += belief[s] * (reward[s, action] + pomdp.discount * ahead)
            margins.append(belief @ values[node] - worth)
            itself = after == expert.successors[node].tolist()
            summed.append(method != "q" or not (action == expert.actions[node] or itself))
    return np.array(margins), np.array(summed), len(listed)


@pytest.mark.parametrize("method", ["witness", "dp", "q"])
@pytest.mark.parametrize("name", ["tiger", "maze"])
def test_conditions_are_those_of_the_tables(name, method):
    make, expert = CASES[name]
    pomdp = make()
    reward = np.random.default_rng(0).normal(size=(pomdp.n_states, pomdp.n_actions))
    margins, summed, count = margins_by_definition(pomdp, expert, method, reward)
    conditions = controller_conditions(expert, pomdp, method)
    assert conditions.total @ reward.ravel() == pytest.approx(margins[summed].sum(), rel=1e-9)
    ours = np.unique(np.round(conditions.rows @ reward.ravel(), 8))
    theirs = np.unique(np.round(margins, 8))
    theirs = theirs[np.abs(theirs) > 1e-9]
    np.testing.assert_allclose(ours[np.abs(ours) > 1e-9], theirs, atol=2e-8)
    assert conditions.n_comparisons == count * (expert.n_nodes if method == "q" else 1)


def test_where_states_are_seen_the_conditions_are_ng_and_russell_s():
    rng = np.random.default_rng(1)
    mdp = FiniteMDP(rng.dirichlet(np.ones(3), size=(2, 3)), np.zeros(3), discount=0.7, start=[1.0, 0.0, 0.0])
    policy = np.array([0, 1, 0])
    # The inequality of Theorem 1, matrix by matrix.
    own = mdp.transitions[policy, range(3)]
    select = np.zeros((3, 6))
    select[range(3), 2 * np.arange(3) + policy] = 1.0
    rows = []
    for action in range(2):
        other = np.zeros((3, 6))
        other[range(3), 2 * np.arange(3) + action] = 1.0
        later = 0.7 * (own - mdp.transitions[action]) @ np.linalg.inv(np.eye(3) - 0.7 * own) @ select
        rows.append(select - other + later)
    expected = np.concatenate(rows)
    expected = np.unique(expected[np.abs(expected).max(axis=1) > 1e-9].round(9), axis=0)
    np.testing.assert_allclose(np.unique(policy_conditions(mdp, policy).rows.round(9), axis=0), expected, atol=2e-9)
    # A node for each state, and what is seen is the state: deviations in the action alone are those of the inequality.
    seen = FinitePOMDP(mdp.transitions, np.eye(3), np.zeros(3), discount=0.7, start=mdp.start)
    expert = FiniteStateController(policy, np.tile(np.arange(3), (3, 1)))
    rows = controller_conditions(expert, seen, "dp").rows.round(9)
    assert {tuple(row) for row in expected + 0.0} <= {tuple(row) for row in rows + 0.0}
    assert {tuple(row) for row in expected + 0.0} == {tuple(row) for row in own_successors(expert, seen) + 0.0}


def own_successors(expert, pomdp):
    """Conditions for the one new node of each action that goes on as the expert does."""
    linear = expert.reward_values(pomdp).reshape(expert.n_nodes, pomdp.n_states, -1)
    rows = []
    for node, belief in zip(*expert.visited_beliefs(pomdp)):
        for action in range(pomdp.n_actions):
            now = np.zeros((pomdp.n_states, pomdp.n_actions))
            now[:, action] = belief
            ahead = belief @ pomdp.transitions[action]
            later = sum(ahead[t] * linear[t, t] for t in range(pomdp.n_states))
            rows.append(belief @ linear[node] - now.ravel() - pomdp.discount * later)
    rows = np.array(rows)
    return rows[np.abs(rows).max(axis=1) > 1e-9].round(9)


def test_too_many_nodes_are_refused_before_they_are_listed():
    world = heaven_hell()
    solved = solve_pomdp(world).controller
    actions, successors = np.resize(solved.actions, 18), np.resize(solved.successors, (18, 11))
    expert = FiniteStateController(actions, successors, solved.start)
    for method in ("dp", "q"):
        with pytest.raises(ValueError, match=r"too many nodes \(2\.6e14\).*method='witness'"):
            POMDPInverseRL(method).fit(world, expert)
    assert len(new_nodes(expert, world, "witness").actions) <= 18 * (1 + 11 * 17)


def test_heaven_and_hell_is_explained_and_its_policy_found_again():
    world = heaven_hell()
    expert = solve_pomdp(world).controller
    model = POMDPInverseRL().fit(world, expert)
    assert expert.value(world, model.reward_) == pytest.approx(model.policy_.value(world, model.reward_), abs=1e-7)
    assert model.slack_ >= -1e-7


def test_auto_takes_the_sparsest_reward_and_one_seed_gives_one_answer():
    model, again = (POMDPInverseRL().fit(maze1d(), MAZE) for _ in range(2))
    np.testing.assert_array_equal(model.reward_, again.reward_)
    np.testing.assert_allclose(
        model.reward_, np.eye(8)[4].reshape(4, 2), atol=1e-9
    )  # left in the goal, as Figure 6 has
    for lam in (0.3 * model.lam_, 0.7 * model.lam_):
        other = POMDPInverseRL(lam=lam).fit(maze1d(), MAZE)
        assert np.count_nonzero(other.reward_) >= np.count_nonzero(model.reward_)


def test_scaling_r_max_scales_the_reward():
    small, large = (POMDPInverseRL(r_max=r).fit(tiger(), TIGER) for r in (1.0, 100.0))
    np.testing.assert_allclose(100.0 * small.reward_, large.reward_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", ["mmfe", "prj"])
def test_exact_expectations_of_the_tiger_s_expert_give_its_policy(method):
    model = POMDPInverseRL(method, random_state=0).fit(tiger(), TIGER)
    assert model.policy_.value(tiger()) == pytest.approx(1.9334390, abs=1e-6)
    assert (np.diff(model.distances_) <= 1e-12).all()
    assert model.converged_ and model.margin_ <= 1e-3


@pytest.mark.parametrize("method", ["mmfe", "prj", "mmv"])
def test_runs_of_the_maze_s_expert_give_its_value(method):
    runs = MAZE.sample(maze1d(), 2000, 20, random_state=0)
    model = POMDPInverseRL(method, eps=0.1, random_state=0).fit(maze1d(), runs)
    assert model.policy_.value(maze1d()) == pytest.approx(1.0206897, abs=1e-6)
    assert model.converged_ and model.distances_[-1] <= 0.1


def test_rounds_that_come_no_nearer_are_told():
    runs = TIGER.sample(tiger(), 20, 20, random_state=0)
    with pytest.warns(ConvergenceWarning, match="away after"):
        assert not POMDPInverseRL("prj", eps=1e-9, max_iter=5, random_state=0).fit(tiger(), runs).converged_


def test_runs_are_told_by_their_mean_discounted_features():
    from treatise.rl.inverse.expectations import checked_features, expert_of_pomdp

    pomdp, expert, _ = random_case(3)
    runs = expert.sample(pomdp, 7, 9, random_state=0)
    told = expert_of_pomdp(pomdp, runs, checked_features(None, pomdp))
    # Equations 18 and 19, run by run.
    sums, counts = {}, {}
    for actions, seen in runs:
        belief, beliefs = pomdp.start, []
        for action, observation in zip(actions, seen):
            beliefs.append(belief)
            belief = pomdp.belief_update(belief, action, observation)
        keys = [tuple(each.round(6)) for each in beliefs]
        for key in set(keys):
            first, total = keys.index(key), np.zeros((4, 3))
            for t in range(first, 9):
                total[:, actions[t]] += 0.8 ** (t - first) * beliefs[t]
            sums[key], counts[key] = sums.get(key, 0.0) + total, counts.get(key, 0) + 1
    assert set(sums) <= {tuple(belief.round(6)) for belief in told.beliefs}
    for belief, expected in zip(told.beliefs, told.expected):
        key = tuple(belief.round(6))
        np.testing.assert_allclose(expected, (sums[key] / counts[key]).ravel() if key in sums else 0.0, atol=1e-9)


def test_many_runs_tell_what_the_controller_tells():
    from treatise.rl.inverse.expectations import checked_features, expert_of_pomdp

    features = checked_features(None, tiger())
    runs = TIGER.sample(tiger(), 20_000, 60, random_state=0)
    exact, drawn = (expert_of_pomdp(tiger(), expert, features).expected[0] for expert in (TIGER, runs))
    np.testing.assert_allclose(drawn, exact, atol=0.02)  # four standard errors of 20 000 runs


def test_the_nearest_point_of_a_hull_is_found():
    rng = np.random.default_rng(0)
    corners, point = rng.normal(size=(6, 3)), np.array([3.0, 0.0, 0.0])
    nearest = nearest_in_hull(point, corners)
    # The optimality condition: no corner lies beyond the plane through the nearest point.
    assert ((corners - nearest) @ (point - nearest)).max() <= 1e-9
    inside = corners.mean(axis=0)
    np.testing.assert_allclose(nearest_in_hull(inside, corners), inside, atol=1e-9)


def corridor(n=5, discount=0.9):
    left, right = np.eye(n)[np.maximum(np.arange(n) - 1, 0)], np.eye(n)[np.minimum(np.arange(n) + 1, n - 1)]
    return FiniteMDP([left, right], np.zeros(n), discount=discount, start=np.eye(n)[0])


def test_a_policy_for_seen_states_is_optimal_for_its_reward_and_for_no_sign_changed_one():
    mdp, policy = corridor(), np.ones(5, dtype=int)
    model = MDPInverseRL().fit(mdp, policy)
    learned = FiniteMDP(mdp.transitions, model.reward_, discount=0.9)
    np.testing.assert_allclose(learned.value(policy), learned.optimal()[1], atol=1e-8)
    np.testing.assert_array_equal(model.policy_, policy)
    assert model.slack_ >= -1e-7 and model.n_comparisons_ == 10


@pytest.mark.parametrize("method", ["lp", "max_margin", "projection"])
def test_runs_through_seen_states_give_the_expert_s_policy(method):
    mdp = corridor()
    walk = [0, 1, 2, 3, 4] + [4] * 95
    model = MDPInverseRL(method, random_state=0, eps=1e-2).fit(mdp, [(walk, [1] * 100)])
    np.testing.assert_array_equal(model.policy_[:5], 1)
    if method != "lp":
        exact = MDPInverseRL(method, random_state=0, eps=1e-2).fit(mdp, np.ones(5, dtype=int))
        np.testing.assert_array_equal(exact.policy_, 1)
        assert (np.diff(exact.distances_) <= 1e-12).all()


def test_features_shape_the_reward():
    features = np.zeros((4, 2, 2))
    features[2, :, 0] = 1.0
    features[[0, 1, 3], :, 1] = 1.0
    model = POMDPInverseRL("mmfe", random_state=0).fit(maze1d(), MAZE, features)
    np.testing.assert_allclose(model.reward_, features @ model.alpha_)
    assert model.reward_[2, 0] > model.reward_[0, 0]


@pytest.mark.parametrize(
    ("options", "expert", "features", "message"),
    [
        ({}, [([0], [0])], None, "needs a FiniteStateController"),
        ({}, TIGER, np.ones((2, 3, 1)), "takes no features"),
        ({"method": "prj"}, [([0, 1], [0])], None, "2 and 1 entries"),
        ({"method": "prj"}, [([0.5], [0])], None, "no whole number"),
        ({"method": "prj"}, [([7], [0])], None, "beyond the 3 known"),
        ({"method": "prj"}, [([0], [5])], None, "observation 5"),
        ({"method": "prj"}, "abc", None, "neither a policy nor a list"),
        ({"method": "prj"}, TIGER, np.ones((3, 3, 1)), "features have the shape"),
        ({"method": "prj"}, TIGER, np.full((2, 3, 1), 2.0), "not between 0 and 1"),
        ({"method": "prj"}, GRID, None, "has 2 observations"),
        ({"method": "mmv", "lam": 1e9}, TIGER, None, "give a smaller penalty"),
    ],
)
def test_bad_input_is_refused_in_words(options, expert, features, message):
    with pytest.raises(ValueError, match=message):
        POMDPInverseRL(**options).fit(tiger(), expert, features)


def test_an_observation_that_cannot_come_is_refused_with_its_place():
    with pytest.raises(ValueError, match="run 0, step 1: observation 0 cannot follow"):
        POMDPInverseRL("prj").fit(grid5(), [([1, 1], [1, 0])])


def test_processes_that_end_are_refused():
    ending = FiniteMDP([np.eye(2)], np.zeros(2), terminal=[False, True])
    with pytest.raises(ValueError, match="without terminal states"):
        MDPInverseRL().fit(ending, [0, 0])
    with pytest.raises(ValueError, match="their numbers"):
        MDPInverseRL().fit(corridor(), np.full((5, 2), 0.5))


def test_margins_between_values_have_a_penalty_that_is_drawn_from_the_runs():
    """Without one, rewards of all signs everywhere profit from runs that are cut off."""
    expert = belief_controller(solve_pomdp(heaven_hell()).controller, heaven_hell())
    runs = expert.sample(heaven_hell(), 300, 300, random_state=0)
    features = compact_features("C")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        values = {
            lam: POMDPInverseRL("mmv", lam=lam, max_iter=25, random_state=0).fit(heaven_hell(), runs, features)
            for lam in ("auto", 0.0)
        }
    best = expert.value(heaven_hell())
    assert abs(values["auto"].policy_.value(heaven_hell()) - best) < 1e-6 and values["auto"].lam_ > 0.0
    assert values[0.0].policy_.value(heaven_hell()) < 0.5 * best and values[0.0].lam_ == 0.0
    # Whatever the rewards' unit: features of half the size have weights of the same sign and policy.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        half = POMDPInverseRL("mmv", max_iter=25, random_state=0).fit(heaven_hell(), runs, 0.5 * features)
    assert abs(half.policy_.value(heaven_hell()) - best) < 1e-6
