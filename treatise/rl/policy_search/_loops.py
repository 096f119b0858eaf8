"""Compiled loops of policy search: features, actions, likelihoods of actions, episodes and simulated returns."""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_fused, compiled_step, inlined
from treatise.rl.environments._control_loops import control_step

IDENTITY, COSINE, SINE, SECANT, ABOVE, OPPOSITE = range(6)
SOFTMAX, GAUSSIAN = range(2)
STEPS_A_LOGARITHM = 128
"""Factors from 1 to 200 that may be multiplied before a number overflows."""


@compiled_step
def terms_of(terms, z, signals, out):
    """Signals of the numbers ``z``, then their products."""
    codes, places, scales, shifts, starts, factors = terms
    for i in range(len(codes)):
        x = scales[i] * z[places[i]] + shifts[i]
        if codes[i] == COSINE:
            x = math.cos(x)
        elif codes[i] == SINE:
            x = math.sin(x)
        elif codes[i] == SECANT:
            x = 1.0 / math.cos(x)
        elif codes[i] == ABOVE:
            x = 1.0 if x > 0.0 else 0.0
        elif codes[i] == OPPOSITE:
            x = math.copysign(math.pi, x) - x
        signals[i] = x
    for k in range(len(out)):
        product = 1.0
        for f in range(starts[k], starts[k + 1]):
            product *= signals[factors[f]]
        out[k] = product


@compiled
def terms_of_rows(terms, Z, out):
    """Terms of each row."""
    signals = np.empty(len(terms[0]))
    for i in range(len(Z)):
        terms_of(terms, Z[i], signals, out[i])


@compiled_step
def choose(kind, weights, deviation, features, draw, scores, action):
    """An action by a draw: uniform numbers for a softmax, normal ones for a Gaussian.

    A softmax of several heads counts its action as digits, the first head's first, and writes the number; a Gaussian
    writes a vector. ``weights`` has the shape (heads, choices, features), one choice for a Gaussian.
    """
    number = 0
    for head in range(weights.shape[0]):
        highest = -np.inf
        for c in range(weights.shape[1]):
            score = 0.0
            for k in range(len(features)):
                score += weights[head, c, k] * features[k]
            scores[c] = score
            highest = max(highest, score)
        if kind == GAUSSIAN:
            action[head] = scores[0] + deviation * draw[head]
            continue
        total = 0.0
        for c in range(weights.shape[1]):
            scores[c] = math.exp(scores[c] - highest)
            total += scores[c]
        level, chosen = draw[head] * total, 0
        while chosen < weights.shape[1] - 1 and level >= scores[chosen]:
            level -= scores[chosen]
            chosen += 1
        number = number * weights.shape[1] + chosen
    if kind == SOFTMAX:
        action[0] = number
    return number


@compiled
def one_choice(kind, weights, deviation, features, draw, action):
    """The same, called from Python."""
    return choose(kind, weights, deviation, features, draw, np.empty(weights.shape[1]), action)


@compiled
def control_episode(
    code, constants, numbers, kind, terms, weights, deviation, draws, chances, states, actions, rewards
):
    """An episode in a compiled world from ``states[0]`` on; returns its length and whether it ended for good."""
    signals, features = np.empty(len(terms[0])), np.empty(weights.shape[2])
    scores, work = np.empty(weights.shape[1]), np.empty((4, 4))
    for t in range(len(actions)):
        terms_of(terms, states[t], signals, features)
        number = choose(kind, weights, deviation, features, draws[t], scores, actions[t])
        told = numbers[number] if kind == SOFTMAX else actions[t]
        rewards[t], done = control_step(code, constants, t, states[t], told, chances[t], work, states[t + 1])
        if done:
            return t + 1, True
    return len(actions), False


@inlined
def exponential(x):
    """exp(x) of a number that is not positive, to ten digits; zero, but for 1e-17, below -40.

    Written out because the processor can run it for several numbers at once, which it cannot do with the exp of the C
    library: the exponential of a 64th, by a polynomial that is best around the middle of its range, squared six times.
    """
    z = max(x, -40.0) * 0.015625 + 0.3125
    p = 1.8194532675162018e-05 * z + 0.00014560542396808426
    p = p * z + 0.0010161286014806223
    p = p * z + 0.006096764403978218
    p = p * z + 0.03048398468660192
    p = p * z + 0.12193593903971003
    p = p * z + 0.36580781447152444
    p = p * z + 0.73161562894018
    p = p * z + 0.7316156289466453
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    p = p * p
    return p * p


@inlined
def multiply_two_choices(scores, likelihood, product):
    """Multiplies ``1 + exp(s)`` into the products: ``exp(max(s, 0)) (1 + exp(-|s|))``, one exponential a number."""
    for j in range(len(product)):
        likelihood[j] -= max(scores[0, j], 0.0)
        product[j] *= 1.0 + exponential(-abs(scores[0, j]))


@inlined
def multiply_many_choices(scores, likelihood, product):
    """Multiplies ``1 + sum_c exp(s_c)`` into the products, the largest score or zero taken out of all terms."""
    others, n = scores.shape
    others -= 1
    for j in range(n):
        scores[others, j] = 0.0
    for c in range(others):
        for j in range(n):
            scores[others, j] = max(scores[others, j], scores[c, j])
    for c in range(others):
        for j in range(n):
            scores[c, j] = exponential(scores[c, j] - scores[others, j])
    for j in range(n):
        likelihood[j] -= scores[others, j]
        scores[others, j] = exponential(-scores[others, j])
    for c in range(others):
        for j in range(n):
            scores[others, j] += scores[c, j]
    for j in range(n):
        product[j] *= scores[others, j]


