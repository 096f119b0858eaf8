"""Free energies of a Boltzmann machine, actions drawn by Gibbs sweeps, and learning, in compiled loops."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def softplus(x):
    """log(1 + exp(x)), safe for any x."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@compiled_step
def sigmoid(x):
    """1 / (1 + exp(-x)), safe for any x."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@compiled
def hidden_inputs(visible, W, x):
    """Input of every hidden unit, from the visible units that are on."""
    x[:] = 0.0
    for i in range(len(visible)):
        if visible[i]:
            for k in range(len(x)):
                x[k] += W[i, k]


@compiled
def negative_free_energy(visible, W, c, x):
    """c' v + sum of softplus (equation 4 of the paper, with the linear term), and the inputs of hidden units in x."""
    hidden_inputs(visible, W, x)
    total = 0.0
    for i in range(len(visible)):
        if visible[i]:
            total += c[i]
    for k in range(len(x)):
        total += softplus(x[k])
    return total


@compiled
def gibbs_sweeps(rng, visible, W, c, starts, members, free, temperature, sweeps, x, energies):
    """Sweeps over the groups of action bits, each redrawn by exp(-F / temperature) with all others fixed (section 4).

    ``starts`` and ``members`` list the visible units of each group: a group of one unit is a bit, of several one of
    them is on. ``x`` holds the inputs of hidden units, before and after; ``energies`` is room for the largest group and
    one more.
    """
    if widest_sum(W) < 300.0:
        sweeps_by_products(rng, visible, W, c, starts, members, free, temperature, sweeps, x, energies)
        hidden_inputs(visible, W, x)
    else:
        sweeps_by_sums(rng, visible, W, c, starts, members, free, temperature, sweeps, x, energies)


@compiled_step
def widest_sum(W):
    """The largest sum of the absolute weights of a hidden or a visible unit."""
    widest, columns = 0.0, np.zeros(W.shape[1])
    for i in range(len(W)):
        row = 0.0
        for k in range(W.shape[1]):
            row += abs(W[i, k])
            columns[k] += abs(W[i, k])
        widest = max(widest, row)
    for k in range(len(columns)):
        widest = max(widest, columns[k])
    return widest


@compiled_step
def drawn_setting(rng, energies, settings):
    """A setting of a group, by exp(energies)."""
    largest, total = -np.inf, 0.0
    for s in range(settings):
        largest = max(largest, energies[s])
    for s in range(settings):
        energies[s] = math.exp(energies[s] - largest)
        total += energies[s]
    level, chosen = rng.random() * total, 0
    while chosen < settings - 1 and level >= energies[chosen]:
        level -= energies[chosen]
        chosen += 1
    return chosen


@compiled_step
def sweeps_by_products(rng, visible, W, c, starts, members, free, temperature, sweeps, x, energies):
    """Sweeps without an exponential of a hidden unit: a unit multiplies exp(-F) by the product of p exp(W) + 1 - p.

    Hidden units are on with the probabilities p = sigmoid(x), off with q = 1 - p; with another visible unit they become
    p exp(W) and q, divided by their sum. Weights must be small enough for neither to vanish.
    """
    K = len(x)
    on, off = np.empty(K), np.empty(K)
    grown, shrunk = np.empty((len(members), K)), np.empty((len(members), K))
    for k in range(K):
        on[k], off[k] = sigmoid(x[k]), sigmoid(-x[k])
    for m in range(len(members)):
        for k in range(K):
            grown[m, k] = math.exp(W[members[m], k])
            shrunk[m, k] = 1.0 / grown[m, k]
    for _ in range(sweeps):
        for g in range(len(starts) - 1):
            if not free[g]:
                continue
            first, last = starts[g], starts[g + 1]
            for m in range(first, last):  # what the group adds is taken away first
                if visible[members[m]]:
                    visible[members[m]] = False
                    turn(on, off, shrunk[m])
            single = last - first == 1
            settings = 2 if single else last - first
            for s in range(settings):
                if single and s == 0:
                    energies[s] = 0.0
                else:
                    m = first if single else first + s
                    energies[s] = (c[members[m]] + math.log(factor_of(on, off, grown[m]))) / temperature
            chosen = drawn_setting(rng, energies, settings)
            if not (single and chosen == 0):
                m = first if single else first + chosen
                visible[members[m]] = True
                turn(on, off, grown[m])


