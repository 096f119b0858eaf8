"""Sparse linear identifiable multivariate modelling (Henao & Winther, JMLR 12:863)."""

from numbers import Real

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import are_distinct, is_array
from treatise.bayesnet.slim._base import (
    INTEGER_FROM_ZERO,
    POSITIVE,
    POSITIVE_INTEGER,
    SHARE,
    DensityScoreMixin,
    GibbsEstimator,
    hidden_cells,
)
from treatise.bayesnet.slim._density import as_table, log_densities, log_mean, spread
from treatise.bayesnet.slim._graph import LinearGraphMixin
from treatise.bayesnet.slim._model import dag_model
from treatise.bayesnet.slim.sampler import Chain, sample
from treatise.bayesnet.slim.sparse_factor_model import SparseFactorModel


class SLIM(OneToOneFeatureMixin, TransformerMixin, LinearGraphMixin, DensityScoreMixin, GibbsEstimator):
    """Causal order and weighted edges of linear non-Gaussian data, with probabilities, and a test of that model.

    First a sparse factor model is sampled (:class:`SparseFactorModel`) while a random walk collects orders of the
    variables under which its loadings are triangular. Then a linear DAG with spike-and-slab weights is sampled for each
    of the most frequent orders, with hidden common causes if asked for. Rows that were kept back tell which order, and
    whether any DAG, describes the data as well as the factor model does.

    Use it for up to some tens of variables with linear relations and heavy-tailed disturbances, where it matters how
    sure each edge is, or whether there is a DAG at all. Gaussian disturbances leave directions open. Where one guess
    will do, DirectLiNGAM of the package lingam finds an order as good as the first candidate here, much sooner; with
    skewed or light-tailed disturbances it is the better choice, since sources here are symmetric with heavy tails.

    A sweep costs n d^2; the default is 15 000 sweeps a chain of the factor model and 4 000 of each DAG.

    Parameters
    ----------
    n_orders : int, default=10
        Orders for which a DAG is sampled: the most frequent ones of the search (m_top).
    orders : array-like of int of shape (k, n_features) or None, default=None
        Orders to try in place of those of a search, causes first.
    edge_mean : float, default=0.1
        Prior mean of the share of a variable's possible edges that are there (beta_m): 0.1 for sparse graphs, 0.99
        for dense ones.
    n_latent : int, default=0
        Hidden common causes. They are Cauchy, the driving signals Laplace, without which they could change places.
    driving : float or None, default=None
        Loading of each variable's own driving signal, of unit variance; None samples them.
    test_size : float, default=0.2
        Share of the rows that is kept back to choose the order and to compare DAG and factor model. 0 chooses by the
        likelihood of the training rows given the driving signals, as in the paper's experiments on orders, and leaves
        DAG and factor model uncompared.
    n_order_moves : int, default=10
        Metropolis moves of the order after each sweep of the factor model.
    n_burn, n_samples : int, default=5000, 10000
        Sweeps of each chain of the factor model that are thrown away, and after that.
    n_burn_dag, n_samples_dag : int, default=1000, 3000
        The same for each DAG; the paper doubles them with latent variables.
    thin : int, default=10
        Every so many of these sweeps is kept as a draw.
    n_chains : int, default=2
        Chains of each model.
    standardize : bool, default=True
        Give each column zero mean and unit variance first, for which the priors are made. False takes X as it is.
    missing : {"error", "mask"}, default="error"
        "mask" takes nan as missing and fits the likelihood of the observed cells; rows kept back must then be complete.
    n_jobs : int or None, default=None
        Chains that run at the same time, in threads; -1 for all processors. Draws do not depend on it.
    verbose : bool or None, default=None
        Whether to show progress; None does on a terminal.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Attributes
    ----------
    order_ : ndarray of int of shape (n_features,)
        The chosen order, causes first.
    coef_ : ndarray of shape (n_features, n_features)
        Posterior median of the weight of each edge, for standardised variables: row child, column parent (B).
    edge_probabilities_ : ndarray of shape (n_features, n_features)
        Posterior probability of each edge under the chosen order: row child, column parent.
    adjacency_ : ndarray of bool of shape (n_features, n_features)
        Edges of a probability above one half, from row to column.
    edges_ : ndarray of int of shape (n_edges, 2)
        The same as pairs of parent and child.
    edge_weights_ : ndarray of shape (n_edges,)
        Their weights.
    mixing_ : ndarray of shape (n_features, n_features + n_latent)
        The factor model that the DAG amounts to, ``(I - B)^-1 C`` at posterior medians.
    latent_loadings_ : ndarray of shape (n_features, n_latent)
        Posterior medians of the weights of the hidden causes, matched between draws.
    latent_probabilities_ : ndarray of shape (n_features, n_latent)
        Posterior probability that each is not zero.
    noise_var_ : ndarray of shape (n_features,)
        Posterior medians of the noise variances.
    weights_draws_, noise_draws_, log_likelihood_draws_ : ndarray of shape (n_chains, n_draws, ...)
        Draws under the chosen order: edges, driving signals and hidden causes side by side; noise variances; and the
        log-likelihood of the training rows given the driving signals.
    candidate_orders_ : ndarray of int of shape (k, n_features)
        The orders tried.
    candidate_counts_ : ndarray of int of shape (k,)
        Sweeps of the search that ended with each; 0 for given orders.
    candidate_coef_, candidate_edge_probabilities_ : ndarray of shape (k, n_features, n_features)
        Medians and probabilities under each order.
    candidate_draws_ : ndarray of shape (k, n_draws)
        Draws of the log-likelihood that chose the order: of the rows kept back, or of the training rows.
    selected_ : int
        Number of the chosen candidate.
    factor_draws_ : ndarray of shape (n_draws,)
        The same of the factor model; empty without rows kept back.
    held_out_log_likelihood_ : dict
        Posterior medians for "dag" and "factor", of the rows kept back and in the units of X.
    preferred_ : {"dag", "factor"} or None
        The one with the larger median.
    factor_model_ : SparseFactorModel
        The factor model; None where orders were given and no rows kept back.
    diagnostics_ : dict
        Largest R-hat and smallest effective sample size of "log_likelihood", "noise" and "weights" (the edges) of the
        DAG.
    converged_ : bool
        Whether R-hat is at most 1.1 for all of these and the chains choose the same order; else a warning says so.
    interrupted_ : bool
        Whether the user interrupted a stage (Ctrl-C): its draws so far are kept, and remaining orders left out.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises the columns.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    plot_edge_probabilities, plot_likelihoods, plot_traces : Drawings of a fitted model.
    NonlinearSLIM : Edges that are smooth functions, for few variables.

    Notes
    -----
    Orders found by the search are candidates: the ratio that accepts them is that of masked likelihoods, no posterior
    probability. The training likelihood that the paper chooses by is given the driving signals, which adapt to any
    order, so that rows kept back decide by default.

    Examples
    --------
    >>> from treatise.bayesnet import SLIM
    >>> from treatise.datasets import make_linear_network
    >>> data = make_linear_network(300, 3, density=1.0, random_state=0)
    >>> slim = SLIM(n_burn=300, n_samples=600, n_burn_dag=200, n_samples_dag=400, random_state=0).fit(data.X)
    >>> bool((slim.order_ == data.order).all())
    True
    >>> slim.edge_probabilities_.round(1)[slim.order_[2]].sum()
    np.float64(2.0)
    >>> slim.preferred_
    'dag'

    References
    ----------
    .. [1] Paper v12-0863: Sections 2 to 5, and Appendix A.
    """

    _parameter_constraints: dict = {
        **GibbsEstimator._parameter_constraints,
        "n_orders": [POSITIVE_INTEGER],
        "orders": ["array-like", None],
        "edge_mean": [SHARE],
        "n_latent": [INTEGER_FROM_ZERO],
        "driving": [POSITIVE, None],
        "test_size": [Interval(Real, 0, 1, closed="left")],
        "n_order_moves": [POSITIVE_INTEGER],
        "n_burn_dag": [INTEGER_FROM_ZERO],
        "n_samples_dag": [POSITIVE_INTEGER],
    }

    def __init__(
        self, n_orders=10, *, orders=None, edge_mean=0.1, n_latent=0, driving=None, test_size=0.2,
        n_order_moves=10, n_burn=5000, n_samples=10000, n_burn_dag=1000, n_samples_dag=3000, thin=10,
        n_chains=2, standardize=True, missing="error", n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_burn=n_burn, n_samples=n_samples, thin=thin, n_chains=n_chains, standardize=standardize,
            missing=missing, n_jobs=n_jobs, verbose=verbose, random_state=random_state,
        )  # fmt: skip
        self.n_orders = n_orders
        self.orders = orders
        self.edge_mean = edge_mean
        self.n_latent = n_latent
        self.driving = driving
        self.test_size = test_size
        self.n_order_moves = n_order_moves
        self.n_burn_dag = n_burn_dag
        self.n_samples_dag = n_samples_dag

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Search orders, sample their DAGs, choose one and compare it with the factor model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data; nan cells are allowed with ``missing="mask"``.
        y : Ignored

        Returns
        -------
        self : SLIM
        """
        X = self._checked(X, reset=True)
        random = self._random()
        training, test = self._parts(X, random)
        self._learn_scaling(training)
        self._density_seed = int(random.randint(2**31))
        self._find_orders(training, len(test) > 0, random)
        found, measured = [], []
        for number, order in enumerate(self.candidate_orders_):
            label = f"DAG {number + 1} of {len(self.candidate_orders_)}"
            found.append(self._sample_dag(training, order, random, label))
            measured.append(self._judge(found[-1], order, test))
            if found[-1].interrupted:
                break
        self._choose(found, as_table(measured), test)
        return self

    def _find_orders(self, training, compare, random):
        """Candidates from the search of the factor model, or those given."""
        d = training.shape[1]
        self.factor_model_ = None
        if self.orders is None or compare:
            self.factor_model_ = SparseFactorModel(
                d + self.n_latent, search_orders=self.orders is None, n_order_moves=self.n_order_moves,
                n_burn=self.n_burn, n_samples=self.n_samples, thin=self.thin, n_chains=self.n_chains,
                standardize=self.standardize, missing=self.missing, n_jobs=self.n_jobs, verbose=self.verbose,
                random_state=random,
            ).fit(training)  # fmt: skip
        if self.orders is None:
            self.candidate_orders_ = self.factor_model_.order_candidates_[: self.n_orders]
            self.candidate_counts_ = self.factor_model_.order_counts_[: self.n_orders]
            return
        self.candidate_orders_ = self._given_orders(self.orders, d)
        self.candidate_counts_ = np.zeros(len(self.candidate_orders_), np.int64)

    def _invariants(self):
        d, draws = self.n_features_in_, self.weights_draws_
        yield "the order names every variable once", len(self.order_) == d and are_distinct(self.order_, d)
        yield "draws have a weight for each cause", is_array(draws, np.float64, None, None, d, 2 * d + self.n_latent)
        yield "draws have noise", is_array(self.noise_draws_, np.float64, *draws.shape[:2], d)
        yield "densities have their seed", "_density_seed" in vars(self)
        yield "there are draws", draws.shape[0] * draws.shape[1] > 0

    def _dag_model(self, order):
        return dag_model(order, self.n_latent, self.edge_mean, self.driving)

    def _sample_dag(self, training, order, random, label):
        data, cells, truth = hidden_cells(self._scaled(training))
        plan = self._plan(burn_in=self.n_burn_dag, n_samples=self.n_samples_dag)
        model = self._dag_model(order)
        return sample(lambda rng: Chain(model, data, cells, truth, plan, rng), plan, random, label)

    def _judge(self, posterior, order, test):
        """Draws of the log-likelihood by which orders are compared."""
        if len(test) == 0:
            return spread(posterior.log_likelihood)
        return self._log_densities(posterior.weights, posterior.noise, order, test).sum(axis=1)

    def _log_densities(self, weights, noise, order, X):
        densities = log_densities(
            self._dag_model(order), spread(weights), spread(noise), self._scaled(X), self._density_seed
        )
        return densities - np.log(self.scale_).sum()

    def _choose(self, found, measured, test):
        tried = len(found)
        d = self.n_features_in_
        self.candidate_orders_, self.candidate_counts_ = self.candidate_orders_[:tried], self.candidate_counts_[:tried]
        self.candidate_draws_ = measured
        edges = [posterior.weights[..., :d] for posterior in found]
        self.candidate_coef_ = np.stack([np.median(draws, axis=(0, 1)) for draws in edges])
        self.candidate_edge_probabilities_ = np.stack([(draws != 0).mean(axis=(0, 1)) for draws in edges])
        medians = np.median(measured, axis=1)
        self.selected_ = int(medians.argmax())
        self.order_ = self.candidate_orders_[self.selected_]
        self._set_posterior(found[self.selected_])
        self._judge_convergence(measured)
        self.interrupted_ = any(posterior.interrupted for posterior in found) or bool(
            self.factor_model_ is not None and self.factor_model_.interrupted_
        )
        self.factor_draws_ = np.empty(0)
        self.held_out_log_likelihood_, self.preferred_ = {}, None
        if len(test):
            self.factor_draws_ = self.factor_model_.log_likelihood_of(test)
            self.held_out_log_likelihood_ = {
                "dag": float(medians.max()), "factor": float(np.median(self.factor_draws_))
            }  # fmt: skip
            self.preferred_ = max(self.held_out_log_likelihood_, key=self.held_out_log_likelihood_.get)

    def transform(self, X):
        """Disturbances: what each variable has that its parents do not explain, for standardised variables.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        disturbances : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scaled = self._scaled(self._checked(X, reset=False))
        return (scaled - self.coef_ @ scaled).T

    def score_samples(self, X):
        """Log of the predictive density of each row under the chosen DAG.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        density : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return log_mean(self._log_densities(self.weights_draws_, self.noise_draws_, self.order_, X))

    def compare(self, X):
        """Log-likelihoods of new rows under the DAG and under the factor model, as medians over posterior draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that were not used in the fit.

        Returns
        -------
        medians : dict
            Of "dag" and "factor"; the larger describes the rows better.
        """
        check_is_fitted(self)
        if self.factor_model_ is None:
            raise ValueError("no factor model was fitted, since orders were given with test_size=0")
        X = self._checked(X, reset=False)
        dag = self._log_densities(self.weights_draws_, self.noise_draws_, self.order_, X).sum(axis=1)
        return {"dag": float(np.median(dag)), "factor": float(np.median(self.factor_model_.log_likelihood_of(X)))}
