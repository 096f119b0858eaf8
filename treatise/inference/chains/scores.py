"""Exact inference in chains of discrete states: batches of sequences of any lengths."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from treatise._core.threads import over_ranges
from treatise.inference.chains import _score_loops as loops


class Chains:
    """A batch of chains: ``log p(path) = scores along the path - log Z``.

    The score of a path is that of its states (``unary``), of its moves (``transition``) and of its first and last
    state. Hidden Markov models and first-order conditional random fields are of this form, and higher orders with a
    larger set of states. A score of -inf forbids. Everything costs O(T K^2) for T positions in all and K states; long
    batches are divided among threads.

    Parameters
    ----------
    unary : array-like of shape (T, K)
        Scores of the states at all positions, the sequences one after another.
    transition : array-like of shape (K, K) or (T, K, K)
        Score of a move from state i to state j: one matrix for all moves, or one for each position, for the move into
        it (unused at the beginning of a sequence).
    lengths : array-like of shape (n,) or None, default=None
        Lengths of the sequences; None is one sequence.
    start, end : array-like of shape (K,) or None, default=None
        Scores of the first and of the last state of a sequence.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import Chains
    >>> weather = Chains(np.log([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]]), np.log([[0.7, 0.3], [0.3, 0.7]]))
    >>> weather.best_paths()[0]
    array([0, 1, 0])
    >>> weather.marginals().nodes.round(3)
    array([[0.725, 0.275],
           [0.261, 0.739],
           [0.725, 0.275]])
    """

    def __init__(self, unary, transition, *, lengths=None, start=None, end=None):
        self.unary = np.ascontiguousarray(unary, np.float64)
        if self.unary.ndim != 2 or self.unary.shape[1] == 0:
            raise ValueError(f"unary must have the shape (positions, states); it has {self.unary.shape}")
        T, K = self.unary.shape
        transition = np.ascontiguousarray(transition, np.float64)
        self.shares_transition = transition.ndim == 2
        self.transition = transition[None] if self.shares_transition else transition
        if self.transition.shape != (1 if self.shares_transition else T, K, K):
            raise ValueError(f"transition must have the shape {(K, K)} or {(T, K, K)}; it has {transition.shape}")
        lengths = np.array([T]) if lengths is None else np.asarray(lengths, np.int64)
        if np.any(lengths < 0) or lengths.sum() != T:
            raise ValueError(
                f"lengths must not be negative and must sum to the {T} positions; they sum to {lengths.sum()}"
            )
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])
        self.start = _vector(start, K, "start")
        self.end = _vector(end, K, "end")
        for name in ("unary", "transition", "start", "end"):
            scores = getattr(self, name)
            if np.isnan(scores).any() or np.isposinf(scores).any():
                raise ValueError(f"{name} holds NaN or +inf; scores must be numbers or -inf")

    def __len__(self):
        return len(self.offsets) - 1

    @property
    def _scores(self):
        return self.offsets, self.unary, self.transition, self.start, self.end

    def _over_sequences(self, work):
        T, K = self.unary.shape
        over_ranges(work, len(self), cost=2.0 * T * K * K)

    def marginals(self, *, pairs=True):
        """Probabilities of states and moves, and the logarithms of the sums over all paths.

        Parameters
        ----------
        pairs : bool, default=True
            Whether to compute those of moves too.

        Returns
        -------
        marginals : ChainMarginals

        Raises
        ------
        ValueError
            If no path of a sequence is possible.
        """
        n, (T, K) = len(self), self.unary.shape
        log_z, nodes = np.empty(n), np.empty((T, K))
        counted = np.zeros_like(self.transition)

        def work(first, last):
            # A sum over sequences that threads share is kept apart by thread; matrices of positions are not shared.
            own = np.zeros_like(counted) if self.shares_transition else counted
            loops.sums_scaled(first, last, *self._scores, log_z, nodes, own, pairs)
            parts.append((first, own))

        parts: list = []
        self._over_sequences(work)
        if self.shares_transition:
            # In the order of the sequences, whichever thread was first: the same bits in every run.
            for _, own in sorted(parts, key=lambda part: part[0]):
                counted += own
        for s in np.flatnonzero(np.isnan(log_z)):
            loops.sums_of_logarithms(*self._scores[:1], s, *self._scores[1:], log_z, nodes, counted, pairs)
            if log_z[s] == -np.inf:
                raise ValueError(f"sequence {s} (counted from 0) has no possible path")
        return ChainMarginals(log_z, nodes, (counted[0] if self.shares_transition else counted) if pairs else None)

    def log_partition(self):
        """Logarithm of the sum over all paths of each sequence, of shape (n,)."""
        return self.marginals(pairs=False).log_partition

    def best_paths(self):
        """The most probable path of every sequence (Viterbi).

        Returns
        -------
        paths : ndarray of shape (T,)
            States, the sequences one after another.
        scores : ndarray of shape (n,)
            Scores of the paths.
        """
        paths, scores = np.empty(len(self.unary), np.int64), np.empty(len(self))
        self._over_sequences(lambda first, last: loops.best_paths(first, last, *self._scores, paths, scores))
        if np.any(scores == -np.inf):
            raise ValueError(f"sequence {np.argmin(scores)} (counted from 0) has no possible path")
        return paths, scores

    def best_k_paths(self, k):
        """The ``k`` most probable paths of every sequence.

        Parameters
        ----------
        k : int
            How many; a sequence with fewer possible paths gives them all.

        Returns
        -------
        paths : list of ndarray of shape (at most k, length)
            One for each sequence, best first.
        scores : list of ndarray of shape (at most k,)
        """
        if k < 1:
            raise ValueError(f"k={k} paths were asked for; at least one is needed")
        found = []
        for low, high in zip(self.offsets[:-1], self.offsets[1:]):
            paths, scores = np.empty((k, high - low), np.int64), np.full(k, -np.inf)
            if high == low:
                found.append((paths[:1], np.zeros(1)))
                continue
            loops.best_k_paths(low, high - low, k, *self._scores[1:], paths, scores)
            there = scores > -np.inf
            found.append((paths[there], scores[there]))
        return [paths for paths, _ in found], [scores for _, scores in found]

    def max_marginals(self):
        """Score of the best path through each state at each position, of shape (T, K)."""
        scores = np.empty_like(self.unary)
        self._over_sequences(lambda first, last: loops.best_through(first, last, *self._scores, scores))
        return scores

    def entropy(self):
        """Entropy of the paths of each sequence, in nats, of shape (n,)."""
        return self.marginals(pairs=False).log_partition - self._expected_scores()

    def _expected_scores(self):
        moves = self if not self.shares_transition else self._with_own_transitions()
        marginals = moves.marginals()
        at_position = _times(marginals.nodes, self.unary).sum(axis=1) + _times(marginals.pairs, moves.transition).sum(
            axis=(1, 2)
        )
        filled = np.flatnonzero(np.diff(self.offsets) > 0)
        at_position[self.offsets[filled]] += _times(marginals.nodes[self.offsets[filled]], self.start).sum(axis=1)
        ends = self.offsets[filled + 1] - 1
        at_position[ends] += _times(marginals.nodes[ends], self.end).sum(axis=1)
        return self._summed(at_position)

    def _summed(self, at_position):
        """Sums over each sequence, zero for an empty one."""
        sums = np.zeros(len(self))
        filled = np.flatnonzero(np.diff(self.offsets) > 0)
        if len(filled):
            sums[filled] = np.add.reduceat(at_position, self.offsets[filled])
        return sums

    def _with_own_transitions(self):
        own = np.broadcast_to(self.transition, (len(self.unary), *self.transition.shape[1:]))
        return Chains(self.unary, own, lengths=np.diff(self.offsets), start=self.start, end=self.end)

    def sample(self, n_paths=1, *, random_state=None):
        """Paths drawn from the distribution.

        Parameters
        ----------
        n_paths : int, default=1
            Number of paths of each sequence.
        random_state : int, RandomState instance or None, default=None
            Source of randomness.

        Returns
        -------
        paths : ndarray of shape (n_paths, T)
        """
        self.log_partition()
        uniform = check_random_state(random_state).uniform(size=(n_paths, len(self.unary)))
        paths = np.empty((n_paths, len(self.unary)), np.int64)
        self._over_sequences(lambda first, last: loops.draw_paths(first, last, *self._scores, uniform, paths))
        return paths

    def path_scores(self, paths):
        """Scores of given paths, one for each sequence; minus ``log_partition()`` they are log probabilities.

        Parameters
        ----------
        paths : array-like of shape (T,)
            States, the sequences one after another.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        paths = np.asarray(paths)
        T, K = self.unary.shape
        if paths.shape != (T,):
            raise ValueError(f"a path needs a state for each of the {T} positions; its shape is {paths.shape}")
        if T and (not np.issubdtype(paths.dtype, np.integer) or paths.min() < 0 or paths.max() >= K):
            raise ValueError(f"a path must hold states, whole numbers from 0 to {K - 1}")
        paths = paths.astype(np.int64)
        at_position = self.unary[np.arange(T), paths]
        matrix = np.zeros(T, np.int64) if self.shares_transition else np.arange(T)
        inner = np.ones(T, bool)
        filled = np.flatnonzero(np.diff(self.offsets) > 0)
        inner[self.offsets[filled]] = False
        moves = np.flatnonzero(inner)
        at_position[moves] += self.transition[matrix[moves], paths[moves - 1], paths[moves]]
        at_position[self.offsets[filled]] += self.start[paths[self.offsets[filled]]]
        ends = self.offsets[filled + 1] - 1
        at_position[ends] += self.end[paths[ends]]
        return self._summed(at_position)


@dataclass(frozen=True)
class ChainMarginals:
    """What a batch of chains holds on average.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        Logarithm of the sum over all paths of each sequence.
    nodes : ndarray of shape (T, K)
        Probability of each state at each position.
    pairs : ndarray of shape (K, K) or (T, K, K), or None
        Expected number of moves over the whole batch, where all share one matrix; else the probability of each move
        into each position.
    """

    log_partition: np.ndarray
    nodes: np.ndarray
    pairs: np.ndarray | None


def _times(probability, score):
    """Products in which an impossible event counts nothing, however it is scored."""
    return np.where(probability > 0, probability * np.where(np.isinf(score), 0.0, score), 0.0)


def _vector(values, K, name):
    values = np.zeros(K) if values is None else np.ascontiguousarray(values, np.float64)
    if values.shape != (K,):
        raise ValueError(f"{name} must have one score for each of the {K} states; its shape is {values.shape}")
    return values
