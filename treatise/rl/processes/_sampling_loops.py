"""Compiled walks through finite decision processes."""

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def cumulative_draw(rng, cumulative):
    """A place, drawn from cumulative probabilities whose last is at least one; halves the range at each look."""
    level = rng.random()
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if level < cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def walk(rng, start, policy, transitions, rewards, terminal, horizon, states, actions, earned, following, starts, ends):
    """One run in which actions depend on the state; ``policy``, ``transitions`` and ``start`` are cumulative.

    A new episode begins after a terminal state, and after ``horizon`` steps where that is positive.
    """
    state, age = cumulative_draw(rng, start), 0
    for t in range(len(states)):
        starts[t] = age == 0
        action = cumulative_draw(rng, policy[state])
        after = cumulative_draw(rng, transitions[action, state])
        states[t], actions[t], following[t] = state, action, after
        earned[t] = rewards[state, action, after]
        ends[t] = terminal[after]
        age += 1
        if terminal[after] or age == horizon:
            state, age = cumulative_draw(rng, start), 0
        else:
            state = after


@compiled
def observed_walk(
    rng, start, policy, transitions, sight, first_sight, rewards, horizon,
    states, actions, earned, following, starts, seen, seen_after,
):  # fmt: skip
    """One run in which actions depend on what is seen; all probabilities are cumulative."""
    state, age = cumulative_draw(rng, start), 0
    observation = cumulative_draw(rng, first_sight[state])
    for t in range(len(states)):
        starts[t] = age == 0
        action = cumulative_draw(rng, policy[observation])
        after = cumulative_draw(rng, transitions[action, state])
        next_observation = cumulative_draw(rng, sight[action, after])
        states[t], actions[t], following[t] = state, action, after
        seen[t], seen_after[t] = observation, next_observation
        earned[t] = rewards[state, action, after]
        age += 1
        if age == horizon:
            state, age = cumulative_draw(rng, start), 0
            observation = cumulative_draw(rng, first_sight[state])
        else:
            state, observation = after, next_observation


@compiled
def controlled_walk(rng, start, node_actions, successors, first_node, transitions, sight, actions, seen):
    """Runs of a finite-state controller, one a row; all probabilities are cumulative."""
    for run in range(len(actions)):
        state, node = cumulative_draw(rng, start), first_node
        for t in range(actions.shape[1]):
            action = node_actions[node]
            state = cumulative_draw(rng, transitions[action, state])
            observation = cumulative_draw(rng, sight[action, state])
            actions[run, t], seen[run, t] = action, observation
            node = successors[node, observation]


def cumulative(rows):
    """Running sums of probabilities; from the last positive one on they are one, so that no draw falls beyond it."""
    sums = np.cumsum(rows, axis=-1)
    after_last = np.cumsum(rows[..., ::-1], axis=-1)[..., ::-1] - rows <= 0.0
    return np.ascontiguousarray(np.where(after_last, 1.0, sums))
