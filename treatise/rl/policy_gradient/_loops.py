"""One long run of a finite process and all sums that gradient estimates with any baseline are made of."""

import math

from treatise._core.jit import compiled
from treatise.rl.processes._sampling_loops import cumulative_draw


@compiled
def gpomdp_run(
    rng, state, seen, moves, sights, acts, rewards, log_gradients, lengths, beta, steps, trace, weights, sums, columns,
    weighted, totals,
):  # fmt: skip
    """GPOMDP (section 2) over ``steps`` steps, all probabilities cumulative; returns state, observation and reward.

    ``trace`` is z, ``weights`` the same with |g|^2 for each observation. ``sums`` gets r z; column y of ``columns``
    what a baseline of one at observation y would take from it (telescoped: b(y) - beta b(y') for each step).
    ``weighted`` gets |g|^2 times the returns that follow, and ``totals`` |g|^2, for each observation.
    """
    K = len(trace)
    earned = 0.0
    for _ in range(steps):
        action = cumulative_draw(rng, acts[seen])
        after = cumulative_draw(rng, moves[action, state])
        later = cumulative_draw(rng, sights[after])
        reward = rewards[state, action, after]
        for k in range(K):
            trace[k] = beta * trace[k] + log_gradients[seen, action, k]
            sums[k] += reward * trace[k]
            columns[k, seen] += trace[k]
            columns[k, later] -= beta * trace[k]
        for y in range(len(weights)):
            weights[y] *= beta
        weights[seen] += lengths[seen, action]
        totals[seen] += lengths[seen, action]
        for y in range(len(weights)):
            weighted[y] += reward * weights[y]
        earned += reward
        state, seen = after, later
    return state, seen, earned


@compiled
def online_baseline_run(
    rng, state, seen, moves, sights, acts, rewards, log_gradients, lengths, beta, steps, begun, step, schedule, trace,
    weights, baseline, sums,
):  # fmt: skip
    """GPOMDP whose baseline is learned on the way (Algorithm 2), one number for each observation.

    Steps are ``step / ln(1 + t)`` with the schedule 0, else ``step c / (c + t)`` with c the schedule.
    """
    K = len(trace)
    earned = 0.0
    for number in range(steps):
        action = cumulative_draw(rng, acts[seen])
        after = cumulative_draw(rng, moves[action, state])
        later = cumulative_draw(rng, sights[after])
        reward = rewards[state, action, after]
        surprise = baseline[seen] - beta * baseline[later] - reward
        for k in range(K):
            trace[k] = beta * trace[k] + log_gradients[seen, action, k]
            sums[k] -= surprise * trace[k]
        for y in range(len(weights)):
            weights[y] *= beta
        weights[seen] += lengths[seen, action]
        t = begun + number + 2.0
        rate = step / math.log(1.0 + t) if schedule == 0.0 else step * schedule / (schedule + t)
        for y in range(len(weights)):
            baseline[y] -= rate * surprise * weights[y]
        earned += reward
        state, seen = after, later
    return state, seen, earned
