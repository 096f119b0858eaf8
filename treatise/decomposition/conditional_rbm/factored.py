"""The factored conditional RBM, whose weights a style gates (section 4 of JMLR 12:1025)."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.decomposition.conditional_rbm._base import ConditionalBoltzmann
from treatise.decomposition.conditional_rbm._factored_machine import FactoredMachine
from treatise.decomposition.conditional_rbm._frames import autoregression, checked_sequences, windows_of


class FactoredConditionalRBM(ConditionalBoltzmann):
    """Model of sequences in several styles, whose weights the style changes: styles can be blended and changed midway.

    As :class:`ConditionalRBM`, but every weight is a sum over factors, each multiplied by what it gets from the style.
    With labels each style has learnt features; real-valued styles, such as speed, are their own, beside a constant.
    Use it where sequences come in a few labelled styles, to generate in one, between two, or from one into another.

    Do not use it without styles, where :class:`ConditionalRBM` learns faster, nor for styles with a single short
    sequence.

    Costs O(n_frames F (order D + D + H)) a pass for F factors, D columns and H hidden units; memory is the frames and
    the weights.

    Parameters
    ----------
    n_hidden : int, default=100
        Hidden units.
    n_factors : int, default=100
        Factors of each of the three groups of weights.
    n_features : int or None, default=None
        Real features of each label; None takes 10, or twice the number of labels where that is less. Real-valued
        styles are their own features.
    tie_features : bool, default=True
        Whether the three groups of weights share those of the features, the best choice in the paper.
    learning_rate : float, default=3e-3
        Step along the gradient; 1e-2 in the paper.
    ar_learning_rate : float, default=3e-5
        The same for the weights of the past to the visible units. With the paper's 1e-3 these learn all that is to be
        learnt before the hidden units do, to the cost of predictions more than a few frames ahead.
    ar_init : {"random", "least_squares"}, default="random"
        Begin with small random weights of the past, as the paper; or with penalised least squares, as far as the
        factors can hold it, which is the better for the next frame alone. All styles begin about alike.

    Attributes
    ----------
    Wv_, Wh_, Av_, Ap_, Bh_, Bp_ : ndarray
        Weights to the factors: of visible and hidden units (W), of visible units and the past (A), of hidden units and
        the past (B).
    Wz_, Az_, Bz_ : ndarray of shape (n_features, n_factors)
        Weights of the features to the factors of each group; one array where they are tied.
    R_ : ndarray of shape (n_labels, n_features) or None
        Features of the labels.
    a_, b_ : ndarray
        Biases of visible and hidden units.
    classes_ : ndarray or None
        The labels; None for real-valued styles.
    n_styles_ : int
        Numbers that describe a style: labels, or values and the constant.

    See Also
    --------
    ConditionalRBM : Without styles, or with labels that bias hidden units alone.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import FactoredConditionalRBM
    >>> time = np.arange(300)
    >>> slow, fast = (np.column_stack([np.sin(time / t), np.cos(time / t)]) for t in (12, 6))
    >>> model = FactoredConditionalRBM(10, n_factors=10, n_epochs=30, random_state=0)
    >>> model = model.fit([slow, fast], ["slow", "fast"])
    >>> model.sample(slow[:10], 20, style="slow").shape
    (20, 2)

    References
    ----------
    .. [1] Paper v12-1025, section 4.4 and Appendix C.
    """

    _parameter_constraints = {
        **ConditionalBoltzmann._parameter_constraints,
        "n_factors": [Interval(Integral, 1, None, closed="left")],
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
        "tie_features": ["boolean"],
        "ar_init": [StrOptions({"random", "least_squares"})],
    }

    def __init__(
        self,
        n_hidden=100,
        *,
        n_factors=100,
        n_features=None,
        tie_features=True,
        order=3,
        n_epochs="auto",
        learning_rate=3e-3,
        ar_learning_rate=3e-5,
        ar_init="random",
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
        self.n_factors = n_factors
        self.n_features = n_features
        self.tie_features = tie_features
        self.order = order
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.ar_learning_rate = ar_learning_rate
        self.ar_init = ar_init
        self.cd_steps = cd_steps
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.past_noise = past_noise
        self.sparsity_target = sparsity_target
        self.sparsity_cost = sparsity_cost
        self.random_state = random_state

    def fit(self, sequences, styles):
        """Learn from sequences in styles.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
            Frames at equal distances in time.
        styles : sequence of labels, or array-like of float of shape (n_sequences, n_values)
            Style of each sequence: its label, or real values.

        Returns
        -------
        self
        """
        self._validate_params()
        self.__dict__.pop("_draws", None)
        sequences = self._standardise(checked_sequences(sequences))
        windows = windows_of(sequences, self.order)
        given = np.asarray(styles)
        if len(given) != len(sequences):
            raise ValueError(f"styles has {len(given)} entries; there are {len(sequences)} sequences")
        self.classes_ = np.unique(given) if given.ndim == 1 else None
        self.n_styles_ = len(self.classes_) if self.classes_ is not None else given.shape[1] + 1
        coded = np.vstack([self._coded(style) for style in styles])
        self._begin(windows)
        single = windows._replace(frames=windows.frames.astype(np.float32))
        self._judge(self._learn(single, coded[windows.sequence_of], self._passes(windows)))
        return self

    def _begin(self, windows):
        D, H, F, past = self.n_columns_, self.n_hidden, self.n_factors, self.order * self.n_columns_
        rng = self._generator
        shapes = {"Wv_": (D, F), "Wh_": (H, F), "Av_": (D, F), "Ap_": (past, F), "Bh_": (H, F), "Bp_": (past, F)}
        # So that products of two of these, summed over factors, have a deviation of a twentieth.
        size = np.sqrt(0.05 / np.sqrt(F))
        for name, shape in shapes.items():
            setattr(self, name, size * rng.standard_normal(shape))
        self.a_, self.b_, self.R_ = np.zeros(D), np.zeros(H), None
        n_features = self.n_styles_
        if self.classes_ is not None:
            n_features = self.n_features or min(10, 2 * self.n_styles_)
            self.R_ = rng.standard_normal((self.n_styles_, n_features))
            self.R_[:, -1] = 1.0
        gates = [0.1 * rng.standard_normal((n_features, F)) for _ in range(1 if self.tie_features else 3)]
        for gate in gates:
            # A constant feature opens every gate, as products of three small numbers learn hardly at all.
            gate[-1] = 1.0
        if self.ar_init == "least_squares":
            weights, self.a_ = autoregression(windows)
            left, values, right = np.linalg.svd(weights, full_matrices=False)
            kept = min(F, len(values))
            self.Ap_[:, :kept] = left[:, :kept] * np.sqrt(values[:kept])
            self.Av_[:, :kept] = right[:kept].T * np.sqrt(values[:kept])
            self.Ap_[:, kept:] *= 0.1
            self.Av_[:, kept:] *= 0.1
        self.Wz_, self.Az_, self.Bz_ = gates * 3 if self.tie_features else gates

    def _machine(self, dtype):
        names = ["Wv", "Wh", "Av", "Ap", "Bh", "Bp", "a", "b", *(["R"] if self.R_ is not None else [])]
        parameters = {name: getattr(self, name + "_").astype(dtype) for name in names}
        if self.tie_features:
            parameters["Z"] = self.Wz_.astype(dtype)
        else:
            parameters |= {name: getattr(self, name + "_").astype(dtype) for name in ("Wz", "Az", "Bz")}
        return FactoredMachine(parameters)

    def _keep(self, machine):
        for name, value in machine.parameters.items():
            for kept in ("Wz", "Az", "Bz") if name == "Z" else (name,):
                setattr(self, kept + "_", value.astype(np.float64))

    def _coded(self, style):
        """A style as a row of numbers: indicators of a label, shares of labels, or values and a constant."""
        if self.classes_ is not None:
            if np.ndim(style) == 0:
                if style not in self.classes_:
                    raise ValueError(f"style={style!r} must be one of {self.classes_.tolist()}, or shares of these")
                return (self.classes_ == style)[np.newaxis].astype(float)
            row = np.atleast_2d(np.asarray(style, dtype=float))
        else:
            row = np.atleast_2d(np.asarray(style, dtype=float))
            row = np.column_stack([row, np.ones(len(row))])
        if row.shape[1] != self.n_styles_ or not np.isfinite(row).all():
            wanted = self.n_styles_ - (self.classes_ is None)
            raise ValueError(f"a style of shape {np.shape(style)} does not fit; {wanted} finite numbers do")
        return row

    def _style_at(self, style, n_steps):
        """The style of each step; one, or as many as there are steps."""
        check_is_fitted(self)
        coded = self._coded(style)
        if len(coded) not in (1, n_steps):
            raise ValueError(f"style has {len(coded)} rows; give one, or one for each of the {n_steps} frames")
        return lambda step: coded[min(step, len(coded) - 1)][np.newaxis]

    def transform(self, sequences, styles):
        """Chance of each hidden unit to be on, for every frame with enough of a past.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        styles : sequence
            Style of each sequence.

        Returns
        -------
        list of ndarray of shape (n_frames - order, n_hidden)
        """
        windows = self._windows(sequences)
        hidden = self._transformed(windows, self._styles(styles, windows))
        return [hidden[windows.sequence_of == number] for number in range(windows.n_sequences)]

    def _styles(self, styles, windows):
        if len(styles) != windows.n_sequences:
            raise ValueError(f"styles has {len(styles)} entries; there are {windows.n_sequences} sequences")
        return np.vstack([self._coded(style) for style in styles])[windows.sequence_of]

    def predict(self, past, n_steps=1, *, style):
        """Most likely next frames: minima of the free energy, each from the frames before it.

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` frames.
        n_steps : int, default=1
            Frames to go on.
        style : label, or array-like of shape (n_labels,) or (n_steps, n_labels)
            A label; shares of the labels, which may lie between or beyond them; or one row of shares for each frame.
            Real values in their place where the machine was fitted with such.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        return self._predict(past, n_steps, self._style_at(style, n_steps))

    def sample(self, past, n_steps=1, *, style, n_gibbs=30, random_state=None):
        """Generate frames by Gibbs sampling in a style, between styles, or from one to another.

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` frames to begin from.
        n_steps : int, default=1
            Frames to generate.
        style : label, or array-like of shape (n_labels,) or (n_steps, n_labels)
            As in :meth:`predict`.
        n_gibbs : int, default=30
            Steps of sampling for each frame.
        random_state : int, RandomState instance or None, default=None
            Seed; None takes that of the machine.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        return self._sample(past, n_steps, n_gibbs, random_state, self._style_at(style, n_steps))

    def impute(self, sequence, *, style):
        """Fill in missing values, frame by frame, by the least free energy with the others held.

        Parameters
        ----------
        sequence : array-like of shape (n_frames, n_columns)
            With NaN where a value is missing; the first ``order`` frames must be whole.
        style : label or array-like
            As in :meth:`predict`, for each frame of the sequence.

        Returns
        -------
        ndarray of shape (n_frames, n_columns)
        """
        return self._impute(sequence, self._style_at(style, len(sequence)))

    def free_energy(self, sequences, styles):
        """Free energy of every frame with enough of a past; lower is more likely under the same past and style.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        styles : sequence
            Style of each sequence.

        Returns
        -------
        ndarray of shape (n_windows,)
        """
        windows = self._windows(sequences)
        return self._free_energies(windows, self._styles(styles, windows))

    def score(self, sequences, styles):
        """Minus the mean squared error of one-step predictions, in squared deviations of the columns.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
        styles : sequence
            Style of each sequence.

        Returns
        -------
        float
        """
        windows = self._windows(sequences)
        return self._score(windows, self._styles(styles, windows))

    def _invariants(self):
        D, H, F, past = self.n_columns_, self.n_hidden, self.n_factors, self.order * self.n_columns_
        shapes = {"Wv_": (D, F), "Wh_": (H, F), "Av_": (D, F), "Ap_": (past, F), "Bh_": (H, F), "Bp_": (past, F),
                  "a_": (D,), "b_": (H,)}  # fmt: skip
        features = self.n_styles_
        if self.classes_ is not None:
            features = len(self.Wz_)
            shapes["R_"] = (len(self.classes_), features)
        shapes |= dict.fromkeys(("Wz_", "Az_", "Bz_"), (features, F))
        for name, shape in shapes.items():
            values = getattr(self, name)
            yield "weights fit the layers and factors", is_array(values, np.floating, *shape) and finite(values)
