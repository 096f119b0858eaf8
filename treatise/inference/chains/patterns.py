"""Exact inference in chains with scores for label patterns of any length, of positions or of segments."""

import heapq
from dataclasses import dataclass

import numpy as np

from treatise._core.threads import over_ranges
from treatise.inference.chains import _pattern_loops as loops


class PatternChains:
    """A batch of sequences, labelled or segmented: ``log p = scores of segments and of label patterns - log Z``.

    The score of a segmentation is that of its segments (``segments``: where they end, how long they are, their label)
    and, at every segment, that of the patterns that the labels of the segments up to it end with. With segments of one
    position this is a Markov chain whose order is the length of the longest pattern less one. A score of -inf forbids.
    Sums cost O(T L A), T positions in all, segments of at most L, A strings in the trie of patterns (``A <= n_labels
    + M k`` for M patterns of length at most k): linear in the number of patterns, and no power of the number of
    labels. Where all pairs of labels matter and nothing longer does, :class:`Chains` is faster. Long batches are
    divided among threads; each keeps O(T_max A) numbers.

    Parameters
    ----------
    automaton : PatternAutomaton
        The patterns.
    segments : array-like of shape (T, K) or (T, L, K)
        ``segments[t, d, y]`` scores a segment of d + 1 positions that ends at position t and has label y; without the
        middle axis, segments are single positions. The sequences lie one after another.
    pattern_scores : array-like of shape (M,), (T, M) or (T, L, M)
        Scores of the patterns: one for all places, by the position where the last segment ends, or by that and the
        segment's length.
    lengths : array-like of shape (n,) or None, default=None
        Lengths of the sequences; None is one sequence.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import PatternAutomaton, PatternChains
    >>> no_third = PatternAutomaton([(0, 0, 0), (1, 1, 1)], n_labels=2)
    >>> chain = PatternChains(no_third, np.zeros((4, 2)), [-np.inf, -np.inf])
    >>> round(float(np.exp(chain.log_partition())[0]))  # strings of four without three equal in a row
    10

    References
    ----------
    .. [1] Paper v15-0981, Sections 2.3 and 2.4.
    """

    def __init__(self, automaton, segments, pattern_scores, *, lengths=None):
        self.automaton = automaton
        segments = np.ascontiguousarray(segments, np.float64)
        self.segments = segments[:, None, :] if segments.ndim == 2 else segments
        K, M = automaton.n_labels, len(automaton.patterns)
        if self.segments.ndim != 3 or self.segments.shape[2] != K or self.segments.shape[1] == 0:
            raise ValueError(f"segments must have the shape (T, {K}) or (T, L, {K}); it has {segments.shape}")
        T, L, _ = self.segments.shape
        given = np.ascontiguousarray(pattern_scores, np.float64)
        if given.shape not in ((M,), (T, M), (T, L, M)):
            raise ValueError(
                f"pattern_scores must have the shape {(M,)}, {(T, M)} or {(T, L, M)}; it has {given.shape}"
            )
        self.pattern_scores = given[None, None] if given.ndim == 1 else given.reshape(T, -1, M)
        lengths = np.array([T]) if lengths is None else np.asarray(lengths, np.int64)
        if np.any(lengths < 0) or lengths.sum() != T:
            raise ValueError(
                f"lengths must not be negative and must sum to the {T} positions; they sum to {lengths.sum()}"
            )
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])
        for name in ("segments", "pattern_scores"):
            scores = getattr(self, name)
            if np.isnan(scores).any() or np.isposinf(scores).any():
                raise ValueError(f"{name} holds NaN or +inf; scores must be numbers or -inf")
        arc_pattern = np.full(len(automaton.arcs.fail), -1, np.int64)
        arc_pattern[automaton.pattern_arc] = np.arange(M)
        self._arc_scores = np.empty((*self.pattern_scores.shape[:2], len(arc_pattern)))
        loops.arc_scores(self.pattern_scores, arc_pattern, automaton.arcs.fail, self._arc_scores)

    def __len__(self):
        return len(self.offsets) - 1

    def _over_sequences(self, work):
        T, L, _ = self.segments.shape
        over_ranges(work, len(self), cost=6.0 * T * L * len(self.automaton.arcs.fail))

    def marginals(self, *, patterns=True):
        """Probabilities of segments and expected occurrences of patterns.

        Parameters
        ----------
        patterns : bool, default=True
            Whether to compute the probabilities too, and not the sums over all segmentations alone.

        Returns
        -------
        marginals : PatternMarginals

        Raises
        ------
        ValueError
            If a sequence has no possible segmentation.
        """
        arcs = self.automaton.arcs
        log_z, nodes = np.empty(len(self)), np.zeros_like(self.segments)
        counts = np.zeros_like(self._arc_scores)
        top = self._arc_scores.max(axis=2, initial=-np.inf)
        top[np.isneginf(top)] = 0.0
        weights = np.exp(self._arc_scores - top[:, :, None])
        shared = len(counts) == 1
        parts: list = []

        def work(first, last):
            # Counts of a row that sequences share are kept apart by thread.
            own = np.zeros_like(counts) if shared else counts
            loops.sums_scaled(first, last, self.offsets, self.segments, weights, top, arcs, log_z, nodes, own, patterns)
            parts.append((first, own))

        self._over_sequences(work)
        if shared:
            # In the order of the sequences, whichever thread was first: the same bits in every run.
            for _, own in sorted(parts, key=lambda part: part[0]):
                counts += own
        for s in np.flatnonzero(np.isnan(log_z)):
            loops.sums_of_logarithms(s, self.offsets, self.segments, self._arc_scores, arcs, log_z, nodes, counts)
            if log_z[s] == -np.inf:
                raise ValueError(f"sequence {s} (counted from 0) has no possible segmentation")
        if not patterns:
            return PatternMarginals(log_z, None, None)
        loops.occurrences(arcs.fail, counts)
        found = counts[:, :, self.automaton.pattern_arc]
        return PatternMarginals(log_z, nodes, found[0, 0] if found.shape[:2] == (1, 1) else found)

    def log_partition(self):
        """Logarithm of the sum over all segmentations of each sequence, of shape (n,)."""
        return self.marginals(patterns=False).log_partition

    def best_paths(self):
        """The most probable segmentation of every sequence (Viterbi).

        Returns
        -------
        labels : ndarray of shape (T,)
            Label of every position, the sequences one after another.
        starts : ndarray of bool, shape (T,)
            Whether a segment starts there.
        scores : ndarray of shape (n,)
            Scores of the segmentations.
        """
        T = len(self.segments)
        labels, starts, scores = np.zeros(T, np.int64), np.zeros(T, np.bool_), np.empty(len(self))
        self._over_sequences(
            lambda first, last: loops.best_paths(
                first, last, self.offsets, self.segments, self._arc_scores, self.automaton.arcs, labels, starts, scores
            )
        )
        if np.any(scores == -np.inf):
            raise ValueError(f"sequence {np.argmin(scores)} (counted from 0) has no possible segmentation")
        return labels, starts, scores

    def best_k_paths(self, k):
        """The ``k`` most probable segmentations of every sequence.

        They are found from the end by a best-first search that knows the score of the best way to every state
        (Viterbi's), and so visits little but what it reports.

        Parameters
        ----------
        k : int
            How many; a sequence with fewer possible segmentations gives them all.

        Returns
        -------
        segmentations : list of lists of lists of tuples
            For every sequence, best first, its segments as (start, end, label), the end exclusive.
        scores : list of ndarray
        """
        if k < 1:
            raise ValueError(f"k={k} segmentations were asked for; at least one is needed")
        found = [self._best_k(low, high - low, k) for low, high in zip(self.offsets[:-1], self.offsets[1:])]
        return [ways for ways, _ in found], [np.array(scores) for _, scores in found]

    def _best_k(self, low, n, k):
        arcs, L = self.automaton.arcs, self.segments.shape[1]
        delta, *_ = loops.forward_maxima(low, n, self.segments, self._arc_scores, arcs)
        by_position, by_length = len(self._arc_scores) > 1, self._arc_scores.shape[1] > 1
        arcs_into = {p: np.flatnonzero(arcs.target == p) for p in set(arcs.target.tolist())}
        # Items: minus the best total score, a number that breaks ties, end, state, score of what follows, what follows.
        heap: list = []
        for p in np.flatnonzero(delta[n] > -np.inf):
            heap.append((-delta[n, p], len(heap), n, int(p), 0.0, None))
        heapq.heapify(heap)
        ways, scores, pushed = [], [], len(heap)
        while heap and len(ways) < k:
            total, _, j, state, follows, rest = heapq.heappop(heap)
            if j == 0:
                ways.append(_unrolled(rest))
                scores.append(-total)
                continue
            for d in range(min(L, j)):
                t = low + j - 1
                row = self._arc_scores[t if by_position else 0, d if by_length else 0]
                for q in arcs_into[state]:
                    gained = float(row[q] + self.segments[t, d, arcs.label[q]]) + follows
                    for p in _states_taking(arcs, q):
                        if delta[j - d - 1, p] + gained > -np.inf:
                            item = (j - d - 1, j, int(arcs.label[q]))
                            priority = -(delta[j - d - 1, p] + gained)
                            heapq.heappush(heap, (priority, pushed, j - d - 1, p, gained, (item, rest)))
                            pushed += 1
        return ways, scores

    def scores_of(self, segmentations):
        """Scores of given segmentations; minus ``log_partition()`` they are log probabilities.

        Parameters
        ----------
        segmentations : list of lists of (start, end, label)
            One for each sequence, the ends exclusive, positions counted from the sequence's beginning. An empty list
            passes a sequence over, with the score zero.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        if len(segmentations) != len(self):
            raise ValueError(f"there are {len(self)} sequences and {len(segmentations)} segmentations")
        by_position, by_length = len(self._arc_scores) > 1, self._arc_scores.shape[1] > 1
        found = np.zeros(len(self))
        for s, segmentation in enumerate(segmentations):
            self._check_segmentation(s, segmentation)
            taken = self.automaton.run([label for _, _, label in segmentation])
            for (start, end, label), q in zip(segmentation, taken):
                t, d = self.offsets[s] + end - 1, end - start - 1
                found[s] += self.segments[t, d, label]
                found[s] += self._arc_scores[t if by_position else 0, d if by_length else 0, q]
        return found

    def _check_segmentation(self, s, segmentation):
        _, L, K = self.segments.shape
        reached = 0
        for start, end, label in segmentation:
            if start != reached or not 1 <= end - start <= L or not 0 <= label < K:
                raise ValueError(
                    f"segment {(start, end, label)} of sequence {s} (counted from 0) must start at {reached}, hold 1 "
                    f"to {L} positions and have a label from 0 to {K - 1}"
                )
            reached = end
        if segmentation and reached != self.offsets[s + 1] - self.offsets[s]:
            raise ValueError(
                f"the segments of sequence {s} (counted from 0) end at {reached}; the sequence has "
                f"{self.offsets[s + 1] - self.offsets[s]} positions"
            )


@dataclass(frozen=True)
class PatternMarginals:
    """What a batch of segmented sequences holds on average.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        Logarithm of the sum over all segmentations of each sequence.
    segments : ndarray of shape (T, L, K), or None
        Probability of each segment.
    patterns : ndarray of shape (M,), (T, 1, M) or (T, L, M), or None
        Expected occurrences of each pattern: over the whole batch where all places share a score, else by the position
        where its last segment ends, and by that segment's length.
    """

    log_partition: np.ndarray
    segments: np.ndarray | None
    patterns: np.ndarray | None


def _states_taking(arcs, q):
    """States from which arc ``q`` is taken."""
    states = np.arange(arcs.parent[q], arcs.state_end[arcs.parent[q]])
    free = np.ones(len(states), np.bool_)
    for p in arcs.closer[arcs.closer_start[q] : arcs.closer_start[q + 1]]:
        free[p - states[0] : arcs.state_end[p] - states[0]] = False
    return states[free].tolist()


def _unrolled(rest):
    segments = []
    while rest is not None:
        segment, rest = rest
        segments.append(segment)
    return segments
