"""One hidden Markov model to each of many sequences."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from treatise._core.magnitudes import check_magnitudes
from treatise.inference import MixtureHMM, baum_welch
from treatise.inference.hidden_markov import MixtureEmissions, random_chain

POSITIONS_A_STATE = 20
"""Of a sequence for a model of its own: with half as many, groups that differ in their moves alone were found half as
well as by a mixture, with as many alike."""


@validate_params(
    {
        "sequences": "no_validation",
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance": [StrOptions({"diagonal", "full"})],
        "start": [StrOptions({"occupancy", "fitted"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def fit_hmms(
    sequences,
    n_states=3,
    n_components=1,
    *,
    covariance="diagonal",
    start="occupancy",
    n_init=1,
    max_iter=200,
    tol=1e-4,
    reg_covar=0.01,
    random_state=None,
):
    """Fit a hidden Markov model to each sequence by itself, by Baum and Welch.

    The first step in clustering sequences through their models. Every sequence must be long enough for a model of its
    own: twenty positions for each state, or a warning says so. A sequence of T positions costs O(T S (S + M d)) a step,
    d^2 in place of d for full covariances.

    Parameters
    ----------
    sequences : list of array-like of shape (length, d)
        The sequences; a list of numbers is one of vectors of one number.
    n_states : int, default=3
        States of each model.
    n_components : int, default=1
        Normal densities in each state.
    covariance : {"diagonal", "full"}, default="diagonal"
        Their covariances.
    start : {"occupancy", "fitted"}, default="occupancy"
        Probabilities of the first state. One sequence has one first state, so that a fitted start is zeros and a one,
        which can decide what short stretches look like; "occupancy" lets the chain begin as it dwells.
    n_init : int, default=1
        Random starts of each fit; the likeliest model is kept.
    max_iter : int, default=200
        Steps of each fit at most.
    tol : float, default=1e-4
        Rise of the log-likelihood per position at which they stop.
    reg_covar : float, default=0.01
        Added to variances, in units of the variance of each column over all sequences.
    random_state : int, RandomState instance or None, default=None
        Random starts, the same for all sequences, so that equal ones get equal models.

    Returns
    -------
    models : list of MixtureHMM

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import fit_hmms
    >>> waves = [np.sin(np.arange(60) * speed) for speed in (0.2, 0.9)]
    >>> slow, fast = fit_hmms(waves, n_states=2, random_state=0)
    >>> bool(np.diag(slow.transitions).min() > np.diag(fast.transitions).min())
    True

    References
    ----------
    .. [1] Paper v15-0697, sections 4.1 and 5.2 (the models that are clustered).
    """
    parts = checked_sequences(sequences)
    warn_of_short(parts, n_states)
    seed = check_random_state(random_state).randint(2**31)
    way = SequenceFit(
        n_states, n_components, covariance == "full", start == "occupancy", n_init, max_iter, tol,
        variance_floor(parts, reg_covar), seed,
    )  # fmt: skip
    return way.models(parts)


@dataclass(frozen=True)
class SequenceFit:
    """How models are fitted to sequences, so that those met later are fitted alike."""

    n_states: int
    n_components: int
    full: bool
    occupancy: bool
    n_init: int
    max_iter: int
    tol: float
    floor: np.ndarray
    seed: int

    def models(self, parts):
        """A model to each of checked sequences; warns where fits had not converged."""
        found, late = [], []
        for number, part in enumerate(parts):
            try:
                model, converged = self._fitted(part)
            except ValueError as error:
                raise ValueError(f"sequence {number}: {error}") from None
            found.append(model)
            if not converged:
                late.append(number)
        if late:
            warnings.warn(
                f"the models of {len(late)} of {len(parts)} sequences had not converged after "
                f"max_iter={self.max_iter} steps, the first of them number {late[0]}; raise it, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found

    def _fitted(self, X):
        emissions = MixtureEmissions(self.n_components, self.full, self.floor)
        random, lengths, runs = check_random_state(self.seed), np.array([len(X)]), []
        for _ in range(self.n_init):
            begin = random_chain(self.n_states, random)
            arrays = emissions.start(X, 0, self.n_states, random)
            runs.append(baum_welch(emissions, X, lengths, *begin, arrays, max_iter=self.max_iter, tol=self.tol))
        best = max(runs, key=lambda run: run.history[-1])
        start = best.occupancy / best.occupancy.sum() if self.occupancy else best.start
        return MixtureHMM(start, best.transitions, **best.arrays), best.converged


def warn_of_short(parts, n_states):
    """Tell of sequences whose models are mostly chance, so that groups of them are."""
    least = POSITIONS_A_STATE * n_states
    short = [number for number, part in enumerate(parts) if len(part) < least]
    if short:
        warnings.warn(
            f"{len(short)} of {len(parts)} sequences have fewer than {least} positions, {POSITIONS_A_STATE} for each "
            f"of {n_states} states, such as number {short[0]} with {len(parts[short[0]])}: their models are not "
            "reliable, nor are groups of them; take fewer states, or HMMMixture, whose models learn from all sequences "
            "of a group",
            UserWarning,
            stacklevel=4,
        )


def variance_floor(parts, reg_covar):
    """Least variance of each column: a share of its variance over all sequences, or of one where it is constant."""
    joined = np.concatenate(parts)
    variances = np.where(np.ptp(joined, axis=0) > 0, joined.var(axis=0), 1.0)
    return reg_covar * variances


def checked_sequences(sequences):
    """Sequences as arrays of shape (length, d), refused with the number of the one that is wrong."""
    if getattr(sequences, "ndim", 0) == 2 or sparse.issparse(sequences) or hasattr(sequences, "columns"):
        raise ValueError("one table was given; give a list of arrays of shape (length, d), one for each sequence")
    parts = []
    for number, sequence in enumerate(sequences):
        try:
            part = np.asarray(sequence, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise ValueError(f"sequence {number} holds something that is no number") from None
        part = part[:, np.newaxis] if part.ndim == 1 else part
        if part.ndim != 2 or part.shape[1] == 0:
            raise ValueError(f"sequence {number} has the shape {part.shape}; it must be (length, d)")
        if len(part) < 2:
            raise ValueError(f"sequence {number} has {len(part)} positions; a model needs at least 2")
        if not np.isfinite(part).all():
            raise ValueError(f"sequence {number} holds NaN or infinity; leave such positions out, or fill them first")
        check_magnitudes(part, f"sequence {number}")
        if parts and part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"sequence {number} has {part.shape[1]} columns and sequence 0 has {parts[0].shape[1]}; all must agree"
            )
        parts.append(part)
    if not parts:
        raise ValueError("no sequences were given; give at least one")
    return parts
