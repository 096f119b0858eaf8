"""Structured prediction by search over complete outputs (Doppa, Fern & Tadepalli, JMLR 15:1317)."""

import time
from itertools import pairwise
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise._core.progress import progress
from treatise.sequence._labels import coded_labels, label_lists, position_accuracy
from treatise.sequence._listed_sequences import listed_sequences
from treatise.sequence.output_search._cost_loops import output_costs
from treatise.sequence.output_search._imitation import SearchImitation
from treatise.sequence.output_search._rank_learner import RankLearner
from treatise.sequence.output_search._spaces import OutputSearches, OutputSpace
from treatise.sequence.output_search.anytime_curve import AnytimeCurve
from treatise.sequence.output_search.recurrent_classifier import RecurrentClassifier, decisions

MOST_STRINGS = 10**8
"""Most strings of labels that have a weight."""


class OutputSpaceSearch(BaseEstimator):
    """Labels a sequence by improving the labels of a quick classifier, one change at a time, for as long as one likes.

    A :class:`RecurrentClassifier` gives a first labelling. A short search then changes labels, and keeps the labelling
    of least cost that it came upon. In the limited-discrepancy space the classifier decides again all that follows a
    change, so that one change repairs the errors that an error caused. The cost is linear in features of positions
    and in strings of labels, and is learned so that the search does what it would do if it knew the loss.

    Use it where the loss does not split into positions (F1 of chunks, errors of whole words), where strings of three
    and more labels matter, or where an answer may be wanted at any moment: stop it after any number of steps. With few
    training sequences it gains little. Where pairs of labels suffice, a :class:`CRF` is exact and has probabilities.

    A step scores T (K - 1) changes, or T k in a sparse space, each in time of the labels that it alters; prediction
    takes about T steps. Training expands as many states once, then costs about 0.1 microseconds for each ranking
    example, of which there are as many as changes scored, in each of ``epochs`` passes.

    Parameters
    ----------
    space : {"lds", "flipbit"}, default="lds"
        Whether the classifier decides again after a changed label ("lds"), or only that label changes ("flipbit",
        quicker, and as good where the classifier's errors do not breed others).
    recurrent : RecurrentClassifier or None, default=None
        The classifier to train; None is one with its defaults. One already trained is kept by wrapping it in
        ``sklearn.frozen.FrozenEstimator``.
    sparsity : int or None, default=None
        Consider only so many labels at each position, those that the classifier ranks highest; None considers all.
        May be set after training.
    beam_width : int, default=1
        Labellings kept open by the search; 1 is greedy search.
    max_steps : int or "length", default="length"
        Steps of the search, in training and prediction; "length" takes as many as a sequence has positions.
    feature_order : int, default=2
        The cost has weights for strings of up to ``feature_order + 1`` labels.
    loss : "hamming" or callable, default="hamming"
        How bad a labelling is: the number of wrong labels, or ``loss(true_labels, labels)``, both arrays. A callable
        is called for every labelling that training comes upon.
    training : {"exact", "dagger"}, default="exact"
        "exact" imitates searches led by the loss. "dagger" then adds what the loss would do along searches led by the
        cost learned so far, for ``dagger_iterations`` rounds in all, and keeps the round that does best on sequences
        held out; better in sparse spaces.
    dagger_iterations : int, default=5
        Rounds of "dagger".
    validation_fraction : float, default=0.1
        Share of the sequences that "dagger" holds out.
    epochs : int, default=50
        Passes of the rank learner.
    average : bool, default=True
        Whether the cost's weights are averaged over their course. The paper does not average.
    random_state : int, RandomState instance or None, default=None
        Order of the sequences in learning, and sequences held out.
    verbose : bool or None, default=None
        Whether to draw a bar of progress; None draws it on a terminal.

    Attributes
    ----------
    recurrent_ : RecurrentClassifier
        The classifier.
    classes_ : ndarray of shape (K,)
        The labels.
    cost_coef_ : ndarray of shape (columns, K)
        Weights of features in the cost.
    cost_strings_ : ndarray
        Weights of strings of 2, 3, ... labels, one length after another; a string is a number to the base K.
    n_ranking_examples_ : int
        Pairs of labellings that the cost was learned from.
    dagger_losses_ : ndarray
        Mean loss on the sequences held out after each round, where ``training`` is "dagger".

    See Also
    --------
    RecurrentClassifier : Where the search starts.
    CRF : Exact, for features of pairs of labels and losses that count positions.

    Notes
    -----
    Ties of the cost and of the loss are broken by the least position and label. Where several changes are equally good
    by the loss, training ranks the best labelling so far above each of them, not only above the one that is taken as in
    the paper's examples: with the halves of a fold of handwritten words as training and test, two more labels of a
    hundred were right (in the flip-bit space twenty).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import OutputSpaceSearch
    >>> rng = np.random.default_rng(0)
    >>> labels = [[(start + t) % 4 for t in range(5)] for start in rng.integers(0, 4, 60)]
    >>> sequences = [np.eye(4)[path] + rng.normal(scale=0.8, size=(5, 4)) for path in labels]
    >>> search = OutputSpaceSearch(random_state=0).fit(sequences[:40], labels[:40])
    >>> search.recurrent_.score(sequences[40:], labels[40:]) < search.score(sequences[40:], labels[40:])
    True

    References
    ----------
    .. [1] Paper v15-1317: Sections 3.2 to 3.5 (spaces), 4.2 and 4.3 and Algorithm 2 (imitation), 4.4 (rank learner).
    """

    _parameter_constraints: dict = {
        "space": [StrOptions({"lds", "flipbit"})],
        "recurrent": [HasMethods(["fit", "decision_tables"]), None],
        "sparsity": [Interval(Integral, 1, None, closed="left"), None],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "max_steps": [Interval(Integral, 0, None, closed="left"), StrOptions({"length"})],
        "feature_order": [Interval(Integral, 0, None, closed="left")],
        "loss": [StrOptions({"hamming"}), callable],
        "training": [StrOptions({"exact", "dagger"})],
        "dagger_iterations": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "random_state": ["random_state"],
        "verbose": ["boolean", None],
    }

    def __init__(
        self,
        space="lds",
        *,
        recurrent=None,
        sparsity=None,
        beam_width=1,
        max_steps="length",
        feature_order=2,
        loss="hamming",
        training="exact",
        dagger_iterations=5,
        validation_fraction=0.1,
        epochs=50,
        average=True,
        random_state=None,
        verbose=None,
    ):
        self.space = space
        self.recurrent = recurrent
        self.sparsity = sparsity
        self.beam_width = beam_width
        self.max_steps = max_steps
        self.feature_order = feature_order
        self.loss = loss
        self.training = training
        self.dagger_iterations = dagger_iterations
        self.validation_fraction = validation_fraction
        self.epochs = epochs
        self.average = average
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sequences, labels):
        """Learn the classifier, then the cost.

        Parameters
        ----------
        sequences : list of sequences
            Each a list with, for every position, a dictionary or a list of names of features; or each an array of
            shape (length, d).
        labels : list of sequences
            The label of every position.

        Returns
        -------
        self
        """
        random = check_random_state(self.random_state)
        rng = np.random.default_rng(random.randint(2**31))
        recurrent = (
            RecurrentClassifier(random_state=random.randint(2**31)) if self.recurrent is None else self.recurrent
        )
        # Checked here, by their numbers: those held out are not seen by the classifier.
        sequences = listed_sequences(sequences)
        labels = label_lists(labels, [len(each) for each in sequences])
        held_out = ([], [])
        if self.training == "dagger":
            sequences, labels, *held_out = self._split(sequences, labels, rng)
        self.recurrent_ = clone(recurrent).fit(sequences, labels)
        self.classes_ = self.recurrent_.classes_
        K = len(self.classes_)
        n_strings = sum(float(K) ** (length + 1) for length in range(1, self.feature_order + 1))
        if n_strings > MOST_STRINGS:
            raise ValueError(
                f"feature_order={self.feature_order} gives {n_strings:.3g} strings of {K} labels, which is too many; "
                "choose it smaller"
            )
        data = _Problem(self, sequences, labels)
        learner = RankLearner(data.rows, data.offsets, K, self.feature_order)
        rounds = self.dagger_iterations if self.training == "dagger" else 1
        best, losses = np.inf, []
        total = rounds * (self.epochs + len(sequences))
        with progress("Output-space search", total, show=self.verbose) as advance:
            for r in range(rounds):
                data.imitate(learner, advance, led_by_cost=r > 0)
                weights, strings = learner.fit(self.epochs, self.average, rng, advance)
                self.cost_coef_, self.cost_strings_ = data.weights = weights, strings
                if rounds > 1:
                    losses.append(self._mean_loss(*held_out))
                    if losses[-1] < best:
                        best, kept = losses[-1], (weights, strings)
        if rounds > 1:
            self.cost_coef_, self.cost_strings_ = kept
        self.dagger_losses_ = np.array(losses)
        self.n_ranking_examples_ = learner.n_pairs
        return self

    def _split(self, sequences, labels, rng):
        n_held = max(1, round(self.validation_fraction * len(sequences)))
        if n_held >= len(sequences):
            raise ValueError(f"training='dagger' holds out {n_held} of {len(sequences)} sequences; give it more")
        order = rng.permutation(len(sequences))
        parts = np.sort(order[n_held:]), np.sort(order[:n_held])
        return [[items[i] for i in part] for part in parts for items in (sequences, labels)]

    def _mean_loss(self, sequences, labels):
        return float(np.mean([self._loss(y, p) for y, p in zip(labels, self.predict(sequences))]))

    def _loss(self, truth, predicted):
        if self.loss == "hamming":
            return float(sum(a != b for a, b in zip(truth, predicted)))
        return float(self.loss(np.asarray(truth), np.asarray(predicted)))

    def _invariants(self):
        K = len(self.classes_)
        yield "the classifier has these labels", len(self.recurrent_.classes_) == K
        columns = self.recurrent_.encoder_.width
        yield "columns have a cost for each label", is_array(self.cost_coef_, np.float64, columns, K)
        yield "strings are of few labels", self.feature_order < 63  # to count longer ones would never end
        strings = sum(K ** (length + 1) for length in range(1, self.feature_order + 1))
        yield "strings of labels have a cost", is_array(self.cost_strings_, np.float64, strings)
        yield "at most a million outputs are kept", self.beam_width <= 10**6

    def _searches(self, sequences, max_steps, beam_width):
        """Searches that stand at the classifier's labels."""
        check_is_fitted(self, "cost_coef_")
        max_steps = self.max_steps if max_steps is None else max_steps
        beam_width = self.beam_width if beam_width is None else beam_width
        if not isinstance(beam_width, Integral) or beam_width < 1:
            raise ValueError(f"beam_width={beam_width!r} must be a whole number of at least 1")
        rows, lengths = self.recurrent_.encode(sequences)
        if max_steps == "length":
            steps = lengths.copy()
        elif isinstance(max_steps, Integral) and max_steps >= 0:
            steps = np.full(len(lengths), max_steps, np.int64)
        else:
            raise ValueError(f"max_steps={max_steps!r} must be 'length' or a whole number of at least 0")
        observed, pushes = self.recurrent_.decision_tables(rows)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return OutputSearches(
            offsets, decisions(observed, pushes, offsets), observed, pushes,
            self._cost_table(rows), self.cost_strings_, self.feature_order,
            discrepancies=self.space == "lds", sparsity=self._labels_considered(), beam_width=beam_width,
            max_steps=steps,
        )  # fmt: skip

    def _cost_table(self, rows):
        """Costs of labels at positions; compiled code follows the strings of labels without looking."""
        K = len(self.classes_)
        n_strings = sum(K ** (length + 1) for length in range(1, self.feature_order + 1))
        if self.cost_coef_.shape[1] != K or len(self.cost_strings_) != n_strings:
            raise ValueError(
                f"feature_order={self.feature_order} and {K} labels need weights of {n_strings} strings, and "
                f"{len(self.cost_strings_)} were learned; fit again after a change of feature_order"
            )
        return np.ascontiguousarray(rows @ self.cost_coef_)

    def _labels_considered(self):
        K = len(self.classes_)
        return K - 1 if self.sparsity is None else min(self.sparsity, K - 1)

    def predict(self, sequences, *, max_steps=None, time_limit=None, beam_width=None):
        """The labelling of least cost that the search comes upon.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        max_steps : int, "length" or None, default=None
            Steps for each sequence; None is what the estimator was made with, 0 gives the classifier's labels.
        time_limit : float or None, default=None
            Seconds for the whole call. All sequences are taken further in turn, and when time is up the answers are
            the best so far; the classifier's labels are always made.
        beam_width : int or None, default=None
            Labellings kept open; None is what the estimator was made with.

        Returns
        -------
        labels : list of lists
        """
        begin = time.perf_counter()
        if time_limit is not None and not (isinstance(time_limit, Real) and time_limit >= 0):
            raise ValueError(f"time_limit={time_limit!r} must be a number of seconds of at least 0")
        searches = self._searches(sequences, max_steps, beam_width)
        if time_limit is None:
            searches.take(int(searches.remaining.max()))
        else:
            _take_until(searches, begin, time_limit)
        return self._labels(searches)

    def _labels(self, searches):
        return [self.classes_[path].tolist() for path in np.split(searches.best_labels, searches.offsets[1:-1])]

    def anytime_curve(self, sequences, labels, *, max_steps=None, beam_width=None):
        """Accuracy, loss and cost after each step of the search.

        Parameters
        ----------
        sequences, labels : list of sequences
            As in :meth:`fit`.
        max_steps, beam_width :
            As in :meth:`predict`.

        Returns
        -------
        AnytimeCurve
            With the method ``plot``.
        """
        begin = time.perf_counter()
        searches = self._searches(sequences, max_steps, beam_width)
        spent = time.perf_counter() - begin
        labels = label_lists(labels)
        points = []
        for step in range(int(searches.remaining.max()) + 1):
            if step > 0:
                begin = time.perf_counter()
                searches.take(1)
                spent += time.perf_counter() - begin
            answers = self._labels(searches)
            accuracy = position_accuracy(answers, labels)
            loss = np.mean([self._loss(y, p) for y, p in zip(labels, answers)])
            points.append((step, spent, accuracy, loss, searches.best_costs.mean()))
        steps, seconds, accuracy, loss, cost = map(np.array, zip(*points))
        return AnytimeCurve(steps, seconds, accuracy, loss, cost)

    def cost(self, sequences, labels):
        """The learned cost of given labels, one number for each sequence.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        labels : list of sequences
            Labels that occurred in training.

        Returns
        -------
        costs : ndarray of shape (n,)
        """
        check_is_fitted(self, "cost_coef_")
        rows, lengths = self.recurrent_.encode(sequences)
        codes, _ = coded_labels(labels, lengths, self.classes_)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        table, costs = self._cost_table(rows), np.empty(len(lengths))
        for s, (low, high) in enumerate(pairwise(offsets)):
            path = codes[np.newaxis, low:high].astype(np.int32)
            output_costs(path, low, table, self.cost_strings_, self.feature_order, costs[s : s + 1])
        return costs

    def score(self, sequences, labels):
        """Share of positions that are labelled right; a label that did not occur in training is never right.

        Parameters
        ----------
        sequences : list of sequences
            As in :meth:`fit`.
        labels : list of sequences
            The labels.

        Returns
        -------
        accuracy : float
        """
        return position_accuracy(self.predict(sequences), labels)


