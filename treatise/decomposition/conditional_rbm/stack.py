"""Conditional RBMs one above the other: the conditional deep belief net (section 3.4 of JMLR 12:1025)."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import all_alike
from treatise.decomposition.conditional_rbm._frames import checked_sequences
from treatise.decomposition.conditional_rbm.estimator import ConditionalRBM


class ConditionalDBN(BaseEstimator):
    """Stack of conditional RBMs: each learns the hidden units of the one below over time.

    The first machine models frames, the next one the chances of its hidden units, with a past of their own: it sees
    further back, and ties together units that go together. Generation samples in the top machine and passes means
    down. Use it where a single :class:`ConditionalRBM` generates well but drifts between kinds of motion; learning is
    greedy, one level after the other.

    Do not use it before a single machine is good, nor for sequences of fewer frames than the orders add up to.

    Costs what its machines cost; memory is the frames, the hidden units of every level and the weights.

    Parameters
    ----------
    n_hidden : tuple of int, default=(100, 100)
        Hidden units of each level, the lowest first.
    order : int, default=3
        Frames of the past at every level.
    n_epochs : int or "auto", default="auto"
        Passes at every level; see :class:`ConditionalRBM`.
    machine : ConditionalRBM or None, default=None
        Its other parameters are those of every level; None takes the defaults.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    machines_ : list of ConditionalRBM
        The fitted levels, the lowest first.
    converged_ : bool
        Whether all of them say so; see :class:`ConditionalRBM`.
    n_columns_ : int
        Columns of a frame.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import ConditionalDBN
    >>> time = np.arange(300)
    >>> frames = np.column_stack([np.sin(time / 8), np.cos(time / 8)])
    >>> model = ConditionalDBN((10, 5), n_epochs=20, random_state=0).fit([frames])
    >>> model.sample(frames[:20], 30).shape
    (30, 2)

    References
    ----------
    .. [1] Paper v12-1025, section 3.4.
    """

    _parameter_constraints = {
        "n_hidden": [tuple, list],
        "order": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "machine": [ConditionalRBM, None],
        "random_state": ["random_state"],
    }

    def __init__(self, n_hidden=(100, 100), *, order=3, n_epochs="auto", machine=None, random_state=None):
        self.n_hidden = n_hidden
        self.order = order
        self.n_epochs = n_epochs
        self.machine = machine
        self.random_state = random_state

    def fit(self, sequences, labels=None):
        """Learn the levels one after the other.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
            Frames at equal distances in time.
        labels : None
            Ignored; there for the sake of pipelines.

        Returns
        -------
        self
        """
        self._validate_params()
        if len(self.n_hidden) == 0:
            raise ValueError("n_hidden=() has no level; give at least one number of hidden units")
        sequences = checked_sequences(sequences)
        self.n_columns_ = sequences[0].shape[1]
        random, self.machines_ = check_random_state(self.random_state), []
        for level, n_hidden in enumerate(self.n_hidden):
            machine = ConditionalRBM() if self.machine is None else ConditionalRBM(**self.machine.get_params())
            machine.set_params(
                n_hidden=n_hidden, order=self.order, n_epochs=self.n_epochs, random_state=random.randint(2**31 - 1),
                visible="gaussian" if level == 0 else "binary",
            )  # fmt: skip
            self.machines_.append(machine.fit(sequences))
            sequences = [hidden for hidden in machine.transform(sequences) if len(hidden)]
        self.converged_ = all(machine.converged_ for machine in self.machines_)
        return self

    def transform(self, sequences):
        """Chances of the top hidden units, for every frame with enough of a past.

        Parameters
        ----------
        sequences : list of array-like of shape (n_frames, n_columns)
            Of at least one frame more than ``order`` times the number of levels.

        Returns
        -------
        list of ndarray
        """
        check_is_fitted(self)
        for machine in self.machines_:
            sequences = machine.transform(sequences)
        return sequences

    def sample(self, past, n_steps=1, *, n_gibbs=30, random_state=None):
        """Generate frames: Gibbs sampling in the top machine, then means down to the frame (section 3.4.1).

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` times the number of levels.
        n_steps : int, default=1
            Frames to generate.
        n_gibbs : int, default=30
            Steps of sampling for each frame.
        random_state : int, RandomState instance or None, default=None
            Seed; None takes that of the model.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        check_is_fitted(self)
        random = check_random_state(self.random_state if random_state is None else random_state)
        return self._generate(past, n_steps, lambda top, history: top.sample(
            history, n_gibbs=n_gibbs, random_state=random))  # fmt: skip

    def predict(self, past, n_steps=1):
        """Next frames without sampling: the least free energy of the top machine, then means down.

        Parameters
        ----------
        past : array-like of shape (n_frames, n_columns)
            At least ``order`` times the number of levels.
        n_steps : int, default=1
            Frames to go on.

        Returns
        -------
        ndarray of shape (n_steps, n_columns)
        """
        check_is_fitted(self)
        return self._generate(past, n_steps, lambda top, history: top.predict(history))

    def _generate(self, past, n_steps, next_of_top):
        """Histories at each level, grown frame by frame."""
        past = checked_sequences([past], self.n_columns_)[0]
        needed = self.order * len(self.machines_)
        if len(past) < needed:
            raise ValueError(
                f"past has {len(past)} frames; {len(self.machines_)} levels of order {self.order} need {needed}"
            )
        histories = [past]
        for machine in self.machines_[:-1]:
            histories.append(machine.transform([histories[-1]])[0])
        for _ in range(n_steps):
            made = next_of_top(self.machines_[-1], histories[-1])
            for level in range(len(self.machines_) - 1, -1, -1):
                histories[level] = np.vstack([histories[level][-needed:] if level else histories[0], made])
                if level:
                    made = self.machines_[level - 1].frame_of(histories[level - 1], made)
        return histories[0][len(past) :]

    def _invariants(self):
        yield "levels are machines", len(self.machines_) > 0 and all_alike(self.machines_, ConditionalRBM)
        sizes = [self.n_columns_, *(machine.n_hidden for machine in self.machines_)]
        for machine, size in zip(self.machines_, sizes):
            yield "each level takes what the one below gives", machine.n_columns_ == size
