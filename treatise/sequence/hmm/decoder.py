"""Decoders between Viterbi and posterior decoding (Lember & Koloydenko, JMLR 15:1)."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.inference import Chains
from treatise.sequence.hmm import _decoder_loops as loops
from treatise.sequence.hmm.hidden_chains import HiddenChains
from treatise.sequence.hmm.path_risks import PathRisks, loss_matrix, path_risks

_POWERS = {"log": 0.0, "linear": 1.0}
_LARGEST_BLOCK_SEARCH = 28
"""Logarithm to the base 2 of the steps that a search for blocks remembers, four bytes each."""


@dataclass(frozen=True)
class Decoding:
    """Paths of a decoder, and what they cost.

    Attributes
    ----------
    paths : ndarray of int, of shape (T,)
        Numbers of the states, the sequences one after another.
    labels : ndarray of shape (T,)
        The same as names of the states, or as their labels where the decoder was given some.
    offsets : ndarray of shape (n + 1,)
        Where each sequence begins, and the end.
    risks : PathRisks
        Risks of each path; ``error`` counts by the decoder's own loss.
    """

    paths: np.ndarray
    labels: np.ndarray
    offsets: np.ndarray
    risks: PathRisks

    def __iter__(self):
        """Labels of one sequence after another."""
        return iter(np.split(self.labels, self.offsets[1:-1]))


class HMMDecoder(BaseEstimator):
    """Hidden paths anywhere between the most probable one and the most probable states.

    Viterbi's path is the most probable as a whole and may be wrong at many positions; posterior decoding is wrong at
    the fewest, in expectation, and may be an impossible path. The hybrid decoder minimises a weighted sum of both
    risks and of their prior counterparts, exactly and at Viterbi's cost, and its paths are possible as soon as the
    whole path has any weight. Use it with any hidden Markov model; raise ``alpha`` for coherent segments, lower it for
    fewer wrong positions, and see :func:`treatise.sequence.decoding_path` for all of the range. Do not use it to
    decode labels that many states share as one path (that is hard): give ``state_labels``, which counts errors of
    labels position by position.

    O(T K^2) time, O(T K) memory; "block" takes O(T K^k).

    Parameters
    ----------
    method : {"hybrid", "block", "power", "log-average"}, default="hybrid"
        "hybrid" minimises the combined risk (problems 18 and 26). The others are here for comparison: "block" maximises
        the expected number of right blocks of ``k`` states (Rabiner) and may give impossible paths; "power" and
        "log-average" (Brushe) decode position by position after messages that turn from sums to maxima as ``mu`` grows,
        and glue tied Viterbi paths together into one that may be impossible.
    alpha : float in [0, 1] or None, default=None
        Weight of the path; 1 - alpha is that of the states. 0 is posterior decoding, 1 Viterbi.
    k : float >= 1 or None, default=None
        Length of blocks: for "hybrid" the same as ``alpha = 1 - 1/k``, for "block" a whole number. With neither
        ``alpha`` nor ``weights`` it is 2.
    weights : tuple of four floats or None, default=None
        Weights of all four risks: posterior of states, posterior of the path, prior of states, prior of the path.
        (0, 0, 0, 1) is the most probable path before anything is observed.
    family : {"log", "linear"}, float, or a pair of these, default="log"
        Risk of states: minus log probability (problem 18), or expected errors (problem 26), or the powers
        ``(1 - p^b) / b`` between and beyond, where 0 is "log" and 1 "linear" (equation 55). Of a pair, the second is
        for the prior.
    constraint : {None, "posterior", "prior"}, default=None
        Which paths are allowed where the weights alone would allow more: those that are possible given the
        observations, or those that are possible before. ``alpha=0, constraint="posterior"`` is posterior-Viterbi
        decoding with the family "log" and constrained posterior decoding with "linear".
    mu : float >= 0, default=1.0
        For "power", 1 is posterior decoding and infinity Viterbi, 0 a limit beyond; for "log-average", 0 is excluded
        and its limit is posterior decoding.
    normalized : bool, default=True
        Whether "log-average" scales its messages: another decoder (Proposition 13), but one that lasts beyond short
        sequences.
    loss : array-like of shape (K,) or (K, K), or None, default=None
        Loss of missing state y, or of answering s where y is true (row s, column y), in the risks of states. A matrix
        with entries above 1 needs the family "linear".
    state_labels : array-like of shape (K,) or None, default=None
        Labels of the states; only a wrong label is an error. ``loss`` is then over labels in sorted order.

    See Also
    --------
    path_risks : What any given path costs.
    decoding_path : The paths for many alphas, and their picture.

    Notes
    -----
    The paper replaces the probability of a state by the average over the states of its label. That is the stated loss
    only where all labels have as many states; here it is their sum, which always is.
    Of tied paths the one with the smallest states is taken, looked at from the end.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import HiddenChains, HMMDecoder
    >>> moves = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    >>> seen = np.log([[0.3, 0.8, 0.3], [0.8, 0.3, 0.7], [0.5, 0.9, 0.6], [0.9, 0.9, 0.7]])
    >>> chains = HiddenChains([0.4, 0.3, 0.3], moves, seen)
    >>> for alpha in (0, 0.5, 1):
    ...     found = HMMDecoder(alpha=alpha).decode(chains)
    ...     print(found.paths, found.risks.error.round(3), found.risks.admissible)
    [1 2 1 1] [0.604] [False]
    [1 2 0 1] [0.612] [ True]
    [1 2 2 0] [0.63] [ True]

    References
    ----------
    .. [1] Paper v15-0001: problems 7, 9, 14, 18, 26 and 56, Theorem 4, sections 4, 6 and 8.
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"hybrid", "block", "power", "log-average"})],
        "alpha": [Interval(Real, 0, 1, closed="both"), None],
        "k": [Interval(Real, 1, None, closed="both"), None],
        "weights": ["array-like", None],
        "family": [StrOptions({"log", "linear"}), Interval(Real, None, None, closed="neither"), list, tuple],
        "constraint": [StrOptions({"posterior", "prior"}), None],
        "mu": [Interval(Real, 0, None, closed="both")],
        "normalized": ["boolean"],
        "loss": ["array-like", None],
        "state_labels": ["array-like", None],
    }

    def __init__(
        self,
        method="hybrid",
        *,
        alpha=None,
        k=None,
        weights=None,
        family="log",
        constraint=None,
        mu=1.0,
        normalized=True,
        loss=None,
        state_labels=None,
    ):
        self.method = method
        self.alpha = alpha
        self.k = k
        self.weights = weights
        self.family = family
        self.constraint = constraint
        self.mu = mu
        self.normalized = normalized
        self.loss = loss
        self.state_labels = state_labels

    def decode(self, chains):
        """Decode every sequence.

        Parameters
        ----------
        chains : HiddenChains
            The model and what was observed; :meth:`treatise.sequence.HMM.chains` makes it.

        Returns
        -------
        decoding : Decoding
            Paths, names and risks.

        Raises
        ------
        ValueError
            If a parameter is out of range, or a sequence has no possible path.
        """
        self._validate_params()
        if not isinstance(chains, HiddenChains):
            raise ValueError(f"chains is a {type(chains).__name__}; give HiddenChains, which HMM.chains makes")
        paths = {
            "hybrid": self._hybrid,
            "block": self._block,
            "power": self._power,
            "log-average": self._log_average,
        }[self.method](chains)
        risks = path_risks(chains, paths, loss=self.loss, state_labels=self.state_labels)
        names = chains.states if self.state_labels is None else np.asarray(self.state_labels)
        return Decoding(paths, names[paths], chains.offsets, risks)

    def _hybrid(self, chains):
        states, path, prior_states, prior_path = self._weights()
        unary = np.zeros_like(chains.log_emissions)
        power, prior_power = self._powers()
        # gamma_t of the recursion (23) and (28). A weight of 0 takes a term out, even where it is infinite.
        if states > 0:
            unary += states * self._gains(chains.posterior, power)
        if path > 0:
            unary += path * chains.log_emissions
        if prior_states > 0:
            unary += prior_states * self._gains(chains.prior, prior_power)
        if self.constraint == "posterior":
            unary[np.isneginf(chains.log_emissions)] = -np.inf
        along = path + prior_path
        if along > 0:
            start, moves = along * chains.log_start, along * chains.log_transitions
        elif self.constraint is not None:
            start, moves = (np.where(np.isneginf(x), x, 0.0) for x in (chains.log_start, chains.log_transitions))
        else:
            return unary.argmax(axis=1)
        paths, _ = Chains(unary, moves, lengths=np.diff(chains.offsets), start=start).best_paths()
        return paths

    def _gains(self, distribution, power):
        """What states are worth: minus their terms in the risk of equation 55, with the loss of section 8."""
        if self.loss is not None or self.state_labels is not None:
            distribution = self._less_loss(distribution, power)
        if power == 1.0:
            return distribution - 1.0
        with np.errstate(divide="ignore"):
            return np.log(distribution) if power == 0.0 else (distribution**power - 1.0) / power

    def _less_loss(self, distribution, power):
        losses = loss_matrix(distribution.shape[1], self.loss, self.state_labels)
        if np.ndim(self.loss) < 2:
            # A loss of missing y: l(y) p(y) for p(y) (Figure 2), summed over the states of a label.
            labels = np.arange(len(losses))
            if self.state_labels is not None:
                labels = np.unique(np.asarray(self.state_labels), return_inverse=True)[1]
            missing = np.ones(len(losses)) if self.loss is None else np.asarray(self.loss, np.float64)[labels]
            if power <= 0 and not missing.all():
                raise ValueError("a loss of 0 needs family='linear': the logarithm would forbid the state altogether")
            return distribution @ ((labels[:, np.newaxis] == labels) * missing).T
        if power != 1.0 and losses.max() > 1:
            raise ValueError(
                f"a loss matrix with entries up to {losses.max():g} needs family='linear': others take powers or "
                "logarithms of one minus the expected loss; divide the matrix by its maximum, or take 'linear'"
            )
        return np.maximum(1.0 - distribution @ losses.T, 0.0) if power != 1.0 else 1.0 - distribution @ losses.T

    def _block(self, chains):
        k = 2 if self.k is None else self.k
        if k % 1 != 0:
            raise ValueError(f"k={k!r} must be a whole number where method='block'")
        longest = int(np.diff(chains.offsets).max())
        block = int(min(k, longest))
        if (block - 1) * np.log2(chains.n_states) + np.log2(longest - block + 1) > _LARGEST_BLOCK_SEARCH:
            raise ValueError(
                f"blocks of k={k:g} among {chains.n_states} states along {longest} positions are too many to search; "
                "lower k"
            )
        paths = np.empty(len(chains.log_emissions), np.int64)
        posterior, moves = chains.posterior, _per_position(chains.transitions)
        chains.over_sequences(
            lambda first, last: loops.block_paths(
                first, last, chains.offsets, chains.log_emissions, moves, posterior, block, paths
            )
        )
        return paths

    def _power(self, chains):
        chains.log_likelihood  # noqa: B018 - refuses sequences without a possible path
        scores, moves = np.empty_like(chains.log_emissions), _per_position(chains.log_transitions)
        chains.over_sequences(
            lambda first, last: loops.power_transformed(
                first, last, chains.offsets, chains.log_emissions, chains.log_start, moves, float(self.mu), scores
            )
        )
        return scores.argmax(axis=1)

    def _log_average(self, chains):
        forward, backward = log_average_messages(chains, self.mu, normalized=self.normalized)
        return (forward * backward).argmax(axis=1)

    def _weights(self):
        given = [name for name in ("alpha", "k", "weights") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} were given, and each sets the weights; give one of them")
        if self.weights is not None:
            weights = np.asarray(self.weights, np.float64)
            if weights.shape != (4,) or not ((weights >= 0).all() and np.isfinite(weights).all() and weights.any()):
                raise ValueError(f"weights={self.weights!r} must be four numbers, none negative and not all 0")
            return tuple(weights)
        alpha = self.alpha if self.alpha is not None else 1.0 - 1.0 / (2.0 if self.k is None else self.k)
        return 1.0 - alpha, alpha, 0.0, 0.0

    def _powers(self):
        pair = self.family if isinstance(self.family, list | tuple) else (self.family, self.family)
        powers = [_POWERS.get(each, each) if isinstance(each, str) else each for each in pair]
        if len(powers) != 2 or not all(isinstance(power, Real) and np.isfinite(power) for power in powers):
            raise ValueError(f"family={self.family!r} must be 'log', 'linear', a number, or a pair of these")
        return float(powers[0]), float(powers[1])


