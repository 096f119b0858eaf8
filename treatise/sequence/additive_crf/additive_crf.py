"""Additive conditional random fields: chains with smooth features learned from data (chapter 11 of the thesis)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise._core.progress import progress
from treatise.inference import Chains
from treatise.sequence._labels import coded_labels, position_accuracy
from treatise.sequence._observed_sequences import observe
from treatise.sequence.additive_crf._training import Columns, Training, label_scores

_ROUNDS = {"backfit": 20, "boost": 300}


class AdditiveCRF(BaseEstimator):
    """Labels every position of a sequence of numbers, with a smooth curve learned for each number.

    A conditional random field on a chain in which a label's score is a sum of functions, one for each column, whose
    shapes are found by kernel smoothing instead of being given: ``p(labels | x)`` is proportional to ``exp`` of the sum
    over positions of ``transition[before, label] + intercept[label] + sum_j m_j(x_j)``. Use it for real-valued columns
    that act on the labels in ways that are neither straight nor known, and look at the curves afterwards. Not for
    columns of zeros and ones, where :class:`CRF` is as free and faster; not where columns act together, which a sum
    cannot show (give a product as a column of its own); and not for a few dozen positions. The positions before and
    after take part if their numbers are given as columns.

    A round of backfitting costs O(T K^2) for the chain and O(T p) for each cycle of smoothing (T positions, p columns,
    K labels; once for each label from three on): 5 000 positions with 12 columns take about 0.1 s. A round of boosting
    goes through the chain p times. The model keeps a curve's value at each distinct number: up to T p numbers, times K
    from three labels on.

    Parameters
    ----------
    method : {"backfit", "boost"}, default="backfit"
        Dynamic backfitting takes Newton's steps, each a weighted additive fit of all curves. Boosting takes small steps
        along the smoothed gradient, one curve after another; ending it early (``max_iter``) keeps curves flat.
    bandwidth : "plugin", float or array-like of shape (p,), default="plugin"
        Half of the width of the Epanechnikov kernel, in the units of the columns. "plugin" takes the standard deviation
        times ``T ** -0.2`` for each column.
    step : float, default=0.1
        For boosting, the share taken of the step that a quadratic model of the likelihood along the gradient suggests.
    l2_transition : float, default=0.01
        Weight of half the sum of squared transition scores.
    max_iter : int or None, default=None
        Most rounds; None is 20 for backfitting and 300 for boosting. Where labels are certain within a bandwidth the
        likelihood has no maximum, so that the number of rounds limits how sure the model gets.
    tol : float, default=1e-4
        Training ends when a round raises the penalised likelihood by a smaller share of itself.
    verbose : bool or None, default=None
        Whether to draw a bar of progress; None draws it on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    knots_ : list of p ndarrays
        The distinct numbers of each column.
    curves_ : list of p ndarrays of shape (len(knots), K)
        Score of each label there. With two labels that of the first is zero and that of the second is the thesis's
        ``m_j``; with more they sum to zero over the labels. Each averages to zero over the training positions.
    intercept_ : ndarray of shape (K,)
        Scores of the labels by themselves.
    transitions_ : ndarray of shape (K, K)
        Score of a label (column) after another (row); each column averages to zero.
    bandwidths_ : ndarray of shape (p,)
        In use.
    n_iter_ : int
        Rounds made.
    converged_ : bool
        Whether the last round lowered the objective by no more than ``tol``. A ConvergenceWarning tells where
        backfitting has not; boosting is meant to end early.
    objective_path_ : ndarray
        The penalised negative log-likelihood at the start and after each round; it never rises, as steps that would
        raise it are halved.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_interleaved_emissions
    >>> from treatise.sequence import AdditiveCRF
    >>> x, y = make_interleaved_emissions(500, random_state=0)
    >>> held_out = make_interleaved_emissions(2000, random_state=1)
    >>> crf = AdditiveCRF(bandwidth=0.25).fit([x], [y])
    >>> crf.score([held_out[0]], [held_out[1]]) > 0.95
    True
    >>> crf.component(0, [-3.0, -1.0, 1.0, 3.0])[:, 1] > 0
    array([False,  True, False,  True])

    References
    ----------
    .. [1] Thesis thesis-ravikumar, chapter 11, Figures 11.2 and 11.3.
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"backfit", "boost"})],
        "bandwidth": [StrOptions({"plugin"}), Interval(Real, 0, None, closed="neither"), "array-like"],
        "step": [Interval(Real, 0, 1, closed="right")],
        "l2_transition": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean", None],
    }

    def __init__(
        self,
        method="backfit",
        *,
        bandwidth="plugin",
        step=0.1,
        l2_transition=0.01,
        max_iter=None,
        tol=1e-4,
        verbose=None,
    ):
        self.method = method
        self.bandwidth = bandwidth
        self.step = step
        self.l2_transition = l2_transition
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, sequences, labels):
        """Learn the curves and the transitions.

        Parameters
        ----------
        sequences : list of array-like of shape (length, p)
            The numbers at every position; a sequence of plain numbers has one column.
        labels : list of sequences
            The label of every position.

        Returns
        -------
        self : AdditiveCRF
        """
        rows, lengths = _rows(sequences)
        codes, self.classes_ = coded_labels(labels, lengths)
        self.n_features_in_ = rows.shape[1]
        columns, K = Columns(rows, self._bandwidths(rows)), len(self.classes_)
        training = Training(codes, lengths, K, columns, self.l2_transition)
        rounds = _ROUNDS[self.method] if self.max_iter is None else self.max_iter
        model = training.start()
        path, self.converged_ = [model.objective], False
        with progress(type(self).__name__, rounds, show=self.verbose) as advance:
            while len(path) <= rounds:
                backfit = self.method == "backfit"
                model = training.backfitted(model) if backfit else training.boosted(model, self.step)
                model = training.with_transitions(model)
                path.append(model.objective)
                advance(1)
                if path[-2] - path[-1] <= self.tol * abs(path[-1]):
                    self.converged_ = True
                    break
        if not self.converged_ and self.method == "backfit":
            warnings.warn(
                f"the objective still falls after {rounds} rounds; raise max_iter, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.bandwidths_, self.knots_ = columns.bandwidths, columns.of_each(columns.knots)
        self.curves_ = [
            label_scores(curves.T, K) if K > 1 else np.zeros((curves.shape[1], 1))
            for curves in columns.of_each(model.curves)
        ]
        self.intercept_, self.transitions_ = model.intercept, model.transitions
        self.n_iter_, self.objective_path_ = len(path) - 1, np.array(path)
        return self

    def _bandwidths(self, rows):
        T, p = rows.shape
        if isinstance(self.bandwidth, str):
            found = rows.std(axis=0) * T**-0.2
            # A constant column has a curve of one point, of whatever width.
            return np.where(found > 0, found, 1.0)
        given = np.asarray(self.bandwidth, np.float64)
        if (given.ndim and given.shape != (p,)) or not np.all(np.isfinite(given)) or np.any(given <= 0):
            raise ValueError(f"bandwidth={self.bandwidth!r} must be a positive number, or one for each of {p} columns")
        return np.full(p, given) if given.ndim == 0 else given

    def component(self, j, x):
        """Score that column ``j`` gives to every label where it has the value ``x``.

        Straight between the values seen in training, constant beyond them.

        Parameters
        ----------
        j : int
            The column.
        x : array-like of shape (n,)
            Values.

        Returns
        -------
        scores : ndarray of shape (n, K)
        """
        check_is_fitted(self, "classes_")
        if not 0 <= j < self.n_features_in_:
            raise ValueError(f"there is no column {j}; columns are numbered from 0 to {self.n_features_in_ - 1}")
        x = np.asarray(x, np.float64)
        return np.column_stack([np.interp(x, self.knots_[j], curve) for curve in self.curves_[j].T])

    def _invariants(self):
        p, K = self.n_features_in_, len(self.classes_)
        yield "columns have knots and curves", len(self.knots_) == len(self.curves_) == p
        for knots, curves in zip(self.knots_, self.curves_):
            yield "knots are numbers", is_array(knots, np.floating, None) and finite(knots)
            yield "a curve for each label has a value at each knot", is_array(curves, np.floating, len(knots), K)
        yield "labels have constants", is_array(self.intercept_, np.floating, K)
        yield "labels follow labels", is_array(self.transitions_, np.floating, K, K)

    def _chains(self, sequences):
        check_is_fitted(self, "classes_")
        rows, lengths = _rows(sequences)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"the sequences have {rows.shape[1]} columns; the model was fitted to {self.n_features_in_}"
            )
        scores = sum(self.component(j, column) for j, column in enumerate(rows.T)) + self.intercept_
        return Chains(scores, self.transitions_, lengths=lengths)

    def predict(self, sequences):
        """The most probable labels of each sequence.

        Parameters
        ----------
        sequences : list of array-like of shape (length, p)
            As in :meth:`fit`.

        Returns
        -------
        labels : list of lists
        """
        chains = self._chains(sequences)
        return [self.classes_[path].tolist() for path in np.split(chains.best_paths()[0], chains.offsets[1:-1])]

    def predict_marginals(self, sequences):
        """Probability of each label at each position.

        Parameters
        ----------
        sequences : list of array-like of shape (length, p)
            As in :meth:`fit`.

        Returns
        -------
        probabilities : list of ndarray of shape (length, K)
            Columns in the order of ``classes_``.
        """
        chains = self._chains(sequences)
        return np.split(chains.marginals(pairs=False).nodes, chains.offsets[1:-1])

    def log_probability(self, sequences, labels):
        """Logarithm of the probability of given labels, one number for each sequence.

        Parameters
        ----------
        sequences : list of array-like of shape (length, p)
            As in :meth:`fit`.
        labels : list of sequences
            Labels that occurred in training.

        Returns
        -------
        log_probabilities : ndarray of shape (n,)
        """
        chains = self._chains(sequences)
        codes, _ = coded_labels(labels, np.diff(chains.offsets), self.classes_)
        return chains.path_scores(codes) - chains.log_partition()

    def score(self, sequences, labels):
        """Share of positions that are labelled right; a label that did not occur in training is never right.

        Parameters
        ----------
        sequences : list of array-like of shape (length, p)
            As in :meth:`fit`.
        labels : list of sequences
            The labels.

        Returns
        -------
        accuracy : float
        """
        return position_accuracy(self.predict(sequences), labels)

    @property
    def transition_features_(self):
        """Scores of pairs of labels: a dictionary from (label, next label)."""
        check_is_fitted(self, "classes_")
        labels = self.classes_.tolist()
        return {(a, b): float(self.transitions_[i, j]) for i, a in enumerate(labels) for j, b in enumerate(labels)}


def _rows(sequences):
    """Numbers of all positions, of shape (T, p), and lengths of the sequences."""
    if isinstance(sequences, np.ndarray) and sequences.dtype != object and sequences.ndim <= 2:
        raise ValueError("one array was given; give a list of them, one for each sequence")
    observed = observe(list(sequences), None, item_ndim=1)
    if observed.values.shape[1] == 0:
        raise ValueError("the sequences have no columns; at least one is needed")
    return observed.values, observed.lengths
