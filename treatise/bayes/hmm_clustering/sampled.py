"""Clustering of hidden Markov models by drawing sequences from them (SHEM-H3M of JMLR 15:697)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from treatise.bayes.hmm_clustering._centers import HMMCenters
from treatise.bayes.hmm_clustering._packed import mixture_hmm, packed
from treatise.bayes.hmm_clustering.mixture import HMMMixture


class SampledHMMClusterer(HMMCenters, ClusterMixin, BaseEstimator):
    """Groups of hidden Markov models by sequences drawn from each: the plain way, for comparison.

    Draws sequences from every model and fits :class:`HMMMixture` to them, all of one model in one group. It needs no
    bound, so that with enough draws it sees what the bound of :class:`HMMClusterer` blurs; use it to check that. It
    costs as much as so many sequences do in every step, and stores them all.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of centres.
    n_samples : int, default=50
        Sequences drawn from each model; the paper's 2800 from 56.
    tau : int, default=10
        Their length.
    n_states, n_components : int or None, default=None
        States of the centres, and components of each; None takes the largest number of the models given.
    n_init : int, default=5
        Random starts.
    max_iter : int, default=200
        Steps at most.
    tol : float, default=1e-4
        Rise of the log-likelihood per observation at which they stop.
    random_state : int, RandomState instance or None, default=None
        Draws and random starts.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_models,)
        Group of each model.
    assignments_ : ndarray of shape (n_models, n_clusters)
        Shares of the centres in each model.
    weights_ : ndarray of shape (n_clusters,)
        Weights of the centres.
    start_, transitions_, component_weights_, means_, covariances_ : ndarray
        Parameters of the centres, as in :class:`HMMClusterer`.
    centers_ : list of MixtureHMM
        The same as models.
    log_likelihood_, history_, n_iter_, converged_
        Of the mixture that was fitted; see :class:`HMMMixture`.
    n_features_in_ : int
        Numbers in a vector.

    Examples
    --------
    >>> from treatise.bayes import SampledHMMClusterer
    >>> from treatise.inference import MixtureHMM
    >>> models = [
    ...     MixtureHMM([0.5, 0.5], [[0.8, 0.2], [0.2, 0.8]], [[1.0], [1.0]], [[[m]], [[m + 2]]], [[[0.5]], [[0.5]]])
    ...     for m in (0.0, 0.2, 6.0, 6.2)
    ... ]
    >>> model = SampledHMMClusterer(2, random_state=0).fit(models)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True

    References
    ----------
    .. [1] Paper v15-0697, section 5.1 (SHEM-H3M).
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "tau": [Interval(Integral, 2, None, closed="left")],
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        n_samples=50,
        tau=10,
        n_states=None,
        n_components=None,
        n_init=5,
        max_iter=200,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_samples = n_samples
        self.tau = tau
        self.n_states = n_states
        self.n_components = n_components
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, models, y=None):
        """Draw from the models, and fit a mixture to what was drawn.

        Parameters
        ----------
        models : list of hidden Markov models
            Models of vectors, as in :meth:`HMMClusterer.fit`.
        y : None
            Not used.

        Returns
        -------
        self : SampledHMMClusterer
        """
        random = check_random_state(self.random_state)
        models = [mixture_hmm(model, number) for number, model in enumerate(models)]
        base = packed(models)
        drawn = [model.sample(self.tau, self.n_samples, random_state=random) for model in models]
        drawn = [sequence for draws in drawn for sequence in draws]
        mixture = HMMMixture(
            self.n_clusters,
            n_states=self.n_states or base.weights.shape[1],
            n_components=self.n_components or base.weights.shape[2],
            covariance="full" if base.full else "diagonal",
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=random,
        ).fit(drawn, groups=np.repeat(np.arange(base.count), self.n_samples))
        self._keep_centers(mixture._packed_centers(), mixture.weights_)
        self.assignments_ = mixture.assignments_[:: self.n_samples]
        self.labels_ = self.assignments_.argmax(axis=1)
        for name in ("log_likelihood_", "history_", "n_iter_", "converged_"):
            setattr(self, name, getattr(mixture, name))
        return self
