"""Patients under control, in compiled loops: episodes to learn from, and hours to judge by."""

import numpy as np

from treatise._core.jit import compiled, compiled_step, inlined
from treatise.rl.anaesthesia.percepts import percept
from treatise.rl.tabular._loops import forget, greedy, learn

SMOOTHING = 0.3
LAG = 3
"""Samples between which the change of the error is taken: 15 seconds."""
MG_PER_ML = 10.0
AWAKE = 0.25
"""Share of the episodes to learn from that begin without the drug."""


@compiled_step
def flow(matrix, added, infusion, state, spare):
    """One step of the body."""
    for i in range(4):
        total = added[i] * MG_PER_ML * infusion
        for j in range(4):
            total += matrix[i, j] * state[j]
        spare[i] = total
    for i in range(4):
        state[i] = spare[i]


@compiled_step
def index_of(concentration, effect):
    """The bispectral index."""
    power = max(concentration, 0.0) ** effect[3]
    return effect[0] - effect[1] * power / (effect[2] ** effect[3] + power)


@compiled
def drawn_patient(rng, n_kinds, effect, volumes, targets, body, errors):
    """A body without the drug or in any state, and a target; returns the kind of body, the target and the index."""
    kind = int(rng.random() * n_kinds)
    target = targets[0] + (targets[1] - targets[0]) * rng.random()
    body[:] = 0.0
    if rng.random() >= AWAKE:
        body[0], body[1] = 6.0 * rng.random() * volumes[0], 6.0 * rng.random() * volumes[1]
        body[2], body[3] = 2.0 * rng.random() * volumes[2], 6.0 * rng.random()
    smoothed = index_of(body[3], effect)
    errors[:] = smoothed - target
    return kind, target, smoothed


@inlined
def five_seconds(rng, matrix, added, effect, infusion, target, smoothed, noise, body, spare, errors):
    """An infusion, and the error of the smoothed index after it, which is returned."""
    flow(matrix, added, infusion, body, spare)
    measured = index_of(body[3], effect) + noise * rng.standard_normal()
    smoothed += SMOOTHING * (min(max(measured, 0.0), 100.0) - smoothed)
    for k in range(LAG):
        errors[k] = errors[k + 1]
    errors[LAG] = smoothed - target
    return smoothed


@compiled
def learning_episodes(
    rng, matrices, added, effect, volumes, infusions, targets, noise, gamma, decay, alpha, epsilon, episodes, steps, Q,
    states, actions, eligible, places,
):  # fmt: skip
    """Watkins' Q(lambda) on a patient whose state and target are drawn anew for every episode; the mean reward.

    ``matrices`` and ``added`` hold the body at several speeds of the effect site, of which each episode draws one. The
    reward is the size of the error that an action led to, with a minus.
    """
    body, spare, errors = np.zeros(4), np.zeros(4), np.zeros(LAG + 1)
    n_actions = Q.shape[1]
    earned = 0.0
    for _ in range(episodes):
        kind, target, smoothed = drawn_patient(rng, len(matrices), effect, volumes, targets, body, errors)
        state, live = percept(errors[0], 0.0), 0
        for _ in range(steps):
            best = greedy(Q[state])
            action = int(rng.random() * n_actions) if rng.random() < epsilon else best
            if Q[state, action] < Q[state, best]:
                live = forget(states, actions, places, live)
            smoothed = five_seconds(
                rng, matrices[kind], added[kind], effect, infusions[action], target, smoothed, noise, body, spare,
                errors,
            )  # fmt: skip
            after = percept(errors[LAG], errors[LAG] - errors[0])
            reward = -abs(errors[LAG])
            delta = reward + gamma * Q[after, greedy(Q[after])] - Q[state, action]
            live = learn(Q, state, action, delta, alpha, decay, states, actions, eligible, places, live)
            earned += reward
            state = after
        live = forget(states, actions, places, live)
    return earned / (episodes * steps)


@compiled
def controlled_hours(
    rng, matrix, added, effect, infusions, policy, gains, targets, noise, static, event_rate, event_height, event_steps,
    smoothed_out, given,
):  # fmt: skip
    """A patient over ``len(targets)`` steps under a table of actions, or a PID controller where the table is empty.

    What is measured is the index of the model, a shift of this patient, transient events (upwards four times of five)
    and noise. Fills the smoothed index and the infusion of every step.
    """
    body, spare, errors = np.zeros(4), np.zeros(4), np.zeros(LAG + 1)
    smoothed = index_of(0.0, effect) + static
    errors[:] = smoothed - targets[0]
    total, event_left, event = 0.0, 0, 0.0
    for t in range(len(targets)):
        error = smoothed - targets[t]
        if t > 0 and targets[t] != targets[t - 1]:
            for k in range(LAG + 1):
                errors[k] += targets[t - 1] - targets[t]
        if len(policy):
            infusion = infusions[policy[percept(error, error - errors[0])]]
        else:
            total = min(max(total + gains[1] * error, 0.0), infusions[-1])
            infusion = min(max(gains[0] * error + total + gains[2] * (error - errors[0]), 0.0), infusions[-1])
        flow(matrix, added, infusion, body, spare)
        if event_left == 0 and rng.random() < event_rate:
            event_left = event_steps[0] + int(rng.random() * (event_steps[1] - event_steps[0] + 1))
            event = event_height * rng.random() * (1.0 if rng.random() < 0.8 else -1.0)
        shift = 0.0
        if event_left > 0:
            shift, event_left = event, event_left - 1
        measured = index_of(body[3], effect) + static + shift + noise * rng.standard_normal()
        smoothed += SMOOTHING * (min(max(measured, 0.0), 100.0) - smoothed)
        for k in range(LAG):
            errors[k] = errors[k + 1]
        errors[LAG] = smoothed - targets[t]
        smoothed_out[t], given[t] = smoothed, infusion