@compiled_step
def factor_of(on, off, grown):
    """What another visible unit multiplies exp(-F) by."""
    product = 1.0
    for k in range(len(on)):
        product *= off[k] + on[k] * grown[k]
    return product


@compiled_step
def turn(on, off, grown):
    """Probabilities of hidden units with another visible unit."""
    for k in range(len(on)):
        more = on[k] * grown[k]
        total = off[k] + more
        on[k], off[k] = more / total, off[k] / total


@compiled_step
def sweeps_by_sums(rng, visible, W, c, starts, members, free, temperature, sweeps, x, energies):
    """Sweeps for weights of any size, by the free energies themselves; ``x`` is kept up to date."""
    K = len(x)
    for _ in range(sweeps):
        for g in range(len(starts) - 1):
            if not free[g]:
                continue
            first, last = starts[g], starts[g + 1]
            for m in range(first, last):  # what the group adds is taken away first
                unit = members[m]
                if visible[unit]:
                    visible[unit] = False
                    for k in range(K):
                        x[k] -= W[unit, k]
            single = last - first == 1
            settings = 2 if single else last - first
            for s in range(settings):
                energy = 0.0
                if single and s == 0:
                    for k in range(K):
                        energy += softplus(x[k])
                else:
                    unit = members[first + (0 if single else s)]
                    energy = c[unit]
                    for k in range(K):
                        energy += softplus(x[k] + W[unit, k])
                energies[s] = energy / temperature
            chosen = drawn_setting(rng, energies, settings)
            if not (single and chosen == 0):
                unit = members[first + (0 if single else chosen)]
                visible[unit] = True
                for k in range(K):
                    x[k] += W[unit, k]


@compiled
def move_weights(visible, W, c, x, rate, linear):
    """One step of SARSA: weights of units that are on move by the rate times the activity of hidden units."""
    for i in range(len(visible)):
        if visible[i]:
            if linear:
                c[i] += rate
            for k in range(len(x)):
                W[i, k] += rate * sigmoid(x[k])


@compiled
def key_task_run(
    rng, keys, actions, W, c, starts, members, free, n_state, bias, linear, rates, temperatures, sweeps, rewards
):  # fmt: skip
    """The large-action task: random states, no discount; fills the reward of every action.

    The reward is the number of bits that agree with the key action of the nearest key state.
    """
    n_visible, K = W.shape
    visible, x = np.zeros(n_visible, dtype=np.bool_), np.zeros(K)
    energies = np.zeros(len(members) + 1)
    n_action = actions.shape[1]
    for t in range(len(rewards)):
        for i in range(n_state):
            visible[i] = rng.random() < 0.5
        for j in range(n_action):
            visible[n_state + j] = rng.random() < 0.5
        if bias:
            visible[n_visible - 1] = True
        hidden_inputs(visible, W, x)
        gibbs_sweeps(rng, visible, W, c, starts, members, free, temperatures[t], sweeps, x, energies)
        nearest, least = 0, n_state + 1
        for q in range(len(keys)):
            apart = 0
            for i in range(n_state):
                apart += visible[i] != keys[q, i]
            if apart < least:
                nearest, least = q, apart
        reward = 0.0
        for j in range(n_action):
            reward += 1.0 if visible[n_state + j] == actions[nearest, j] else 0.0
        rewards[t] = reward
        value = negative_free_energy(visible, W, c, x)
        move_weights(visible, W, c, x, rates[t] * (reward - value), linear)