def log_average_messages(chains, mu, *, normalized=True):
    """Brushe's forward and backward messages, whose products his decoder maximises position by position.

    They are between sums (``mu`` near 0) and maxima (large ``mu``). See Table 2 of the paper for an example in which
    scaling them changes the path. O(T K^2).

    Parameters
    ----------
    chains : HiddenChains
        The model and what was observed.
    mu : float > 0
        Place between sums and maxima.
    normalized : bool, default=True
        Equation 54; else equation 51, whose messages vanish for sequences of a few hundred positions.

    Returns
    -------
    forward, backward : ndarray of shape (T, K)

    Raises
    ------
    ValueError
        If ``mu`` is not positive and finite, or messages vanish.

    References
    ----------
    .. [1] Paper v15-0001, section 6.
    """
    if not 0 < mu < np.inf:
        raise ValueError(f"mu={mu!r} must be positive and finite for log-average messages")
    forward, backward = np.empty_like(chains.log_emissions), np.empty_like(chains.log_emissions)
    moves = _per_position(chains.transitions)
    chains.over_sequences(
        lambda first, last: loops.log_average_transformed(
            first, last, chains.offsets, chains.log_emissions, chains.start, moves, float(mu), normalized,
            forward, backward,
        )
    )  # fmt: skip
    if not ((forward * backward).max(axis=1) > 0).all():
        chains.log_likelihood  # noqa: B018 - tells first of a sequence without any possible path
        raise ValueError(
            "the log-average messages vanish in floating point: take normalized=True, a sequence of fewer positions, "
            "or method='power'"
        )
    return forward, backward


def _per_position(transitions):
    return transitions[np.newaxis] if transitions.ndim == 2 else transitions
