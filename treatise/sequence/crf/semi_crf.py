"""Semi-Markov conditional random fields of any order: labelled segments (Cuong, Ye, Lee & Chieu, JMLR 15:981)."""

from itertools import pairwise
from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise.inference import PatternAutomaton, PatternChains, observed_patterns
from treatise.sequence._labels import coded_labels, label_lists
from treatise.sequence.crf._base import BaseCRF
from treatise.sequence.crf._emissions import emissions_of
from treatise.sequence.segments import labels_from_segments, segment_f1, segments_from_labels


class SemiCRF(BaseCRF):
    """Divides a sequence into labelled segments, from features of positions, lengths and patterns of segment labels.

    A segment is scored by the features of all its positions, once more by those of its first and of its last, and by
    its length; the labels of neighbouring segments are scored by patterns of up to ``order + 1`` of them that occurred
    in training. A pattern of segments reaches much further than one of positions: "author, title, journal", however
    long each is.

    Use it where labels come in runs whose ends, lengths or order matter: fields of a reference, phrases, exons. Not
    where most segments have one position (:class:`CRF` is faster and says the same) or segments are hundreds of
    positions long: time and memory grow with the longest.

    An iteration costs O(nnz c + T L (K + A)): T positions, segments of at most L, K labels, A strings in the trie of
    label patterns; memory T L K numbers.

    Parameters
    ----------
    order : int, default=1
        How many segments back the label of a segment depends on.
    max_segment_length : int or None, default=None
        Longest segment; None is the longest of training.
    allow_repeat : bool or None, default=None
        Whether neighbouring segments may have the same label; None allows it if it occurred in training. Runs of
        labels, which the paper's formulation would also count as split in all ways, must not repeat.
    l1 : float, default=0.0
        Weight of the sum of absolute weights.
    l2 : float, default=1.0
        Weight of half the sum of squared weights: the paper's ``1 / sigma^2``.
    min_count : int, default=1
        Attributes that occur less often are left out.
    min_pattern_count : int, default=1
        Label patterns that occur less often are left out.
    all_states : bool, default=False
        Whether an attribute has a weight for every label, and not only for those it occurred with. Arrays always do.
    all_transitions : bool, default=False
        Whether every pair of labels has a weight, and not only those that occurred.
    max_iter : int, default=200
        Iterations of L-BFGS at most.
    tol : float, default=1e-4
        Training ends when three iterations in a row lower the objective by a smaller share of itself.
    verbose : bool or None, default=None
        Whether to draw a bar of progress; None draws it on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    inside_coef_, start_coef_, end_coef_ : csr_array or ndarray of shape (A, K)
        Weights of attributes at every, at the first and at the last position of a segment.
    length_coef_ : ndarray of shape (max_segment_length_, K)
        Weights of lengths, from 1.
    patterns_, pattern_weights_, pattern_features_, transition_features_
        Label patterns of segments with a weight, and the weights.
    max_segment_length_ : int
        Longest segment.
    repeats_ : bool
        Whether neighbouring segments may have the same label.
    n_iter_ : int
        Iterations made.
    converged_ : bool
        Whether training ended by ``tol``; a ConvergenceWarning tells where not.
    objective_path_, passes_ : ndarray
        The penalised negative log-likelihood at the start and after each iteration, and evaluations of it till then.

    Examples
    --------
    >>> from treatise.sequence import SemiCRF
    >>> lines = [["Ann", "Lee", "1999", "On", "cats"], ["Bo", "2001", "Dogs"], ["Cy", "Day", "1987", "All", "pets"]]
    >>> fields = [[(0, 2, "who"), (2, 3, "year"), (3, 5, "title")], [(0, 1, "who"), (1, 2, "year"), (2, 3, "title")],
    ...           [(0, 2, "who"), (2, 3, "year"), (3, 5, "title")]]
    >>> features = [[{"digit": word.isdigit(), "bias": 1} for word in line] for line in lines]
    >>> model = SemiCRF(order=2, l2=0.1).fit(features, fields)
    >>> model.predict([[{"digit": word.isdigit(), "bias": 1} for word in ("Di", "Fox", "2010", "Why")]])
    [[(0, 2, 'who'), (2, 3, 'year'), (3, 4, 'title')]]

    References
    ----------
    .. [1] Paper v15-0981, Section 2.
    """

    _parameter_constraints: dict = {
        **BaseCRF._parameter_constraints,
        "max_segment_length": [Interval(Integral, 1, None, closed="left"), None],
        "allow_repeat": ["boolean", None],
    }

    def __init__(
        self,
        order=1,
        *,
        max_segment_length=None,
        allow_repeat=None,
        l1=0.0,
        l2=1.0,
        min_count=1,
        min_pattern_count=1,
        all_states=False,
        all_transitions=False,
        max_iter=200,
        tol=1e-4,
        verbose=None,
    ):
        self.order = order
        self.max_segment_length = max_segment_length
        self.allow_repeat = allow_repeat
        self.l1 = l1
        self.l2 = l2
        self.min_count = min_count
        self.min_pattern_count = min_pattern_count
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, sequences, segments):
        """Learn the weights.

        Parameters
        ----------
        sequences : list of sequences
            Each a list with, for every position, a dictionary or a list of names of features; or each an array of
            shape (length, d).
        segments : list of lists of (start, end, label), or list of sequences of labels
            The segments of each sequence, in order and without gaps, the ends exclusive; or the label of every
            position, whose runs are the segments.

        Returns
        -------
        self
        """
        rows, lengths = self._encoded(sequences, fitting=True)
        ways = [checked_segments(each, length, s) for s, (each, length) in enumerate(_paired(segments, lengths))]
        codes, self.classes_ = coded_labels([labels_from_segments(way) for way in ways], lengths)
        K, L = len(self.classes_), self._longest(ways)
        paths = _label_paths(ways, self.classes_)
        repeated = any(a == b for path in paths for a, b in pairwise(path))
        if repeated and self.allow_repeat is False:
            raise ValueError("allow_repeat=False and neighbouring segments with the same label occur in training")
        self.repeats_ = repeated if self.allow_repeat is None else bool(self.allow_repeat)
        counts = observed_patterns(paths, min_length=2, max_length=self.order + 1, min_count=self.min_pattern_count)
        if self.all_transitions:
            pairs = [(i, j) for i in range(K) for j in range(K) if self.repeats_ or i != j]
            counts = {**{pair: counts.get(pair, 0) for pair in pairs}, **counts}
        patterns = list(counts)
        emissions = emissions_of(rows, codes, K, everywhere=self.all_states, min_count=self.min_count)
        starts, ends, of_length = _indicators(ways, codes, K, L)
        seen = np.concatenate([
            emissions.expectations(np.eye(K)[codes]), emissions.expectations(starts), emissions.expectations(ends),
            of_length.ravel(), np.array(list(counts.values()), float),
        ])  # fmt: skip
        parts = np.cumsum([emissions.n_weights] * 3 + [L * K])
        automaton = PatternAutomaton([*patterns, *self._forbidden(K)], K)
        never = np.full(len(automaton.patterns) - len(patterns), -np.inf)

        def objective(w):
            inside, start, end, length, pattern = np.split(w, parts)
            scores = segment_scores(*(emissions.scores(each) for each in (inside, start, end)), length.reshape(L, K))
            chain = PatternChains(automaton, scores, np.concatenate([pattern, never]), lengths=lengths)
            found = chain.marginals()
            covering, starting, ending = position_marginals(found.segments)
            expected = np.concatenate([
                emissions.expectations(covering), emissions.expectations(starting), emissions.expectations(ending),
                found.segments.sum(axis=0).ravel(), found.patterns[: len(patterns)],
            ])  # fmt: skip
            value = found.log_partition.sum() - seen @ w + 0.5 * self.l2 * (w @ w)
            return value, expected - seen + self.l2 * w

        bend = np.concatenate([np.tile(emissions.curvature(), 3), np.sqrt(seen[parts[2] :])])
        weights = np.split(self._minimise(objective, bend), parts)
        self.inside_coef_, self.start_coef_, self.end_coef_ = (emissions.table(each) for each in weights[:3])
        self.length_coef_ = weights[3].reshape(L, K)
        self.max_segment_length_ = L
        self._set_patterns(patterns, weights[4])
        return self

    def _longest(self, ways):
        longest = max(end - start for way in ways for start, end, _ in way)
        if self.max_segment_length is None:
            return longest
        if longest > self.max_segment_length:
            raise ValueError(f"a segment has {longest} positions; max_segment_length={self.max_segment_length}")
        return self.max_segment_length

    def _forbidden(self, K):
        return [] if self.repeats_ else [(y, y) for y in range(K)]

    def _chain(self, sequences):
        check_is_fitted(self, "classes_")
        rows, lengths = self._encoded(sequences, fitting=False)
        tables = (self.inside_coef_, self.start_coef_, self.end_coef_)
        scores = segment_scores(*(self._scores_of(rows, table) for table in tables), self.length_coef_)
        forbidden = self._forbidden(len(self.classes_))
        automaton = PatternAutomaton([*self._pattern_strings(), *forbidden], len(self.classes_))
        weights = np.concatenate([self.pattern_weights_, np.full(len(forbidden), -np.inf)])
        return PatternChains(automaton, scores, weights, lengths=lengths)

    def predict(self, sequences):
        """The most probable segments of each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        segments : list of lists of (start, end, label)
            The ends exclusive.
        """
        chain = self._chain(sequences)
        labels, starts, _ = chain.best_paths()
        found = []
        for low, high in zip(chain.offsets[:-1], chain.offsets[1:]):
            edges = [*np.flatnonzero(starts[low:high]).tolist(), int(high - low)]
            names = self.classes_[labels[low + np.array(edges[:-1])]].tolist()
            found.append(list(zip(edges[:-1], edges[1:], names)))
        return found

    def predict_labels(self, sequences):
        """The label of every position under the most probable segments, as lists."""
        return [labels_from_segments(way) for way in self.predict(sequences)]

    def predict_marginals(self, sequences):
        """Probability of each label at each position.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.

        Returns
        -------
        probabilities : list of ndarray of shape (length, K)
            Columns in the order of ``classes_``.
        """
        chain = self._chain(sequences)
        covering, _, _ = position_marginals(chain.marginals().segments)
        return np.split(np.clip(covering, 0.0, 1.0), chain.offsets[1:-1])

    def predict_k_best(self, sequences, k):
        """The ``k`` most probable segmentations of each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        k : int
            How many; a sequence with fewer gives them all.

        Returns
        -------
        segmentations : list of lists of (segments, log probability)
            Best first.
        """
        chain = self._chain(sequences)
        names = self.classes_.tolist()
        ways, scores = chain.best_k_paths(k)
        return [
            [
                ([(start, end, names[y]) for start, end, y in way], float(value - log_z))
                for way, value in zip(each, values)
            ]
            for each, values, log_z in zip(ways, scores, chain.log_partition())
        ]

    def log_probability(self, sequences, segments):
        """Logarithm of the probability of given segments, one number for each sequence; -inf where impossible.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        segments : list of lists of (start, end, label), or list of sequences of labels
            As in :meth:`fit`, with labels that occurred in training.

        Returns
        -------
        log_probabilities : ndarray of shape (n,)
        """
        chain = self._chain(sequences)
        given = _paired(segments, np.diff(chain.offsets))
        ways = [checked_segments(each, length, s) for s, (each, length) in enumerate(given)]
        paths = _label_paths(ways, self.classes_)
        coded = [[(a, b, y) for (a, b, _), y in zip(way, path)] for way, path in zip(ways, paths)]
        too_long = np.array([max(b - a for a, b, _ in way) > self.max_segment_length_ for way in coded])
        scores = chain.scores_of([[] if skip else way for way, skip in zip(coded, too_long)])
        return np.where(too_long, -np.inf, scores - chain.log_partition())

    def score(self, sequences, segments):
        """F1 of segments (:func:`segment_f1`) over all sequences.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        segments : list of lists of (start, end, label), or list of sequences of labels
            As in :meth:`fit`.

        Returns
        -------
        f1 : float
        """
        predicted = self.predict(sequences)
        given = _paired(segments, [way[-1][1] for way in predicted])
        return segment_f1([checked_segments(each, n, s) for s, (each, n) in enumerate(given)], predicted)


