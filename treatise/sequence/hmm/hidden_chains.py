"""Hidden Markov models met with what was observed: all that decoders need to know."""

from functools import cached_property

import numpy as np

from treatise._core.threads import over_ranges
from treatise.inference import Chains
from treatise.inference.hidden_markov import hidden_marginals
from treatise.sequence.hmm._decoder_loops import prior_marginals

_SUM_TOLERANCE = 1e-6


class HiddenChains:
    """Sequences of hidden states, given a hidden Markov model and the likelihoods of the observations.

    Decoders and risks work on it, wherever the model comes from: :meth:`treatise.sequence.HMM.chains` makes one, and so
    does any model with probabilities of the first state, of moves, and log-likelihoods of each position under each
    state. The probabilities of the states are computed on first use and kept, so that many decoders share one
    forward-backward pass of O(T K^2).

    Parameters
    ----------
    start : array-like of shape (K,)
        Probabilities of the first state.
    transitions : array-like of shape (K, K) or (T, K, K)
        Probabilities of a move from state i to state j: one matrix, or one for each position, for the move into it
        (unused at the beginning of a sequence).
    log_emissions : array-like of shape (T, K)
        Log-likelihood of what is observed at each position under each state, the sequences one after another.
    lengths : array-like of shape (n,) or None, default=None
        Lengths of the sequences; None is one sequence.
    states : array-like of shape (K,) or None, default=None
        Names of the states; None numbers them from 0.

    Attributes
    ----------
    posterior : ndarray of shape (T, K)
        Probability of each state at each position given the whole sequence.
    prior : ndarray of shape (T, K)
        The same before anything is observed.
    log_likelihood : ndarray of shape (n,)
        Log-likelihood of each sequence.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import HiddenChains
    >>> chains = HiddenChains([0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], np.log([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]]))
    >>> chains.posterior.round(3)
    array([[0.725, 0.275],
           [0.261, 0.739],
           [0.725, 0.275]])
    """

    def __init__(self, start, transitions, log_emissions, *, lengths=None, states=None):
        self.start = _probabilities(start, "start")
        self.transitions = _probabilities(transitions, "transitions", positions=np.ndim(transitions) == 3)
        with np.errstate(divide="ignore"):
            self.log_start, self.log_transitions = np.log(self.start), np.log(self.transitions)
        self.posterior_scores = Chains(log_emissions, self.log_transitions, lengths=lengths, start=self.log_start)
        if len(self.offsets) < 2 or (np.diff(self.offsets) == 0).any():
            raise ValueError("a sequence is empty; each needs at least one position")
        self.states = np.arange(self.n_states) if states is None else np.asarray(states)
        if self.states.shape != (self.n_states,):
            raise ValueError(f"states must name each of the {self.n_states} states; its shape is {self.states.shape}")

    @property
    def log_emissions(self):
        """Log-likelihoods of the positions, of shape (T, K)."""
        return self.posterior_scores.unary

    @property
    def offsets(self):
        """Where each sequence begins, and the end, of shape (n + 1,)."""
        return self.posterior_scores.offsets

    @property
    def n_states(self):
        """Number of states."""
        return self.log_emissions.shape[1]

    def __len__(self):
        return len(self.offsets) - 1

    @cached_property
    def _marginals(self):
        if self.transitions.ndim == 3:
            return self.posterior_scores.marginals(pairs=False)
        return hidden_marginals(self.start, self.transitions, self.log_emissions, np.diff(self.offsets))

    @property
    def posterior(self):
        """Probability of each state at each position given the whole sequence, of shape (T, K)."""
        return self._marginals.nodes

    @property
    def log_likelihood(self):
        """Log-likelihood of each sequence, of shape (n,)."""
        return self._marginals.log_partition

    @cached_property
    def prior(self):
        """Probability of each state at each position before anything is observed, of shape (T, K)."""
        matrices = self.transitions[np.newaxis] if self.transitions.ndim == 2 else self.transitions
        prior = np.empty_like(self.log_emissions)
        self.over_sequences(lambda low, high: prior_marginals(low, high, self.offsets, self.start, matrices, prior))
        return prior

    def over_sequences(self, work):
        """Call ``work(first, last)`` on ranges of sequences, in threads where that is worth it."""
        over_ranges(work, len(self), cost=2.0 * self.log_emissions.size * self.n_states)

    def per_sequence(self, at_position):
        """Sums over the positions of each sequence."""
        return np.add.reduceat(at_position, self.offsets[:-1])

    def checked_paths(self, paths):
        """Paths as integers, refused where a state is missing or unknown."""
        paths = np.asarray(paths)
        if paths.shape != (len(self.log_emissions),) or paths.dtype.kind not in "iu":
            raise ValueError(
                f"paths must hold the number of a state for each of the {len(self.log_emissions)} positions; "
                f"they have the shape {paths.shape} and the type {paths.dtype}"
            )
        if len(paths) and not (paths.min() >= 0 and paths.max() < self.n_states):
            raise ValueError(f"paths hold {paths.min()} to {paths.max()}; states are numbered 0 to {self.n_states - 1}")
        return paths


def _probabilities(table, name, *, positions=False):
    values = np.ascontiguousarray(table, np.float64)
    # The matrix of a sequence's first position is never used, whatever stands there.
    rows = values[1:] if positions else values
    if not (rows >= 0).all():
        raise ValueError(f"{name} holds negative numbers or NaN; probabilities are needed")
    sums = rows.sum(axis=-1)
    worst = np.abs(sums - 1).max(initial=0.0)
    if worst > _SUM_TOLERANCE:
        wrong = float(np.ravel(sums)[np.argmax(np.abs(np.ravel(sums) - 1))])
        raise ValueError(f"{name} must be probabilities that sum to 1; a row sums to {wrong:.6g}")
    return values
