"""Random numbers that NumPy's generators lack, as steps of compiled samplers."""

import math

import numpy as np

from treatise._core.jit import compiled_step


@compiled_step
def inverse_gaussian(rng, mean, shape):
    """One draw by the transformation with two roots, in the form that loses no digits where mean / shape is large."""
    square = rng.standard_normal() ** 2
    a = 0.5 * mean * square / shape
    root = mean / (1.0 + a + math.sqrt(a * (a + 2.0)))
    return root if rng.random() * (mean + root) <= mean else mean * (mean / root)


@compiled_step
def beta_draw(rng, a, b):
    """One draw of Beta(a, b)."""
    x, y = rng.standard_gamma(a), rng.standard_gamma(b)
    return x / (x + y) if x + y > 0.0 else a / (a + b)


@compiled_step
def normal_tail(rng, low):
    """One draw of a standard normal that is above ``low``, however far out (Robert, 1995).

    Below 0.5 plain draws are tried until one is above; beyond, draws from an exponential that begins at ``low`` are
    accepted three times of four or more.
    """
    if low < 0.5:
        while True:
            draw = rng.standard_normal()
            if draw > low:
                return draw
    rate = 0.5 * (low + math.sqrt(low * low + 4.0))
    while True:
        draw = low - math.log1p(-rng.random()) / rate
        if rng.random() <= math.exp(-0.5 * (draw - rate) ** 2):
            return draw


@compiled_step
def normal_between(rng, low, high):
    """One draw of a standard normal between two bounds, either of which may be infinite."""
    if low > 0.0 or high < 0.0:
        sign = 1.0 if low > 0.0 else -1.0
        near, far = (low, high) if low > 0.0 else (-high, -low)
        if far - near < 1.0 / (near + 1.0):
            # So narrow that the density is nearly flat: uniform draws, accepted by their height.
            while True:
                draw = near + (far - near) * rng.random()
                if rng.random() <= math.exp(0.5 * (near - draw) * (near + draw)):
                    return sign * draw
        while True:
            draw = normal_tail(rng, near)
            if draw < far:
                return sign * draw
    if high - low < 2.0:
        while True:
            draw = low + (high - low) * rng.random()
            if rng.random() <= math.exp(-0.5 * draw * draw):
                return draw
    while True:
        draw = rng.standard_normal()
        if low < draw < high:
            return draw


@compiled_step
def categorical_draw(rng, weights):
    """A place, with a probability in proportion to its weight; the weights are not negative, one is positive."""
    left = rng.random() * np.sum(weights)
    last = 0
    for place in range(len(weights)):
        if weights[place] > 0.0:
            last = place
            left -= weights[place]
            if left < 0.0:
                return place
    return last


@compiled_step
def log_categorical_draw(rng, logs):
    """A place, with a probability in proportion to the exponential of its number; overwrites the numbers."""
    logs -= np.max(logs)
    for place in range(len(logs)):
        logs[place] = math.exp(logs[place])
    return categorical_draw(rng, logs)


@compiled_step
def dirichlet_draw(rng, weights, out):
    """A draw of Dirichlet(weights) into ``out``."""
    total = 0.0
    for place in range(len(weights)):
        out[place] = rng.standard_gamma(weights[place])
        total += out[place]
    if total > 0.0:
        out /= total
    else:  # all underflowed: one of them has all the mass
        out[:] = 0.0
        out[categorical_draw(rng, weights)] = 1.0


@compiled_step
def mixed_bits(word):
    """A 64-bit word whose bits all depend on all bits of another (the finaliser of SplitMix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled_step
def split_mix_word(state):
    """The next word of the generator SplitMix64, whose whole state is ``state[0]``: a stream for each of many parts."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return mixed_bits(state[0])


@compiled_step
def split_mix_uniform(state):
    """Its next number in [0, 1)."""
    return np.float64(split_mix_word(state) >> np.uint64(11)) / 9007199254740992.0
