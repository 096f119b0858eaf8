"""Contrastive divergence in mini-batches: what both machines learn by (sections 3.1 and 4.5, Appendices B and C).

Learning runs in single precision, whose rounding is far below the noise of the samples.
"""

from typing import NamedTuple

import numpy as np

from treatise._core.progress import progress


class Rates(NamedTuple):
    """How to learn."""

    learning_rate: float
    slow_rate: float
    """Of the parameters that the machine names slow."""
    momentum: float
    weight_decay: float
    cd_steps: int
    past_noise: float
    sparsity_target: float | None
    sparsity_cost: float
    batch_size: int


class Statistics(NamedTuple):
    """What one phase of learning sees: rows of the batch."""

    visible: np.ndarray
    hidden: np.ndarray


def sigmoid(x):
    """Logistic function, changing x, in a few passes that the processor takes several numbers at a time."""
    # Beyond this the exponential of a single-precision number overflows.
    np.clip(x, -80.0, 80.0, out=x)
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1.0
    return np.reciprocal(x, out=x)


def learn(machine, windows, styles, rates, n_epochs, rng, name):
    """Change a machine's parameters by passes over the windows.

    Parameters
    ----------
    machine : object
        With ``parameters`` (a dictionary of arrays), ``slow`` and ``biases`` (names in it), ``n_hidden``,
        ``layers(past, style)`` and ``gradients(data, model, past, style)``.
    windows : Windows
        In single precision.
    styles : ndarray of shape (n_windows, n_styles) or None
        Style of each window.
    rates : Rates
    n_epochs : int
    rng : numpy Generator
    name : str
        For the bar of progress.

    Returns
    -------
    list of float
        Mean squared error of the reconstructions in each pass.
    """
    velocity = {key: np.zeros_like(value) for key, value in machine.parameters.items()}
    steps = {key: np.float32(rates.slow_rate if key in machine.slow else rates.learning_rate) for key in velocity}
    activity = None if rates.sparsity_target is None else np.full(machine.n_hidden, 0.2, dtype=np.float32)
    errors = []
    with progress(name, n_epochs) as advance:
        for _ in range(n_epochs):
            order, total = rng.permutation(len(windows.starts)), 0.0
            for first in range(0, len(order), rates.batch_size):
                chosen = order[first : first + rates.batch_size]
                past, present = windows.past(chosen), windows.present(chosen)
                style = None if styles is None else styles[chosen]
                if rates.past_noise:
                    past += np.float32(rates.past_noise) * rng.standard_normal(past.shape, dtype=np.float32)
                total += _step(machine, past, present, style, velocity, steps, activity, rates, rng)
            errors.append(total / (len(order) * windows.frames.shape[1]))
            if not np.isfinite(errors[-1]):
                raise ValueError(
                    f"learning diverged in pass {len(errors)}: reconstructions are not finite; lower learning_rate="
                    f"{rates.learning_rate:g} or ar_learning_rate={rates.slow_rate:g}"
                )
            advance(1)
    return errors


def _step(machine, past, present, style, velocity, steps, activity, rates, rng):
    """One mini-batch; returns the sum of squared errors of its first reconstruction."""
    layers = machine.layers(past, style)
    probable = sigmoid(layers.up(present) + layers.hidden_bias)
    # Sampled states drive the reconstruction and stand in the data term; the last ones are probabilities (Appendix B).
    states = (rng.random(probable.shape, dtype=np.float32) < probable).astype(np.float32)
    data, hidden, error = Statistics(present, states), states, 0.0
    for step in range(rates.cd_steps):
        visible = layers.down(hidden)
        visible += layers.visible_bias
        if layers.binary:
            sigmoid(visible)
        if step == 0:
            difference = (present - visible).ravel()
            error = float(difference @ difference)
        likely = sigmoid(layers.up(visible) + layers.hidden_bias)
        if step < rates.cd_steps - 1:
            hidden = (rng.random(likely.shape, dtype=np.float32) < likely).astype(np.float32)
    if activity is not None:
        activity *= 0.9
        activity += 0.1 * probable.mean(axis=0)
        # The derivative of the cross-entropy between the target and the activity by what reaches the units.
        wished = np.float32(rates.sparsity_cost) * (np.float32(rates.sparsity_target) - activity)
        data = data._replace(hidden=data.hidden + wished)
    gradients = machine.gradients(data, Statistics(visible, likely), past, style)
    for key, parameter in machine.parameters.items():
        moving, rate = velocity[key], steps[key]
        gradient = gradients[key]
        gradient *= rate / len(present)
        moving *= np.float32(rates.momentum)
        moving += gradient
        if rates.weight_decay and key not in machine.biases:
            np.multiply(parameter, -rate * np.float32(rates.weight_decay), out=gradient)
            moving += gradient
        parameter += moving
    return error
