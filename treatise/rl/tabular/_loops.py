"""Watkins' Q(lambda) in compiled loops: one step of learning, and episodes in a finite process."""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.rl.processes._sampling_loops import cumulative_draw

FAINTEST = 1e-8
"""A trace below this share is forgotten."""


@compiled_step
def greedy(values):
    """The first of the best actions."""
    best = 0
    for action in range(1, len(values)):
        if values[action] > values[best]:
            best = action
    return best


@compiled_step
def forget(states, actions, places, live):
    """Clear all traces."""
    for t in range(live):
        places[states[t], actions[t]] = -1
    return 0


@compiled_step
def learn(Q, state, action, delta, alpha, decay, states, actions, eligible, places, live):
    """One step of learning: the pair just left has a trace of one (replacing), all pairs with a trace move.

    ``states``, ``actions`` and ``eligible`` list the live traces, ``places`` tells where each pair stands in the list.
    Returns how many are live afterwards.
    """
    place = places[state, action]
    if place < 0:
        if live == len(states):  # the list is full: the oldest pair, the faintest but for pairs met again, is dropped
            oldest = 0
            for t in range(1, live):
                if eligible[t] < eligible[oldest]:
                    oldest = t
            places[states[oldest], actions[oldest]] = -1
            place = oldest
        else:
            place, live = live, live + 1
        states[place], actions[place], places[state, action] = state, action, place
    eligible[place] = 1.0
    t = 0
    while t < live:
        Q[states[t], actions[t]] += alpha * delta * eligible[t]
        eligible[t] *= decay
        if eligible[t] < FAINTEST:
            places[states[t], actions[t]] = -1
            live -= 1
            if t < live:
                states[t], actions[t], eligible[t] = states[live], actions[live], eligible[live]
                places[states[t], actions[t]] = t
                # The pair that was moved here has not had its turn yet.
                continue
        t += 1
    return live


@compiled
def finite_episodes(
    rng, start, transitions, rewards, terminal, gamma, decay, alpha, epsilon, episodes, steps, Q, states, actions,
    eligible, places,
):  # fmt: skip
    """Episodes of Watkins' Q(lambda) in a finite process; all probabilities cumulative. Returns the mean reward."""
    n_actions = Q.shape[1]
    earned, count = 0.0, 0
    for _ in range(episodes):
        state, live = cumulative_draw(rng, start), 0
        for _ in range(steps):
            best = greedy(Q[state])
            action = int(rng.random() * n_actions) if rng.random() < epsilon else best
            if Q[state, action] < Q[state, best]:
                live = forget(states, actions, places, live)
            after = cumulative_draw(rng, transitions[action, state])
            reward = rewards[state, action, after]
            ahead = 0.0 if terminal[after] else Q[after, greedy(Q[after])]
            delta = reward + gamma * ahead - Q[state, action]
            live = learn(Q, state, action, delta, alpha, decay, states, actions, eligible, places, live)
            earned, count = earned + reward, count + 1
            if terminal[after]:
                break
            state = after
        live = forget(states, actions, places, live)
    return earned / max(count, 1)


def empty_traces(n_states, n_actions, most=512):
    """The lists that the loops keep traces in."""
    most = min(most, n_states * n_actions)
    return (
        np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64), np.zeros(most),
        np.full((n_states, n_actions), -1, dtype=np.int64),
    )  # fmt: skip
