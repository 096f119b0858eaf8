"""The conditional restricted Boltzmann machine (section 3 of JMLR 12:1025)."""

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.decomposition.conditional_rbm._base import ConditionalBoltzmann
from treatise.decomposition.conditional_rbm._energy import log_partition, visible_means
from treatise.decomposition.conditional_rbm._frames import autoregression, checked_sequences, windows_of
from treatise.decomposition.conditional_rbm._machine import ConditionalMachine

MOST_ENUMERATED = 20
"""Hidden units all of whose states are summed over."""


class ConditionalRBM(ConditionalBoltzmann):
    """Model of sequences of vectors that predicts, generates and fills in frames by many hidden binary units.

    Given the frames before it, a frame is a Gaussian (or binary) vector coupled to hidden binary units; the past shifts
    the means of both. Many units share in explaining a frame, so that one machine holds several kinds of motion and
    keeps to the one it was started with. Use it for regularly sampled sequences of tens of columns, such as motion, to
    generate more, to predict, and to fill in channels that drop out. One pass over the hidden units is exact inference.

    Do not use it for one-step prediction alone, where least squares on the past is hard to beat; for long memory take
    a recurrent network. Values of free energy do not compare between machines.

    Costs O(n_frames (order D (D + H) + D H)) a pass for D columns and H hidden units; memory is the frames and the
    weights, as windows are views.

    Parameters
    ----------
    n_hidden : int, default=100
        Hidden units.
    learning_rate : float, default=1e-3
        Step along the gradient.
    ar_learning_rate : float, default=1e-5
        The same for the weights of the past to the visible units, whose gradient is far larger.
    ar_init : {"random", "least_squares"}, default="random"
        Begin with small random weights of the past, as the paper, so that hidden units take part in the motion itself,
        which pays from a few frames ahead on; or with penalised least squares, which is the better for the next frame
        alone, and leaves hidden units little to learn.
    visible : {"gaussian", "binary"}, default="gaussian"
        Kind of the columns: numbers, which are standardised, or chances from 0 to 1.

    Attributes
    ----------
    W_ : ndarray of shape (n_columns, n_hidden)
        Weights between the layers.
    A_ : ndarray of shape (order * n_columns, n_columns)
        Weights of the past, oldest frame first, to the visible units.
    B_ : ndarray of shape (order * n_columns, n_hidden)
        Weights of the past to the hidden units.
    L_ : ndarray of shape (n_labels, n_hidden) or None
        Weights of the labels to the hidden units.
    a_, b_ : ndarray
        Biases of visible and hidden units.
    classes_ : ndarray or None
        The labels.

    See Also
    --------
    FactoredConditionalRBM : A style changes all weights, so that it can be changed or blended while generating.
    ConditionalDBN : A second machine on the hidden units of the first.

    Notes
    -----
    Parameters are those of standardised frames. All answers are in the units of the data but for free energies,
    log-likelihoods and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import ConditionalRBM
    >>> time = np.arange(400)
    >>> frames = np.column_stack([np.sin(time / 8), np.cos(time / 8), np.sin(time / 8 + 1)])
    >>> model = ConditionalRBM(10, ar_init="least_squares", n_epochs=20, random_state=0).fit([frames])
    >>> ahead = model.predict(frames[:50], 5)
    >>> bool(np.abs(ahead - frames[50:55]).max() < 0.1)
    True

    References
    ----------
    .. [1] Paper v12-1025, section 3.
    """

    _parameter_constraints = {
        **ConditionalBoltzmann._parameter_constraints,
        "ar_init": [StrOptions({"random", "least_squares"})],
        "visible": [StrOptions({"gaussian", "binary"})],
    }

    def __init__(
        self,
        n_hidden=100,
        *,
        order=3,
        n_epochs="auto",
        learning_rate=1e-3,
        ar_learning_rate=1e-5,
        ar_init="random",
        visible="gaussian",
        cd_steps=1,
        momentum=0.9,
        weight_decay=2e-4,
        batch_size=100,
        past_noise=0.0,
        sparsity_target=None,
        sparsity_cost=0.1,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.order = order
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.ar_learning_rate = ar_learning_rate
        self.ar_init = ar_init
        self.visible = visible
        self.cd_steps = cd_steps
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.past_noise = past_noise
        self.sparsity_target = sparsity_target
        self.sparsity_cost = sparsity_cost
        self.random_state = random_state

    @property
    def _binary(self):
        return self.visible == "binary"

    def fit(self, sequences, labels=None):
        """Learn from sequences.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
            Frames at equal distances in time; one array is one sequence. No window crosses from one to the next.
        labels : sequence or None, default=None
            A label for each sequence, which biases the hidden units and is not generated.

        Returns
        -------
        self
        """
        self._validate_params()
        self.__dict__.pop("_draws", None)
        sequences = self._standardise(checked_sequences(sequences))
        windows = windows_of(sequences, self.order)
        styles = self._learn_labels(labels, len(sequences), windows)
        self._begin(windows)
        self._judge(
            self._learn(windows._replace(frames=windows.frames.astype(np.float32)), styles, self._passes(windows))
        )
        return self

    def partial_fit(self, sequences, labels=None, n_epochs=1):
        """Make more passes, over the same or other sequences, from where learning stands.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
            Frames; the first call also learns their scale.
        labels : sequence or None, default=None
            A label for each sequence, among those of the first call.
        n_epochs : int, default=1
            Passes.

        Returns
        -------
        self
        """
        if not hasattr(self, "W_"):
            epochs, self.n_epochs = self.n_epochs, n_epochs
            try:
                return self.fit(sequences, labels)
            finally:
                self.n_epochs = epochs
        checked = checked_sequences(sequences, self.n_columns_)
        windows = windows_of([self._standard(s) for s in checked], self.order, np.float32)
        errors = self._learn(windows, self._styles(labels, len(checked), windows), n_epochs)
        self._judge([*self.errors_, *errors])
        return self

    def _begin(self, windows):
        past, D, H = self.order * self.n_columns_, self.n_columns_, self.n_hidden
        rng = self._generator
        self.W_, self.B_ = (0.01 * rng.standard_normal(shape) for shape in ((D, H), (past, H)))
        self.A_, self.a_, self.b_ = 0.01 * rng.standard_normal((past, D)), np.zeros(D), np.zeros(H)
        self.L_ = None if self.classes_ is None else 0.01 * rng.standard_normal((len(self.classes_), H))
        if self.ar_init == "least_squares" and not self._binary:
            self.A_, self.a_ = autoregression(windows)

    def _machine(self, dtype):
        names = ["W", "A", "B", "a", "b", *(["L"] if self.L_ is not None else [])]
        return ConditionalMachine({name: getattr(self, name + "_").astype(dtype) for name in names}, self._binary)

    def _keep(self, machine):
        for name, value in machine.parameters.items():
            setattr(self, name + "_", value.astype(np.float64))

    # Labels

    def _learn_labels(self, labels, n_sequences, windows):
        self.classes_ = None if labels is None else np.unique(np.asarray(labels))
        return self._styles(labels, n_sequences, windows)

    def _styles(self, labels, n_sequences, windows):
        """Indicators of the label of each window."""
        if (labels is None) != (self.classes_ is None):
            raise ValueError("labels must be given either to all calls or to none" if labels is None else
                             "this machine was fitted without labels; give none")  # fmt: skip
        if labels is None:
            return None
        if len(labels) != n_sequences:
            raise ValueError(f"labels has {len(labels)} entries; there are {n_sequences} sequences")
        return np.vstack([self._indicator(label) for label in labels])[windows.sequence_of]

    def _indicator(self, label):
        if self.classes_ is None:
            if label is not None:
                raise ValueError(f"label={label!r}: this machine was fitted without labels; give none")
            return None
        if label is None or label not in self.classes_:
            raise ValueError(f"label={label!r} must be one of {self.classes_.tolist()}")
        return (self.classes_ == label)[np.newaxis].astype(float)

    # Answers

    def transform(self, sequences, labels=None):
        """Chance of each hidden unit to be on, for every frame with enough of a past.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        labels : sequence or None, default=None
            A label for each sequence, where the machine was fitted with labels.

        Returns
        -------
        list of ndarray of shape (n_frames - order, n_hidden)
        """
        windows = self._windows(sequences)
        hidden = self._transformed(windows, self._styles(labels, windows.n_sequences, windows))
        return [hidden[windows.sequence_of == number] for number in range(windows.n_sequences)]

    def predict(self, past, n_steps=1, label=None):
        """Most likely next frames: minima of the free energy, each from the frames before it.

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` frames.
        n_steps : int, default=1
            Frames to go on.
        label : object or None, default=None
            Where the machine was fitted with labels.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        check_is_fitted(self)
        style = self._indicator(label)
        return self._predict(past, n_steps, lambda step: style)

    def sample(self, past, n_steps=1, *, label=None, n_gibbs=30, random_state=None):
        """Generate frames by Gibbs sampling, each from the frames before it (section 3.3.3).

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` frames to begin from.
        n_steps : int, default=1
            Frames to generate.
        label : object or None, default=None
            Where the machine was fitted with labels.
        n_gibbs : int, default=30
            Steps of sampling for each frame.
        random_state : int, RandomState instance or None, default=None
            Seed; None takes that of the machine.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        check_is_fitted(self)
        style = self._indicator(label)
        return self._sample(past, n_steps, n_gibbs, random_state, lambda step: style)

    def frame_of(self, past, hidden):
        """The mean of the next frame for given hidden units.

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` frames.
        hidden : array-like of shape (1, n_hidden)
            Hidden units of the next frame, or their chances.

        Returns
        -------
        ndarray of shape (1, n_columns)
        """
        window = self._past_of(past).reshape(1, -1)
        layers = self._machine(np.float64).layers(window, None)
        return self._original(visible_means(layers, np.asarray(hidden, dtype=float)))

    def impute(self, sequence, label=None):
        """Fill in missing values, frame by frame, by the least free energy with the others held.

        Parameters
        ----------
        sequence : array-like of shape (n_frames, n_columns)
            With NaN where a value is missing; the first ``order`` frames must be whole.
        label : object or None, default=None
            Where the machine was fitted with labels.

        Returns
        -------
        ndarray of shape (n_frames, n_columns)
        """
        check_is_fitted(self)
        style = self._indicator(label)
        return self._impute(sequence, lambda frame: style)

    def free_energy(self, sequences, labels=None):
        """Free energy of every frame with enough of a past; lower is more likely under the same past.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        labels : sequence or None, default=None
            A label for each sequence.

        Returns
        -------
        ndarray of shape (n_windows,)
        """
        windows = self._windows(sequences)
        return self._free_energies(windows, self._styles(labels, windows.n_sequences, windows))

    def log_likelihood(self, sequences, labels=None):
        """Exact logarithm of the density of every standardised frame given its past; for at most 20 hidden units.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        labels : sequence or None, default=None
            A label for each sequence.

        Returns
        -------
        ndarray of shape (n_windows,)
        """
        windows = self._windows(sequences)
        if self._binary or self.n_hidden > MOST_ENUMERATED:
            raise ValueError(
                f"the likelihood sums over all states of the hidden units, which is for visible='gaussian' and at most "
                f"{MOST_ENUMERATED} of them, not visible={self.visible!r} and {self.n_hidden}"
            )
        styles = self._styles(labels, windows.n_sequences, windows)
        return -self._free_energies(windows, styles) - log_partition(self._layers_of(windows, styles), self.W_)

    def score(self, sequences, labels=None):
        """Minus the mean squared error of one-step predictions, in squared deviations of the columns.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        labels : sequence or None, default=None
            A label for each sequence.

        Returns
        -------
        float
        """
        windows = self._windows(sequences)
        return self._score(windows, self._styles(labels, windows.n_sequences, windows))

    def _invariants(self):
        D, H, past = self.n_columns_, self.n_hidden, self.order * self.n_columns_
        shapes = {"W_": (D, H), "A_": (past, D), "B_": (past, H), "a_": (D,), "b_": (H,)}
        for name, shape in shapes.items():
            values = getattr(self, name)
            yield "weights fit the layers", is_array(values, np.floating, *shape) and finite(values)
        if self.L_ is not None:
            yield "labels have weights", is_array(self.L_, np.floating, len(self.classes_), H) and finite(self.L_)
