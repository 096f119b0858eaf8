"""Clustering of hidden Markov models by variational hierarchical EM (Coviello, Chan & Lanckriet, JMLR 15:697)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise._core.threads import one_blas_thread
from treatise.bayes.hmm_clustering._centers import HMMCenters
from treatise.bayes.hmm_clustering._initial import reshaped
from treatise.bayes.hmm_clustering._packed import is_model, packed
from treatise.bayes.hmm_clustering._pairs import alike, pair_bounds
from treatise.bayes.hmm_clustering._reduction import assigned, reduced_mixture, settled
from treatise.bayes.hmm_clustering.fitting import SequenceFit, checked_sequences, variance_floor, warn_of_short


class HMMClusterer(HMMCenters, ClusterMixin, BaseEstimator):
    """Groups of hidden Markov models, or of sequences through their models, and a new model for each group.

    Models are grouped by the sequences that they would produce, not by their parameters, so that the numbering of
    hidden states does not matter; the centre of a group is the model that fits what all its members would produce. No
    sequence is drawn: a variational bound takes the place of expected log-likelihoods.

    Use it to group sequences by level *and* dynamics (motions, sounds, sensors), to sum up thousands of fitted models
    in a few, and to fit a mixture of models to more sequences than memory holds: fit models to parts, reduce those.
    Every sequence must be long enough for a model of its own; for short ones use :class:`HMMMixture`. Groups that
    differ in dynamics alone, among states whose values overlap, need many hundred observations a sequence. Do not use
    it for single numbers a sequence: then k-means on those is simpler.

    One step costs O(B K S^2 (M^2 d^2 + tau S)) for B models into K centres of S states and M components, d in place of
    d^2 with diagonal covariances; 1000 models of 4 states, 2 components and 10 columns into 10 take about a sixth of a
    second a step on one core. Memory is bounded. Threads share the models.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of centres.
    n_states, n_components : int or None, default=None
        States of the centres, and components of each. None takes the largest number of the models given; sequences get
        models of 3 states and 1 component.
    tau : int, default=10
        Length of the sequences that models are compared by, 10 000 at most. The paper sees little change from 2 to 20.
    n_virtual : float, default=1e4
        Sequences that a model stands for, on average. Many make groups that do not overlap; few (10 to 1000, as the
        paper has for densities) let models belong to several.
    init : "random" or list of hidden Markov models, default="random"
        Centres to begin from: any of the models, or those given.
    anneal : bool, default=True
        Whether random starts take some steps with few virtual sequences first (0.03 to 1 a model), so that groups form
        softly. It finds higher bounds; without it (the paper's way) the first step decides most.
    n_init : int, default=10
        Random starts; that of the highest bound is kept. On short sequences different seeds may still end in different
        groups: raise it, and compare ``lower_bound_``.
    max_iter : int, default=200
        Steps from each start at most.
    tol : float, default=1e-5
        Rise of the bound per virtual observation at which they stop.
    covariance : {"diagonal", "full"}, default="diagonal"
        Covariances of the models that are fitted to sequences.
    start : {"occupancy", "fitted"}, default="occupancy"
        First states of the models that are fitted to sequences; see :func:`fit_hmms`.
    reg_covar : float, default=0.01
        Added to variances of models that are fitted to sequences, in units of the variance of each column. Raise it
        for short sequences, whose states would else be narrow.
    random_state : int, RandomState instance or None, default=None
        Random starts.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_models,)
        Group of each model or sequence.
    assignments_ : ndarray of shape (n_models, n_clusters)
        Shares of the centres in each model, the paper's z.
    bounds_ : ndarray of shape (n_models, n_clusters)
        Bound on the expected log-likelihood of ``tau`` observations of each model under each centre.
    weights_ : ndarray of shape (n_clusters,)
        Weights of the centres.
    start_, transitions_, component_weights_, means_, covariances_ : ndarray
        Parameters of the centres: (K, S), (K, S, S), (K, S, M), (K, S, M, d), and (K, S, M, d) or (K, S, M, d, d).
    centers_ : list of MixtureHMM
        The same as models.
    lower_bound_ : float
        Bound on the expected log-likelihood of all virtual sequences.
    history_ : ndarray of shape (n_iter_ + 1,)
        The bound before every step and after the last, of the start that was kept: it never falls.
    n_iter_ : int
        Steps taken.
    converged_ : bool
        Whether the last step raised the bound by no more than ``tol`` allows.
    n_features_in_ : int
        Numbers in a vector.

    See Also
    --------
    HMMHierarchy : Groups of groups.
    HMMMixture : Expectation-maximisation on the sequences themselves.
    hmm_kl : The divergences behind the groups.

    Notes
    -----
    The bound lets the state of a centre depend on the state of the base model but not on what it shows. Where states
    overlap it is loose, and a centre is then no copy even of a single model: its states move together.

    Weights of base models count in the centres and in the number of virtual sequences; the weights of centres are the
    mean shares of all models alike (equation 24), which is what maximises the bound.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HMMClusterer
    >>> rng = np.random.default_rng(0)
    >>> waves = [level + np.sin(np.arange(80) / 4) + 0.3 * rng.normal(size=80) for level in (0, 0, 0, 4, 4, 4)]
    >>> model = HMMClusterer(2, random_state=0).fit(waves)
    >>> model.labels_[:3].tolist() in ([0, 0, 0], [1, 1, 1]) and bool(model.labels_[0] != model.labels_[3])
    True
    >>> float(model.centers_[model.labels_[3]].means.mean().round())
    4.0

    References
    ----------
    .. [1] Paper v15-0697, section 3 and Appendix B.
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "tau": [Interval(Integral, 1, 10_000, closed="both")],
        "n_virtual": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"random"}), list, tuple],
        "anneal": ["boolean"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance": [StrOptions({"diagonal", "full"})],
        "start": [StrOptions({"occupancy", "fitted"})],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        n_states=None,
        n_components=None,
        tau=10,
        n_virtual=1e4,
        init="random",
        anneal=True,
        n_init=10,
        max_iter=200,
        tol=1e-5,
        covariance="diagonal",
        start="occupancy",
        reg_covar=0.01,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_states = n_states
        self.n_components = n_components
        self.tau = tau
        self.n_virtual = n_virtual
        self.init = init
        self.anneal = anneal
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.covariance = covariance
        self.start = start
        self.reg_covar = reg_covar
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, models, y=None, *, weights=None):
        """Find the groups and their centres.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            Models of vectors (:class:`treatise.inference.MixtureHMM`, :class:`treatise.sequence.HMM`, hmmlearn's
            ``GaussianHMM`` and ``GMMHMM``), or sequences, to each of which a model is fitted first.
        y : None
            Not used.
        weights : array-like of shape (n_models,) or None, default=None
            Weights of the models; None weighs all alike.

        Returns
        -------
        self : HMMClusterer
        """
        random = check_random_state(self.random_state)
        base = self._base(models, random)
        base_weights = _checked_weights(weights, base.count)
        if self.n_clusters > base.count:
            raise ValueError(f"n_clusters={self.n_clusters} exceeds the {base.count} models; choose at most that many")
        with one_blas_thread():
            runs = [self._reduced(base, base_weights, *begin) for begin in self._beginnings(base, base_weights, random)]
        best = max(runs, key=lambda run: run.history[-1])
        self._keep_centers(best.centers, best.weights)
        self.assignments_, self.bounds_ = best.assignments, best.bounds
        self.labels_ = best.assignments.argmax(axis=1)
        self.history_, self.n_iter_ = np.array(best.history), len(best.history) - 1
        self.lower_bound_, self.converged_ = best.history[-1], bool(best.converged)
        self._warn()
        return self

    def predict(self, models):
        """The centre to which each model belongs most.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            As in :meth:`fit`; models are fitted to sequences as they were then.

        Returns
        -------
        labels : ndarray of int of shape (n_models,)
        """
        return self.predict_proba(models).argmax(axis=1)

    def predict_proba(self, models):
        """Shares of the centres in each model, which stands for ``n_virtual`` sequences.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            As in :meth:`fit`.

        Returns
        -------
        assignments : ndarray of shape (n_models, n_clusters)
        """
        bounds = self.bounds(models)
        return assigned(bounds, np.full(len(bounds), float(self.n_virtual)), self.weights_)[0]

    def bounds(self, models):
        """Bound on the expected log-likelihood of ``tau`` observations of each model under each centre.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            As in :meth:`fit`.

        Returns
        -------
        bounds : ndarray of shape (n_models, n_clusters)
        """
        check_is_fitted(self)
        models = list(models)
        if any(map(is_model, models)):
            base = packed(models)
        elif not hasattr(self, "floor_"):
            raise ValueError("the clusterer was fitted to models, and cannot tell how to fit them to sequences")
        else:
            base = packed(self._way(self.floor_, self.seed_).models(self._known_sequences(models)))
        return pair_bounds(base, self._packed_centers(), self.tau)

    def _base(self, models, random):
        """The base models, fitted first where sequences were given."""
        for name in ("floor_", "seed_"):
            if hasattr(self, name):
                delattr(self, name)
        if isinstance(models, str) or not hasattr(models, "__iter__"):
            raise ValueError(f"models must be a list of models or of sequences, got {type(models).__name__}")
        listed = models if getattr(models, "ndim", 1) != 1 or hasattr(models, "columns") else list(models)
        if isinstance(listed, list) and any(map(is_model, listed)):
            return packed(listed)
        parts = checked_sequences(listed)
        warn_of_short(parts, self.n_states or 3)
        self.floor_, self.seed_ = variance_floor(parts, self.reg_covar), int(random.randint(2**31))
        return packed(self._way(self.floor_, self.seed_).models(parts))

    def _way(self, floor, seed):
        return SequenceFit(
            self.n_states or 3, self.n_components or 1, self.covariance == "full", self.start == "occupancy", 1, 200,
            1e-4, floor, seed,
        )  # fmt: skip

    def _beginnings(self, base, base_weights, random):
        """Centres and their weights to start from."""
        K = self.n_clusters
        S, M = self.n_states or base.weights.shape[1], self.n_components or base.weights.shape[2]
        if not isinstance(self.init, str):
            given = packed(self.init)
            if given.count != K:
                raise ValueError(f"init holds {given.count} models; n_clusters={K} are needed")
            yield given, np.full(K, 1.0 / K)
            return
        for _ in range(self.n_init if base.count > K or K == 1 else 1):
            numbers = random.choice(base.count, K, replace=False)
            base, centers = alike(base, reshaped(base, numbers, S, M, random))
            if self.anneal:
                yield settled(base, base_weights, centers, tau=self.tau, n_virtual=self.n_virtual)
            else:
                yield centers, np.full(K, 1.0 / K)

    def _reduced(self, base, base_weights, centers, shares):
        base, centers = alike(base, centers)
        return reduced_mixture(
            base, base_weights, centers, shares, tau=self.tau, n_virtual=self.n_virtual, max_iter=self.max_iter,
            tol=self.tol,
        )  # fmt: skip

    def _warn(self):
        if not self.converged_:
            warnings.warn(
                f"the bound still rose after max_iter={self.max_iter} steps; raise it, or tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=4,
            )
        found = len(np.unique(self.labels_))
        if found < self.n_clusters and self.n_virtual >= 1:
            warnings.warn(
                f"only {found} of n_clusters={self.n_clusters} centres have models; there may be fewer groups",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _invariants(self):
        if hasattr(self, "floor_"):
            yield "columns have a least variance", is_array(self.floor_, np.float64, self.n_features_in_)
            shape = self.n_states or 3, self.n_components or 1
            yield "models of sequences have the states of the centres", self.means_.shape[1:3] == shape


def _checked_weights(weights, count):
    if weights is None:
        return np.full(count, 1.0 / count)
    weights = np.asarray(weights, np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all() or (weights <= 0).any():
        raise ValueError(f"weights must be a positive number for each of the {count} models")
    return weights / weights.sum()
