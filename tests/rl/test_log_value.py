"""Values of a policy from a log: against their definitions, and against worlds whose values are known."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from treatise.rl import LSTD, FiniteMDP, effective_size, evaluate_log, garnet, random_policy, transitions_of
from treatise.rl.policy_evaluation import log_value


def world(seed, alike=0.5):
    """A Garnet with two states that end an episode, a policy to judge and one that acts."""
    rng = np.random.default_rng(seed)
    free = garnet(12, 2, 3, random_state=rng)
    start = np.r_[np.zeros(2), np.full(10, 0.1)]
    mdp = FiniteMDP(free.transitions, free.rewards[:, 0, 0], start=start, terminal=np.arange(12) < 2)
    target, other = (random_policy(12, 2, random_state=rng) for _ in range(2))
    return mdp, target, alike * target + (1 - alike) * (0.2 + 0.6 * other)


def log_of(mdp, target, behaviour, n_episodes, features, seed):
    run = mdp.sample(behaviour, 60 * n_episodes, random_state=seed)
    steps = transitions_of(run, features, target=target, behaviour=behaviour)
    first = np.flatnonzero(steps.starts)
    stop = first[n_episodes]
    return steps.features[:stop], steps.rewards[:stop], steps.ratios[:stop], steps.starts[:stop]


def small_log():
    mdp, target, behaviour = world(0)
    return log_of(mdp, target, behaviour, 40, np.eye(12)[:, :3], 0)


def episodes_of(log):
    bounds = [*np.flatnonzero(log[3]), len(log[1])]
    return [slice(a, b) for a, b in pairwise(bounds)]


def test_importance_sampling_is_weighted_and_normalised_at_every_step():
    log = small_log()
    found = evaluate_log(*log, discount=0.9, resamples=20, random_state=0)
    parts = episodes_of(log)
    longest = max(part.stop - part.start for part in parts)
    value = 0.0
    for t in range(longest):
        weights, earned = [], []
        for part in parts:
            ratios, rewards = log[2][part], log[1][part]
            weights.append(np.prod(ratios[: t + 1]))  # an episode that has ended keeps its weight, and earns nothing
            earned.append(rewards[t] if t < len(rewards) else 0.0)
        value += 0.9**t * np.dot(weights, earned) / np.sum(weights)
    np.testing.assert_allclose(found.estimates["importance sampling"][0], value, rtol=1e-10)
    observed = np.mean([log[1][part] @ 0.9 ** np.arange(part.stop - part.start) for part in parts])
    np.testing.assert_allclose(found.estimates["as observed"][0], observed, rtol=1e-10)
    np.testing.assert_allclose(found.effective_episodes, effective_size([np.prod(log[2][part]) for part in parts]))


def test_lstd_is_that_of_the_steps_at_the_first_states():
    features, rewards, ratios, starts = small_log()
    after = np.vstack([features[1:], np.zeros((1, 3))])
    ends = np.append(starts[1:], True)
    with_constant, after = np.c_[features, np.ones(len(features))], np.c_[after, np.ones(len(features))]
    model = LSTD(0.9, eps=1e9).fit(with_constant, rewards, after, ratios, starts, ends)
    found = evaluate_log(features, rewards, ratios, starts, discount=0.9, method="LSTD", resamples=20, random_state=0)
    np.testing.assert_allclose(found.value, model.predict(with_constant[starts]).mean(), rtol=1e-4)


def test_with_one_policy_all_estimates_are_near_the_mean_return():
    features, rewards, _, starts = small_log()
    found = evaluate_log(features, rewards, np.ones(len(rewards)), starts, discount=0.9, resamples=50, random_state=0)
    observed = found.estimates["as observed"][0]
    np.testing.assert_allclose([found.value, found.estimates["importance sampling"][0]], observed, rtol=1e-6)
    assert found.effective_episodes == found.n_episodes == 40 and found.method == "doubly robust"


def test_the_doubly_robust_value_is_right_whatever_the_features():
    mdp, target, behaviour = world(3)
    truth = mdp.start @ mdp.value(target)
    for features in (np.eye(12), np.ones((12, 1)), np.random.default_rng(0).normal(size=(12, 2))):
        found = evaluate_log(*log_of(mdp, target, behaviour, 4000, features, 1), resamples=50, random_state=0)
        assert abs(found.estimates["doubly robust"][0] - truth) < 0.15
        assert found.low < found.value < found.high


@pytest.mark.parametrize(("alike", "share"), [(0.8, 0.87), (0.3, 0.8)])
def test_intervals_hold_the_known_values_of_garnets(alike, share):
    held = []
    for seed in range(60):
        mdp, target, behaviour = world(seed, alike)
        truth = mdp.start @ mdp.value(target)
        log = log_of(mdp, target, behaviour, 120, np.eye(12), seed)
        found = evaluate_log(*log, resamples=200, random_state=seed)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= share  # 0.95 asked; three standard deviations of 60 draws, and little for small logs


def test_logs_that_were_cut_off_go_on_by_the_fitted_values():
    rng = np.random.default_rng(0)
    mdp = garnet(6, 2, 3, random_state=0)
    target = np.full((6, 2), 0.5)
    behaviour = 0.2 + 0.6 * random_policy(6, 2, random_state=rng)
    run = mdp.sample(behaviour, 20_000, horizon=10, random_state=0)
    steps = transitions_of(run, np.eye(6), target=target, behaviour=behaviour)
    given = steps.features, steps.rewards, steps.ratios, steps.starts
    truth = mdp.start @ mdp.value(target)
    cut = evaluate_log(*given, cut_off=True, resamples=50, random_state=0)
    ended = evaluate_log(*given, resamples=50, random_state=0)
    assert abs(cut.value - truth) < 0.3 < truth - ended.value


def test_few_effective_episodes_are_told_and_lstd_takes_over():
    mdp, target, behaviour = world(1, 0.0)
    target = np.eye(2)[target.argmax(axis=1)]
    found = evaluate_log(*log_of(mdp, target, behaviour, 40, np.eye(12), 0), resamples=50, random_state=0)
    assert found.method == "LSTD" and found.effective_episodes < 30
    assert any("rest on few" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratios": [-1.0, 1.0, 1.0]}, "ratios hold -1 at step 0"),
        ({"ratios": [np.inf, 1.0, 1.0]}, "ratios hold inf at step 0"),
        ({"ratios": [0.0, 0.0, 0.0]}, "takes none of the actions in the log"),
        ({"ratios": [1.0, 1e200, 1e200], "starts": [True, True, False]}, "products along an episode overflow"),
        ({"discount": 1.0, "cut_off": True}, "discount=1 gives episodes that go on for ever no finite value"),
        ({"starts": [False, True, True]}, "the first step begins no episode"),
        ({"starts": [True, False, False]}, "1 episodes of use"),
        ({"discount": 1.5}, "discount=1.5"),
        ({"level": 95}, "level=95"),
        ({"method": "magic"}, "method='magic'"),
    ],
)
def test_bad_logs_are_refused_with_a_sentence(change, message):
    given = {"features": np.ones((3, 1)), "rewards": np.ones(3), "ratios": np.ones(3), "starts": [True] * 3} | change
    with pytest.raises(ValueError, match=message):
        evaluate_log(**given)


def test_the_effective_size_does_not_depend_on_the_unit_of_the_weights():
    for unit in (1e-200, 1.0, 1e200):
        assert effective_size(unit * np.array([1.0, 2.0, 3.0])) == pytest.approx(36.0 / 14.0, rel=1e-12)
    assert effective_size([0.0, 0.0]) == effective_size([]) == 0.0
    for wrong in ([1.0, -1.0], [1.0, np.nan], [1.0, np.inf]):
        with pytest.raises(ValueError, match="negative or not finite"):
            effective_size(wrong)


def ragged_log(n_steps=900, n_features=4, seed=0):
    """Episodes of very different lengths."""
    rng = np.random.default_rng(seed)
    starts = rng.random(n_steps) < np.where(np.arange(n_steps) < n_steps // 3, 0.02, 0.4)
    starts[0] = True
    features = rng.normal(size=(n_steps, n_features))
    return features, features[:, 0] + rng.normal(size=n_steps), rng.choice([0.5, 1.0, 1.5], n_steps), starts


@pytest.mark.parametrize("cut_off", [False, True])
def test_the_size_of_the_tables_does_not_change_the_values(monkeypatch, cut_off):
    whole = evaluate_log(*ragged_log(), cut_off=cut_off, resamples=50, random_state=0)
    monkeypatch.setattr(log_value, "AT_ONCE", 700)  # parts of some steps, a sample at a time
    parts = evaluate_log(*ragged_log(), cut_off=cut_off, resamples=50, random_state=0)
    for name, estimate in whole.estimates.items():
        np.testing.assert_allclose(parts.estimates[name], estimate, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cut_off", [False, True])
def test_estimates_are_those_of_loops_over_episodes(cut_off):
    features, rewards, ratios, starts = ragged_log(200)
    discount, phi = 0.8, np.column_stack([features, np.ones(200)])
    bounds = np.append(np.flatnonzero(starts), 200)
    matrix, vector, firsts, weighted, observed = np.zeros((5, 5)), np.zeros(5), [], [], []
    for first, last in pairwise(bounds):
        if cut_off and last - first < 2:
            continue
        weight, weights, earned = 1.0, [], 0.0
        for t in range(first, last - cut_off):
            after = phi[t + 1] if cut_off or t + 1 < last else np.zeros(5)
            matrix += ratios[t] * np.outer(phi[t], phi[t] - discount * after)
            vector += ratios[t] * phi[t] * rewards[t]
            weight *= ratios[t]
            weights.append((weight, rewards[t]))
            earned += discount ** (t - first) * rewards[t]
        firsts.append(phi[first])
        weighted.append(weights)
        observed.append(earned)
    sampled = 0.0
    for t in range(max(map(len, weighted))):
        total = sum(weights[min(t, len(weights) - 1)][0] for weights in weighted)
        sampled += discount**t * sum(weights[t][0] * weights[t][1] for weights in weighted if t < len(weights)) / total
    found = evaluate_log(features, rewards, ratios, starts, discount=discount, cut_off=cut_off, random_state=0)
    assert found.estimates["as observed"][0] == pytest.approx(np.mean(observed), abs=1e-12)
    assert found.estimates["importance sampling"][0] == pytest.approx(sampled, abs=1e-12)
    # LSTD has a ridge of a millionth.
    assert found.estimates["LSTD"][0] == pytest.approx(
        np.mean(firsts, axis=0) @ np.linalg.solve(matrix, vector), rel=1e-3
    )


def test_memory_stays_bounded_with_many_features_and_one_long_episode():
    # A matrix for each episode would take 480 MB, a table of episodes by steps 200 MB.
    features, rewards, _, _ = ragged_log(15_000, 90)
    starts = np.arange(15_000) % 2 == 0
    starts[1:5_000] = False
    tracemalloc.start()
    found = evaluate_log(features, rewards, np.ones(15_000), starts, resamples=2, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_episodes == 5_001 and peak < 250e6


def test_no_resamples_are_refused():
    with pytest.raises(ValueError, match="resamples=0"):
        evaluate_log(*ragged_log(), resamples=0)
