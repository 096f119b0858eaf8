"""Exact fitting of threshold neurons: linear-time solvers of the easy cases, integer programs for the others."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize import separating_plane, two_sat
from treatise.theory.threshold_neurons.complexity import complexity_of
from treatise.theory.threshold_neurons.sample import read_sample


@dataclass(frozen=True)
class ThresholdNeuron:
    """A neuron that fires where ``weights @ x >= threshold``.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        Weights.
    threshold : float
        Threshold.
    error : float
        Weight of the examples that it gets wrong.
    optimal : bool
        Whether no neuron of the class does better.
    solver : str
        ``"linear"`` (one of Algorithms 1 to 4), ``"lp"`` or ``"milp"``.
    """

    weights: np.ndarray
    threshold: float
    error: float
    optimal: bool
    solver: str

    @property
    def consistent(self):
        """Whether it agrees with every example."""
        return self.error == 0.0

    def predict(self, X):
        """Labels 0 and 1 of examples."""
        return np.asarray(X @ self.weights >= self.threshold).astype(np.int64)


def fit_threshold_neuron(
    X, y, *, model="binary", max_threshold=None, task="consistent", solver="auto", sample_weight=None, time_limit=60.0
):
    """Fit a threshold neuron with weights 0 and 1 (or any) to binary examples, exactly.

    Use it for scorecards, "at least t of these signs", and to learn whether there is one at all. Sparse samples with
    little overlap are solved in linear time; others by an integer program, whose time may grow exponentially
    (:func:`neuron_complexity` tells which). Not for numbers: binarise columns first.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Zeros and ones.
    y : array-like of shape (n_samples,)
        Labels 0 and 1.
    model : {"binary", "real"}, default="binary"
        Weights 0 and 1, or any.
    max_threshold : int or None, default=None
        Largest threshold allowed, for binary weights.
    task : {"consistent", "max"}, default="consistent"
        Agree with all examples, or with as many as possible. With ``"consistent"`` the answer is None where no neuron
        does.
    solver : {"auto", "linear", "milp"}, default="auto"
        ``"linear"`` refuses hard cases; ``"milp"`` is for binary weights.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the examples.
    time_limit : float, default=60.0
        Seconds for an integer program; a ``ConvergenceWarning`` tells that its answer may not be the best.

    Returns
    -------
    ThresholdNeuron or None

    Examples
    --------
    >>> from treatise.theory import fit_threshold_neuron
    >>> X = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]
    >>> neuron = fit_threshold_neuron(X, [1, 1, 1, 0, 0])
    >>> neuron.weights, neuron.threshold
    (array([1., 1., 1., 0.]), 2)

    References
    ----------
    .. [1] Paper v05-0891, Algorithms 1 to 4. Contradictory examples, which the second would overlook, are refused
       first; and the third is compared with the neuron that always fires, which its proof needs.
    """
    sample = read_sample(X, y, sample_weight)
    case = complexity_of(sample, model, max_threshold, task)
    if solver not in ("auto", "linear", "milp"):
        raise ValueError(f"solver={solver!r} is not known; choose 'auto', 'linear' or 'milp'")
    if solver == "milp" and model == "real":
        raise ValueError("solver='milp' is for model='binary'; weights of any size have no bound to search in")
    if model == "real":
        if task == "consistent":
            return _separating(sample)
        if case.verdict != "linear":
            raise ValueError(
                f"this sample is in the hard case of {case.theorem} (overlapping examples of two ones or more); agree "
                "with as many as a convex machine does, as scikit-learn's LinearSVC"
            )
        return _most_any_weights(sample)
    if solver == "milp" or (solver == "auto" and case.verdict == "np-complete"):
        return _integer_program(sample, max_threshold, task, time_limit)
    if case.verdict == "np-complete":
        raise ValueError(f"this sample is in the hard case of {case.theorem}; take solver='auto' or 'milp'")
    return _consistent(sample, max_threshold) if task == "consistent" else _most(sample, max_threshold)


def _judged(sample, weights, threshold, optimal, solver):
    fires = sample.X @ weights >= threshold
    error = float(np.sum(np.where(fires, sample.negative, sample.positive)))
    return ThresholdNeuron(weights, threshold, error, optimal, solver)


def _columns_of(sample, which):
    """Whether a column has a one in some of the vectors."""
    return np.bincount(sample.X[np.flatnonzero(which)].indices, minlength=sample.X.shape[1]) > 0


def _consistent(sample, max_threshold):
    """Algorithms 1 and 2: thresholds 0 and 1, then 3, then 2."""
    if sample.contradictory.any():
        return None
    negative = sample.negative > 0
    always = not negative.any()
    first = np.where(always, 0.0, ~_columns_of(sample, negative))
    tries = [(np.broadcast_to(first, sample.X.shape[1]).astype(float), 0 if always else 1)]
    bound = np.inf if max_threshold is None else max_threshold
    if bound >= 3:
        tries.append((_columns_of(sample, ~negative).astype(float), 3))
    for weights, threshold in tries:
        if threshold <= bound:
            neuron = _judged(sample, weights, threshold, True, "linear")
            if neuron.consistent:
                return neuron
    if bound < 2 or sample.sparseness > 3:  # without overlap Algorithm 1 decides
        return None
    weights = _two_of_three(sample, negative)
    return None if weights is None else _judged(sample, weights, 2, True, "linear")


def _two_of_three(sample, negative):
    """Weights for the threshold 2: of a positive vector's ones two must count, of a negative's at most one."""
    sizes, X = sample.sizes, sample.X
    if np.any(~negative & (sizes <= 1)):
        return None
    clauses = []
    for size, pairs in ((2, ((0, 1),)), (3, ((0, 1), (0, 2), (1, 2)))):
        rows = np.flatnonzero(sizes == size)
        literals = (X.indices[X.indptr[rows][:, np.newaxis] + np.arange(size)] + 1).astype(np.int64)
        wrong = negative[rows]
        for one, other in pairs:
            clauses.append(-literals[wrong][:, [one, other]])
            if size == 3:
                clauses.append(literals[~wrong][:, [one, other]])
        if size == 2:
            clauses += [np.repeat(literals[~wrong][:, [place]], 2, axis=1) for place in (0, 1)]
    found = two_sat(X.shape[1], np.concatenate(clauses))
    return None if found is None else found.astype(float)


def _most(sample, max_threshold):
    """Algorithm 3: each vector for itself, beside the neuron that always fires."""
    always = _judged(sample, np.zeros(sample.X.shape[1]), 0, True, "linear")
    if max_threshold == 0:
        return always
    each = _judged(sample, _columns_of(sample, sample.positive > sample.negative).astype(float), 1, True, "linear")
    return each if each.error < always.error else always


def _most_any_weights(sample):
    """Algorithm 4: each vector for itself; the threshold speaks for the one without ones."""
    wanted = sample.positive >= sample.negative
    nothing = sample.sizes == 0
    weights = np.where(_columns_of(sample, wanted), 1.0, -1.0)
    return _judged(sample, weights, 0 if np.any(nothing & wanted) else 1, True, "linear")


def _separating(sample):
    """Weights by a linear program: every example at least one from the threshold, on its own side."""
    if sample.contradictory.any():
        return None
    plane = separating_plane(sample.X, sample.positive > 0)
    return None if plane is None else _judged(sample, *plane, True, "lp")


def _integer_program(sample, max_threshold, task, time_limit):
    """Weights 0 and 1, a whole threshold, and whether each label of a vector is got wrong."""
    if task == "consistent" and sample.contradictory.any():
        return None
    d = sample.X.shape[1]
    largest = sample.sparseness + 1 if max_threshold is None else min(max_threshold, sample.sparseness + 1)
    seen = [np.flatnonzero(sample.positive > 0), np.flatnonzero(sample.negative > 0)]
    m = sum(map(len, seen))
    X = sparse.vstack([sample.X[seen[0]], -sample.X[seen[1]]])
    thresholds = np.r_[-np.ones(len(seen[0])), np.ones(len(seen[1]))]
    # An error lets a constraint go as far as it can be broken.
    slack = np.r_[np.full(len(seen[0]), float(largest)), sample.sizes[seen[1]] + 1.0]
    rows = sparse.hstack([X, thresholds[:, np.newaxis], sparse.diags_array(slack)], format="csr")
    lower = np.r_[np.zeros(len(seen[0])), np.ones(len(seen[1]))]
    cost = np.r_[np.zeros(d + 1), sample.positive[seen[0]], sample.negative[seen[1]]]
    errors = np.full(m, 1.0 if task == "max" else 0.0)
    found = milp(
        cost, integrality=np.ones(d + 1 + m), bounds=Bounds(0, np.r_[np.ones(d), largest, errors]),
        constraints=LinearConstraint(rows, lower), options={"time_limit": time_limit},
    )  # fmt: skip
    if found.status == 2:
        return None
    if found.x is None:
        raise TimeoutError(f"the integer program found no neuron in {time_limit:g} s; give it a longer time_limit")
    if found.status != 0:
        warnings.warn(
            f"the integer program ended after {time_limit:g} s: a better neuron may exist; raise time_limit",
            ConvergenceWarning,
            stacklevel=3,
        )
    return _judged(sample, np.round(found.x[:d]), int(np.round(found.x[d])), found.status == 0, "milp")