@inlined
def score_gaps(gaps, a, c, features, t, out):
    """Row c of ``out``: weighted sums of the features of step t, four at a time, so that sums are stored less often."""
    n_features, n = gaps.shape[2], gaps.shape[3]
    for j in range(n):
        out[c, j] = 0.0
    last = n_features - n_features % 4
    for k in range(0, last, 4):
        f0, f1, f2, f3 = features[t, k], features[t, k + 1], features[t, k + 2], features[t, k + 3]
        for j in range(n):
            total = f0 * gaps[a, c, k, j] + f1 * gaps[a, c, k + 1, j]
            out[c, j] += total + (f2 * gaps[a, c, k + 2, j] + f3 * gaps[a, c, k + 3, j])
    for k in range(last, n_features):
        for j in range(n):
            out[c, j] += features[t, k] * gaps[a, c, k, j]


@compiled_fused
def softmax_log_likelihoods(gaps, features, choices, bounds, out):
    """Adds to ``out[e, j]`` the log probability of the choices of episode e under the weights j.

    ``gaps[a, c]`` holds, for each feature and each weight vector, the weights of the c-th other choice less those of
    choice a: the probability of a is one over ``1 + sum_c exp(gap . features)``. Logarithms are taken of products of
    many steps at once.
    """
    others, n = gaps.shape[1], gaps.shape[3]
    # Scores of the other choices; the last row is for the largest one or zero.
    scores, product = np.empty((others + 1, n)), np.empty(n)
    for episode in range(len(bounds) - 1):
        likelihood = out[episode]
        product[:] = 1.0
        for t in range(bounds[episode], bounds[episode + 1]):
            a = choices[t]
            for c in range(others):
                score_gaps(gaps, a, c, features, t, scores)
            if others == 1:
                multiply_two_choices(scores, likelihood, product)
            else:
                multiply_many_choices(scores, likelihood, product)
            if (t - bounds[episode]) % STEPS_A_LOGARITHM == STEPS_A_LOGARITHM - 1:
                for j in range(n):
                    likelihood[j] -= math.log(product[j])
                    product[j] = 1.0
        for j in range(n):
            likelihood[j] -= math.log(product[j])


@compiled
def gaussian_log_likelihoods(weights, features, actions, bounds, out):
    """Adds to ``out[e, j]`` minus half of the squared distances of the actions of episode e from those of weights j.

    ``weights`` has the shape (features, weight vectors), the deviation is one: the constant of the density, which
    falls out of every ratio, is left out.
    """
    n_features, n = weights.shape
    score = np.empty(n)
    for episode in range(len(bounds) - 1):
        likelihood = out[episode]
        for t in range(bounds[episode], bounds[episode + 1]):
            score[:] = actions[t]
            for k in range(n_features):
                value, row = features[t, k], weights[k]
                for j in range(n):
                    score[j] -= value * row[j]
            for j in range(n):
                likelihood[j] -= 0.5 * score[j] * score[j]


@compiled
def simulated_returns(
    kind, terms, weights, deviation, numbers, transition_terms, A, reward_terms, b, end_terms, end_weights, end_limits,
    low, high, starts, draws, returns, clipped,
):  # fmt: skip
    """Mean return of each policy over roll-outs of a linear model, all with the same draws.

    ``weights`` has the shape (policies, heads, choices, features). ``clipped`` counts the roll-outs in which a state
    left the range from ``low`` to ``high`` and was put back.
    """
    n_rollouts, n_steps = draws.shape[:2]
    size, width = len(low), numbers.shape[1] if kind == SOFTMAX else weights.shape[1]
    signals = np.empty(max(len(terms[0]), len(transition_terms[0]), len(reward_terms[0]), len(end_terms[0])))
    features, scores = np.empty(weights.shape[3]), np.empty(weights.shape[2])
    phi, psi, chi = np.empty(len(A)), np.empty(len(b)), np.empty(end_weights.shape[1])
    # State, action and next state side by side.
    step, action = np.empty(2 * size + width), np.empty(max(width, 1))
    for j in range(len(weights)):
        total = 0.0
        for e in range(n_rollouts):
            step[:size] = starts[e]
            left = False
            for t in range(n_steps):
                terms_of(terms, step, signals, features)
                number = choose(kind, weights[j], deviation, features, draws[e, t], scores, action)
                for i in range(width):
                    step[size + i] = numbers[number, i] if kind == SOFTMAX else action[i]
                terms_of(transition_terms, step, signals, phi)
                for i in range(size):
                    ahead = 0.0
                    for k in range(len(phi)):
                        ahead += A[k, i] * phi[k]
                    if not low[i] <= ahead <= high[i]:
                        left = True
                        ahead = low[i] if ahead < low[i] else high[i]
                    step[size + width + i] = ahead
                terms_of(reward_terms, step, signals, psi)
                for k in range(len(psi)):
                    total += b[k] * psi[k]
                step[:size] = step[size + width :]
                over = False
                if len(end_limits):
                    terms_of(end_terms, step, signals, chi)
                    for r in range(len(end_limits)):
                        level = 0.0
                        for k in range(len(chi)):
                            level += end_weights[r, k] * chi[k]
                        over = over or level > end_limits[r]
                if over:
                    break
            clipped[j] += left
        returns[j] = total / n_rollouts