class _Problem:
    """The training sequences of a search, and the ranking examples that they yield."""

    def __init__(self, search, sequences, labels):
        self.search, self.recurrent = search, search.recurrent_
        self.rows, self.lengths = self.recurrent.encode(sequences)
        self.codes, _ = coded_labels(labels, self.lengths, search.classes_)
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)])
        self.weights = None

    def imitate(self, learner, advance, *, led_by_cost):
        """Add to the learner the ranking examples of every sequence."""
        search = self.search
        table = np.ascontiguousarray(self.rows @ self.weights[0]) if led_by_cost else None
        for s, length in enumerate(self.lengths):
            low, high = self.offsets[s], self.offsets[s + 1]
            observed, pushes = self.recurrent.decision_tables(self.rows[low:high])
            space = OutputSpace(
                observed, pushes, discrepancies=search.space == "lds", sparsity=search._labels_considered()
            )
            imitation = SearchImitation(
                space.successors,
                self._loss_of(self.codes[low:high]),
                beam_width=search.beam_width,
                max_steps=length if search.max_steps == "length" else search.max_steps,
                cost=self._cost_of(table, low, length) if led_by_cost else None,
            )
            found = imitation.examples(space.start(decisions(observed, pushes, np.array([0, length]))))
            learner.add(s, found.states[:, :length], found.better, found.worse, found.gaps)
            advance(1)

    def _loss_of(self, truth):
        T, search = len(truth), self.search
        if search.loss == "hamming":
            return lambda states: (states[:, :T] != truth).sum(axis=1).astype(np.float64)
        true_labels = search.classes_[truth]

        def losses(states):
            found = np.array([search.loss(true_labels, search.classes_[state[:T]]) for state in states], np.float64)
            if not np.isfinite(found).all():
                raise ValueError("the loss gave a number that is NaN or infinite")
            return found

        return losses

    def _cost_of(self, table, low, length):
        order, strings = self.search.feature_order, self.weights[1]

        def costs(states):
            totals = np.empty(len(states))
            output_costs(np.ascontiguousarray(states[:, :length]), low, table, strings, order, totals)
            return totals

        return costs


def _take_until(searches, begin, time_limit):
    """Take single steps, sequence after sequence in small groups, until all are done or the time is up."""
    n, group = len(searches.remaining), 1
    while searches.remaining.any():
        first = 0
        while first < n:
            now = time.perf_counter()
            if now - begin >= time_limit:
                return
            searches.take(1, first, min(n, first + group))
            first += group
            # A group should take about a fiftieth of the time.
            spent = time.perf_counter() - now
            group = max(1, min(4 * group, int(group * time_limit / (50 * max(spent, 1e-9)))))