def segment_scores(inside, start, end, length):
    """Scores of all segments, of shape (T, L, K), from those of positions and lengths.

    Where a segment would reach back beyond its sequence the number means nothing; nobody reads it.
    """
    (T, K), L = inside.shape, len(length)
    scores = np.empty((T, L, K))
    covered = inside.copy()
    for d in range(L):
        if d > 0:
            covered[d:] = inside[d:] + covered[d - 1 : -1]
        scores[:, d] = covered + end + length[d]
        scores[d:, d] += start[: T - d]
    return scores


def position_marginals(segments):
    """Probabilities that a position is covered, begins and ends with each label, from those of all segments."""
    T = len(segments)
    ending, starting = segments.sum(axis=1), np.zeros(segments.shape[::2])
    for d in range(min(segments.shape[1], T)):
        starting[: T - d] += segments[d:, d]
    covering = np.cumsum(starting, axis=0)
    covering[1:] -= np.cumsum(ending, axis=0)[:-1]
    return covering, starting, ending


def checked_segments(segments, length, s):
    """Segments as tuples, in order and without gaps; runs where labels were given."""
    segments = list(segments)
    if not all(isinstance(each, (tuple, list)) and len(each) == 3 for each in segments):
        if len(segments) != length:
            raise ValueError(f"sequence {s} (counted from 0) has {length} positions and {len(segments)} labels")
        return segments_from_labels(segments)
    ways, at = [], 0
    for start, end, label in segments:
        if start != at or not isinstance(end, Integral) or end <= start:
            raise ValueError(
                f"sequence {s} (counted from 0): segment {(start, end, label)} must begin at {at}, end at a whole "
                "number and not be empty"
            )
        ways.append((int(start), int(end), label))
        at = end
    if at != length:
        raise ValueError(f"sequence {s} (counted from 0) has {length} positions and its segments end at {at}")
    return ways


def _paired(segments, lengths):
    segments = label_lists(segments)
    if len(segments) != len(lengths):
        raise ValueError(f"there are {len(lengths)} sequences and segments for {len(segments)}")
    return zip(segments, lengths)


def _label_paths(ways, classes):
    """Labels of the segments of each sequence as numbers."""
    counts = [len(way) for way in ways]
    codes, _ = coded_labels([[label for _, _, label in way] for way in ways], counts, classes)
    return [path.tolist() for path in np.split(codes, np.cumsum(counts)[:-1])]


def _indicators(ways, codes, K, L):
    """Where true segments start and end with each label, and how many have each length and label."""
    starts, ends, of_length = np.zeros((len(codes), K)), np.zeros((len(codes), K)), np.zeros((L, K))
    low = 0
    for way in ways:
        for start, end, _ in way:
            label = codes[low + start]
            starts[low + start, label] = ends[low + end - 1, label] = 1.0
            of_length[end - start - 1, label] += 1.0
        low += way[-1][1]
    return starts, ends, of_length
