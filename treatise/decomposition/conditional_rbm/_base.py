"""What the conditional machines share: sequences in, learning, and what is asked of a learnt machine."""

import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import finite, is_array, is_count
from treatise.decomposition.conditional_rbm._contrastive import Rates, learn
from treatise.decomposition.conditional_rbm._energy import free_energy, hidden_probabilities, settle, visible_means
from treatise.decomposition.conditional_rbm._frames import checked_sequences, windows_of

ENOUGH_BATCHES = 6000
"""Mini-batches of an automatic number of passes."""


class ConditionalBoltzmann(InheritsDocumentation, BaseEstimator, ABC):
    """A restricted Boltzmann machine of a frame whose biases the frames before it set.

    Parameters
    ----------
    n_hidden : int
        Hidden units.
    order : int, default=3
        Frames of the past that a frame depends on; a tenth of a second at 30 frames a second, as in the paper.
    n_epochs : int or "auto", default="auto"
        Passes over the windows. ``"auto"`` makes as many as give about 6000 mini-batches, from 10 to 2000.
    learning_rate : float
        Step along the gradient.
    ar_learning_rate : float
        The same for the weights of the past to the visible units, whose gradient is far larger.
    cd_steps : int, default=1
        Steps of Gibbs sampling from the data in contrastive divergence.
    momentum : float, default=0.9
        Share of the last step that is taken again.
    weight_decay : float, default=2e-4
        Penalty on squared weights, biases excepted.
    batch_size : int, default=100
        Windows in a mini-batch.
    past_noise : float, default=0.0
        Standard deviation of noise that is added to the past in learning, in units of each column's, which makes a
        machine robust to its own errors when it goes on from them.
    sparsity_target : float or None, default=None
        Share of frames in which a hidden unit should be on; None asks for none.
    sparsity_cost : float, default=0.1
        Weight of that wish.
    random_state : int, RandomState instance or None, default=None
        Seed of the first weights, the order of windows and the samples.

    Attributes
    ----------
    mean_, scale_ : ndarray of shape (n_columns,)
        By which frames are standardised; a constant column has scale one.
    errors_ : ndarray of shape (n_epochs,)
        Mean squared error of the reconstructions in each pass, in squared deviations of the columns.
    converged_ : bool
        Whether the last passes had about no larger errors than the first; false, with a warning, if learning got worse.
    n_columns_ : int
        Columns of a frame.
    """

    _parameter_constraints: dict = {
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "order": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "ar_learning_rate": [Interval(Real, 0, None, closed="left")],
        "cd_steps": [Interval(Integral, 1, None, closed="left")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "past_noise": [Interval(Real, 0, None, closed="left")],
        "sparsity_target": [Interval(Real, 0, 1, closed="neither"), None],
        "sparsity_cost": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    _binary = False

    @abstractmethod
    def _machine(self, dtype):
        """The machine, with copies of its parameters in a precision."""

    @abstractmethod
    def _keep(self, machine):
        """Store a machine's parameters."""

    def _standardise(self, sequences):
        """Learn mean and scale of the columns, and apply them."""
        frames = np.concatenate(sequences)
        self.n_columns_ = frames.shape[1]
        if self._binary:
            if frames.min() < 0 or frames.max() > 1:
                raise ValueError(
                    f"visible='binary' takes values from 0 to 1; there are some from {frames.min():.3g} to "
                    f"{frames.max():.3g}; choose visible='gaussian'"
                )
            self.mean_, self.scale_ = np.zeros(self.n_columns_), np.ones(self.n_columns_)
            return sequences
        self.mean_ = frames.mean(axis=0)
        scale = frames.std(axis=0)
        self.scale_ = np.where(scale > 1e-12 * np.abs(frames).max(axis=0), scale, 1.0)
        return [self._standard(sequence) for sequence in sequences]

    def _standard(self, frames):
        return (frames - self.mean_) / self.scale_

    def _original(self, frames):
        return frames * self.scale_ + self.mean_

    def _learn(self, windows, styles, n_epochs):
        """Contrastive divergence on windows in single precision, from the parameters that are there."""
        rates = Rates(
            self.learning_rate, self.ar_learning_rate, self.momentum, self.weight_decay, self.cd_steps,
            self.past_noise, self.sparsity_target, self.sparsity_cost, self.batch_size,
        )  # fmt: skip
        machine = self._machine(np.float32)
        name = type(self).__name__
        styles = None if styles is None else styles.astype(np.float32)
        errors = learn(machine, windows, styles, rates, n_epochs, self._generator, name)
        self._keep(machine)
        return errors

    def _passes(self, windows):
        if self.n_epochs != "auto":
            return self.n_epochs
        batches = -(-len(windows.starts) // self.batch_size)
        return min(max(ENOUGH_BATCHES // batches, 10), 2000)

    def _judge(self, errors, stacklevel=3):
        """Tell the user if the reconstructions got worse."""
        self.errors_ = np.array(errors)
        tenth = max(len(errors) // 10, 1)
        # Units that begin to take part add the noise of their samples; a twentieth of the variance is more than that.
        self.converged_ = bool(np.mean(errors[-tenth:]) <= 1.05 * np.mean(errors[:tenth]) + 0.05)
        if not self.converged_:
            warnings.warn(
                f"reconstructions got worse, from a mean squared error of {np.mean(errors[:tenth]):.3g} to "
                f"{np.mean(errors[-tenth:]):.3g}; lower learning_rate={self.learning_rate:g}",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )

    @property
    def _generator(self):
        """Draws that go on where the last ones ended."""
        if not hasattr(self, "_draws"):
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            self._draws = np.random.default_rng(seed)
        return self._draws

    def __getstate__(self):
        # A file of a model holds no generator; learning goes on with a new one.
        return {key: value for key, value in super().__getstate__().items() if key != "_draws"}

    # What is asked of a learnt machine.

    def _windows(self, sequences):
        check_is_fitted(self)
        checked = checked_sequences(sequences, self.n_columns_)
        return windows_of([self._standard(sequence) for sequence in checked], self.order)

    def _layers_of(self, windows, styles=None):
        return self._machine(np.float64).layers(windows.past(), styles)

    def _past_of(self, past):
        check_is_fitted(self)
        past = checked_sequences([past], self.n_columns_)[0]
        if len(past) < self.order:
            raise ValueError(f"past has {len(past)} frames; order={self.order} needs at least so many")
        return self._standard(past[-self.order :])

    def _go_on(self, past, n_steps, style_of, next_frame):
        """Append frames one by one, each from the ``order`` frames before it."""
        frames = np.vstack([self._past_of(past), np.empty((n_steps, self.n_columns_))])
        machine = self._machine(np.float64)
        for step in range(n_steps):
            window = frames[step : step + self.order]
            layers = machine.layers(window.reshape(1, -1), style_of(step))
            frames[step + self.order] = next_frame(layers, window[-1:])[0]
        return self._original(frames[self.order :])

    def _predict(self, past, n_steps, style_of):
        return self._go_on(past, n_steps, style_of, lambda layers, last: settle(layers, last)[0])

    def _sample(self, past, n_steps, n_gibbs, random_state, style_of):
        random = check_random_state(self.random_state if random_state is None else random_state)

        def gibbs(layers, last):
            visible = last
            for step in range(n_gibbs):
                hidden = hidden_probabilities(layers, visible)
                # The last states are probabilities, which leaves out noise that no later step would take back.
                if step < n_gibbs - 1:
                    hidden = (random.random_sample(hidden.shape) < hidden).astype(float)
                visible = visible_means(layers, hidden)
            return visible

        return self._go_on(past, n_steps, style_of, gibbs)

    def _impute(self, sequence, style_of):
        check_is_fitted(self)
        given = checked_sequences([sequence], self.n_columns_, allow_nan=True)[0]
        missing = np.isnan(given)
        if missing[: self.order].any():
            raise ValueError(
                f"the first {self.order} frames have missing values; order={self.order} needs them whole to begin with"
            )
        frames, machine, settled = self._standard(given), self._machine(np.float64), True
        for frame in np.flatnonzero(missing.any(axis=1)):
            window = frames[frame - self.order : frame]
            start = np.where(missing[frame], window[-1], frames[frame])[np.newaxis]
            layers = machine.layers(window.reshape(1, -1), style_of(frame))
            found, converged = settle(layers, start, missing[frame : frame + 1])
            frames[frame], settled = found[0], settled and converged
        if not settled:
            warnings.warn("a minimum of the free energy was not reached", ConvergenceWarning, stacklevel=3)
        return np.where(missing, self._original(frames), given)

    def _transformed(self, windows, styles):
        return hidden_probabilities(self._layers_of(windows, styles), windows.present())

    def _free_energies(self, windows, styles):
        return free_energy(self._layers_of(windows, styles), windows.present())

    def _score(self, windows, styles):
        """Minus the mean squared error of one-step predictions."""
        layers = self._layers_of(windows, styles)
        last = windows.past()[:, -self.n_columns_ :]
        return float(-np.square(settle(layers, last)[0] - windows.present()).mean())

    def _invariants(self):
        yield "a frame has columns", is_count(self.n_columns_, 1)
        # Learning on would never end.
        yield "a gradient takes at most ten thousand steps of sampling", self.cd_steps <= 10_000
        for values in (self.mean_, self.scale_):
            yield "every column has a scale", is_array(values, np.floating, self.n_columns_) and finite(values)
