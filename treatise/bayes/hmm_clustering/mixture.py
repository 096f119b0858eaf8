"""Mixtures of hidden Markov models fitted to sequences (Smyth 1997), with whole groups assigned together."""

import warnings
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise.bayes.hmm_clustering._centers import HMMCenters
from treatise.bayes.hmm_clustering._packed import packed
from treatise.bayes.hmm_clustering._reduction import assigned
from treatise.bayes.hmm_clustering.fitting import SequenceFit, checked_sequences, variance_floor
from treatise.inference import MixtureHMM
from treatise.inference.hidden_markov import MixtureEmissions, maximised


class HMMMixture(HMMCenters, ClusterMixin, BaseEstimator):
    """Mixture of hidden Markov models of sequences: each sequence comes from one of a few models.

    Expectation-maximisation on the sequences themselves (the paper's EM-H3M). Use it for groups of sequences too short
    for a model each, or as a density of sequences. Every step looks at all observations: for many or long sequences,
    fit models to them and reduce those with :class:`HMMClusterer`.

    A step costs O(K T S (S + M d)) for T observations in all, d^2 in place of d for full covariances.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of models.
    n_states : int, default=3
        States of each.
    n_components : int, default=1
        Normal densities in each state.
    covariance : {"diagonal", "full"}, default="diagonal"
        Their covariances.
    n_init : int, default=5
        Random starts, each from models of single sequences (or groups); the likeliest mixture is kept.
    max_iter : int, default=200
        Steps at most.
    tol : float, default=1e-4
        Rise of the log-likelihood per observation at which they stop.
    reg_covar : float, default=0.01
        Added to variances, in units of the variance of each column.
    random_state : int, RandomState instance or None, default=None
        Random starts.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_sequences,)
        The model of each sequence.
    assignments_ : ndarray of shape (n_sequences, n_clusters)
        Probabilities of the models for each sequence.
    weights_ : ndarray of shape (n_clusters,)
        Weights of the models.
    start_, transitions_, component_weights_, means_, covariances_ : ndarray
        Their parameters, as in :class:`HMMClusterer`.
    centers_ : list of MixtureHMM
        The same as models.
    log_likelihood_ : float
        Log-likelihood of all sequences.
    history_ : ndarray of shape (n_iter_ + 1,)
        It before every step and after the last.
    n_iter_ : int
        Steps taken.
    converged_ : bool
        Whether the last step raised the log-likelihood by no more than ``tol`` allows.
    n_features_in_ : int
        Numbers in a vector.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HMMMixture
    >>> rng = np.random.default_rng(0)
    >>> steps = [np.repeat(rng.permutation([0.0, level]), 5) + 0.1 * rng.normal(size=10) for level in [2, 5] * 10]
    >>> model = HMMMixture(2, n_states=2, random_state=0).fit(steps)
    >>> len(set(model.labels_[::2])), len(set(model.labels_[1::2])), bool(model.labels_[0] != model.labels_[1])
    (1, 1, True)

    References
    ----------
    .. [1] Paper v15-0697, sections 2 and 5.1 (EM-H3M).
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance": [StrOptions({"diagonal", "full"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        n_states=3,
        n_components=1,
        covariance="diagonal",
        n_init=5,
        max_iter=200,
        tol=1e-4,
        reg_covar=0.01,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_states = n_states
        self.n_components = n_components
        self.covariance = covariance
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, sequences, y=None, *, groups=None):
        """Fit to sequences.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.
        y : None
            Not used.
        groups : array-like of shape (n_sequences,) or None, default=None
            Sequences of one group come from one model together; None lets each choose for itself.

        Returns
        -------
        self : HMMMixture
        """
        parts = checked_sequences(sequences)
        owner = _checked_groups(groups, len(parts))
        n_groups = owner.max() + 1
        if self.n_clusters > n_groups:
            raise ValueError(f"n_clusters={self.n_clusters} exceeds the {n_groups} sequences or groups of them")
        random, floor = check_random_state(self.random_state), variance_floor(parts, self.reg_covar)
        emissions = MixtureEmissions(self.n_components, self.covariance == "full", floor)
        beginnings = [self._beginning(parts, owner, floor, random) for _ in range(self.n_init)]
        runs = [self._run(parts, owner, emissions, models) for models in beginnings]
        best = max(runs, key=lambda run: run.history[-1])
        self._keep_centers(packed(best.models), best.weights)
        self.assignments_ = best.assignments[owner]
        self.labels_ = self.assignments_.argmax(axis=1)
        self.history_, self.n_iter_ = np.array(best.history), len(best.history) - 1
        self.log_likelihood_, self.converged_ = best.history[-1], bool(best.converged)
        if not self.converged_:
            warnings.warn(
                f"the log-likelihood still rose after max_iter={self.max_iter} steps; raise it, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def predict(self, sequences):
        """The most probable model of each sequence.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.

        Returns
        -------
        labels : ndarray of int of shape (n_sequences,)
        """
        return self.predict_proba(sequences).argmax(axis=1)

    def predict_proba(self, sequences):
        """Probabilities of the models for each sequence.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.

        Returns
        -------
        probabilities : ndarray of shape (n_sequences, n_clusters)
        """
        check_is_fitted(self)
        found = self.sequence_log_likelihood(sequences)
        return assigned(found, np.ones(len(found)), self.weights_)[0]

    def score(self, sequences, y=None):
        """Mean log-likelihood of a sequence.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.
        y : None
            Not used.

        Returns
        -------
        score : float
        """
        return float(self.score_sequences(sequences).mean())

    def _beginning(self, parts, owner, floor, random):
        """Models of as many groups, of up to five sequences each."""
        chosen = random.choice(owner.max() + 1, self.n_clusters, replace=False)
        way = SequenceFit(
            self.n_states, self.n_components, self.covariance == "full", True, 1, 20, 1e-2, floor,
            int(random.randint(2**31)),
        )  # fmt: skip
        few = [np.concatenate([parts[s] for s in np.flatnonzero(owner == group)[:5]]) for group in chosen]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = way.models(few)
        # A move that one sequence never made is not forbidden to the others.
        return [MixtureHMM(_open(m.start), _open(m.transitions), **m.emission_arrays()) for m in found]

    def _run(self, parts, owner, emissions, models):
        X, lengths = np.concatenate(parts), np.array([len(part) for part in parts])
        weights, history = np.full(len(models), 1.0 / len(models)), []
        while True:
            expected = [
                emissions.marginals(m.start, m.transitions, m.emission_arrays(), X, lengths, by_sequence=True)
                for m in models
            ]
            logs = np.column_stack([each.log_partition for each in expected])
            of_groups = np.zeros((owner.max() + 1, len(models)))
            np.add.at(of_groups, owner, logs)
            assignments, evidence = assigned(of_groups, np.ones(len(of_groups)), weights)
            history.append(float(evidence.sum()))
            converged = len(history) > 1 and history[-1] - history[-2] <= self.tol * len(X)
            if converged or len(history) > self.max_iter:
                return _Run(models, weights, assignments, history, converged)
            weights = assignments.mean(axis=0)
            models = [
                _updated(emissions, X, lengths, each, model, assignments[owner, j])
                for j, (model, each) in enumerate(zip(models, expected))
            ]


class _Run(NamedTuple):
    models: list
    weights: np.ndarray
    assignments: np.ndarray
    history: list
    converged: bool


def _updated(emissions, X, lengths, expected, model, weights):
    """One model after a step; one to which nothing belongs stays as it was."""
    if not weights.sum() > 1e-12:
        return model
    start, transitions, arrays = maximised(
        emissions, X, lengths, expected, model.transitions, model.emission_arrays(), weights=weights
    )
    return MixtureHMM(start / start.sum(), transitions, **arrays)


def _open(chances, least=1e-3):
    """Probabilities with a little on everything."""
    return (chances + least) / (1 + chances.shape[-1] * least)


def _checked_groups(groups, count):
    if groups is None:
        return np.arange(count)
    groups = np.asarray(groups)
    if groups.shape != (count,):
        raise ValueError(f"groups must have an entry for each of the {count} sequences; its shape is {groups.shape}")
    return np.unique(groups, return_inverse=True)[1]
