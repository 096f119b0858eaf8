"""Sparse networks of smooth functions (SNIM of Henao & Winther, JMLR 12:863)."""

from itertools import permutations
from math import factorial
from numbers import Real

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import are_distinct, is_array
from treatise.bayesnet.slim._base import SHARE, DensityScoreMixin, GibbsEstimator, hidden_cells
from treatise.bayesnet.slim._density import N_POINTS, as_table, log_mean, spread, uncertain_log_density
from treatise.bayesnet.slim._graph import LinearGraphMixin
from treatise.bayesnet.slim._model import dag_model
from treatise.bayesnet.slim._smooth_rows import SmoothChain, continued
from treatise.bayesnet.slim.sampler import sample

MOST_VARIABLES = 6
"""Variables up to which all orders are tried."""


class NonlinearSLIM(OneToOneFeatureMixin, TransformerMixin, LinearGraphMixin, DensityScoreMixin, GibbsEstimator):
    """Direction and edges between a few variables whose relations are smooth functions, with probabilities.

    Each variable is a weighted sum of smooth functions of its parents, a heavy-tailed driving signal and noise; every
    variable has one function, which all its children share up to a factor. Each possible order of the variables is
    sampled, and rows that were kept back choose one.

    Use it to ask which of two variables is the cause, or for up to six variables in all orders; for more, give the
    orders. Relations that are near linear with near Gaussian noise leave directions open. It is slow: for linear
    relations take :class:`SLIM`.

    A sweep costs n^3 for each variable that may have children; with "all", d! orders are sampled one after another.

    Parameters
    ----------
    orders : {"all", "columns"} or array-like of int of shape (k, n_features), default="all"
        Orders to try, causes first: all of them, for up to six variables; that of the columns of X; or those given.
    edge_mean : float, default=0.1
        Prior mean of the share of a variable's possible edges that are there (beta_m).
    test_size : float, default=0.2
        Share of the rows that is kept back to choose the order. 0 chooses by the likelihood of the training rows given
        functions and driving signals.
    n_burn : int, default=1000
        Sweeps of each chain that are thrown away.
    n_samples : int, default=3000
        Sweeps of each chain after that.
    thin : int, default=10
        Every so many of these sweeps is kept as a draw.
    n_chains : int, default=1
        Chains of each order.
    standardize : bool, default=True
        Give each column zero mean and unit variance first, for which the priors are made. False takes X as it is.
    n_jobs : int or None, default=None
        Chains that run at the same time, in threads; -1 for all processors.
    verbose : bool or None, default=None
        Whether to show progress; None does on a terminal.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Attributes
    ----------
    order_ : ndarray of int of shape (n_features,)
        The chosen order, causes first.
    edge_probabilities_ : ndarray of shape (n_features, n_features)
        Posterior probability of each edge under the chosen order: row child, column parent.
    coef_ : ndarray of shape (n_features, n_features)
        Posterior median of the standard deviation that each parent's function gives to the child, over the rows.
    adjacency_, edges_, edge_weights_ : ndarray
        Edges of a probability above one half, from row to column; as pairs of parent and child; and their ``coef_``.
    noise_var_ : ndarray of shape (n_features,)
        Posterior medians of the noise variances.
    decays_ : ndarray of shape (n_features,)
        Posterior medians of the rates at which the correlation of each variable's function decays with squared
        distance; near zero is a straight line, nan for the last variable, which has no function.
    candidate_orders_ : ndarray of int of shape (k, n_features)
        The orders tried.
    candidate_edge_probabilities_ : ndarray of shape (k, n_features, n_features)
        Probabilities under each order.
    candidate_draws_ : ndarray of shape (k, n_draws)
        Draws of the log-likelihood that chose the order.
    selected_ : int
        Number of the chosen order.
    held_out_log_likelihood_ : float
        Its posterior median, in the units of X where rows were kept back.
    weights_draws_, noise_draws_, log_likelihood_draws_ : ndarray of shape (n_chains, n_draws, ...)
        Draws under the chosen order: weights of functions and driving signals side by side, and so on.
    diagnostics_ : dict
        Largest R-hat and smallest effective sample size of "log_likelihood", "noise" and "weights".
    converged_ : bool
        Whether R-hat is at most 1.1 for all of these and the chains choose the same order; else a warning says so.
    interrupted_ : bool
        Whether the user interrupted (Ctrl-C): draws and orders so far are kept.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises the columns.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import NonlinearSLIM
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.uniform(-2, 2, size=80)
    >>> X = np.column_stack([cause**2 + 0.2 * rng.laplace(size=80), cause])
    >>> model = NonlinearSLIM(n_burn=50, n_samples=100, random_state=0).fit(X)
    >>> model.order_, model.edges_
    (array([1, 0]), array([[1, 0]]))

    References
    ----------
    .. [1] Paper v12-0863: Sections 3.5 and 6.5, and Appendix A.3.
    """

    _parameter_constraints: dict = {
        **{name: rule for name, rule in GibbsEstimator._parameter_constraints.items() if name != "missing"},
        "orders": [StrOptions({"all", "columns"}), "array-like"],
        "edge_mean": [SHARE],
        "test_size": [Interval(Real, 0, 1, closed="left")],
    }

    _least_variables = 2

    def __init__(
        self, orders="all", *, edge_mean=0.1, test_size=0.2, n_burn=1000, n_samples=3000, thin=10, n_chains=1,
        standardize=True, n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_burn=n_burn, n_samples=n_samples, thin=thin, n_chains=n_chains, standardize=standardize,
            n_jobs=n_jobs, verbose=verbose, random_state=random_state,
        )  # fmt: skip
        self.orders = orders
        self.edge_mean = edge_mean
        self.test_size = test_size

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Sample every order and choose one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : Ignored

        Returns
        -------
        self : NonlinearSLIM
        """
        X = self._checked(X, reset=True)
        random = self._random()
        training, test = self._parts(X, random)
        self._learn_scaling(training)
        self._density_seed = int(random.randint(2**31))
        self.candidate_orders_ = self._orders(X.shape[1])
        found, measured = [], []
        for number, order in enumerate(self.candidate_orders_):
            label = f"Order {number + 1} of {len(self.candidate_orders_)}"
            found.append(self._sample_order(training, order, random, label))
            measured.append(self._judge(found[-1], training, order, test))
            if found[-1].interrupted:
                break
        self._choose(found, as_table(measured), training)
        return self

    def _orders(self, d):
        if isinstance(self.orders, str):
            if self.orders == "columns":
                return np.arange(d)[np.newaxis]
            if d > MOST_VARIABLES:
                raise ValueError(
                    f'orders="all" would sample {factorial(d)} orders of {d} variables; give some, or at most '
                    f"{MOST_VARIABLES} variables"
                )
            return np.array(list(permutations(range(d))))
        return self._given_orders(self.orders, d)

    def _sample_order(self, training, order, random, label):
        scaled = self._scaled(training)
        data, cells, truth = hidden_cells(scaled)
        model, plan = dag_model(order, 0, self.edge_mean), self._plan()
        inputs = {int(j): scaled[j] for j in order[:-1]}
        return sample(lambda rng: SmoothChain(model, data, cells, truth, plan, rng, inputs=inputs), plan, random, label)

    def _judge(self, posterior, training, order, test):
        """Draws of the log-likelihood by which orders are compared."""
        if len(test) == 0:
            return spread(posterior.log_likelihood)
        kept = self._kept(posterior, training, order)
        return self._log_densities(kept, test).sum(axis=1)

    def _kept(self, posterior, training, order):
        """What the predictions of an order need."""
        return {
            "order": order, "inputs": self._scaled(training), "weights": spread(posterior.weights),
            "noise": spread(posterior.noise), "values": spread(posterior.smooth), "decays": spread(posterior.decays),
        }  # fmt: skip

    def _invariants(self):
        d, kept = self.n_features_in_, self._predictive
        draws, inputs = len(kept["weights"]), kept["inputs"]
        yield "the order names every variable once", len(kept["order"]) == d and are_distinct(kept["order"], d)
        yield "draws have a weight for each cause", is_array(kept["weights"], np.float64, draws, d, 2 * d) and draws > 0
        yield "draws have noise", is_array(kept["noise"], np.float64, draws, d)
        yield "inputs are of the columns", is_array(inputs, np.float64, d, None)
        yield "draws have functions", is_array(kept["values"], np.float64, draws, d - 1, inputs.shape[1])
        yield "densities have their seed", "_density_seed" in vars(self)
        yield "functions have decays", is_array(kept["decays"], np.float64, draws, d - 1)

    def _log_densities(self, kept, X):
        """log p(x | draw) of each row for each draw; the functions at the row's values are integrated over."""
        scaled = self._scaled(X)
        scales = dag_model(kept["order"], 0, self.edge_mean).prior_scales(N_POINTS, self._density_seed)
        out = np.empty((len(kept["weights"]), len(X)))
        for draw, (W, psi) in enumerate(zip(kept["weights"], kept["noise"])):
            means, variances = self._functions(kept, draw, scaled)
            rest = np.ascontiguousarray(scaled - W[:, : len(means)] @ means)
            uncertain_log_density(rest, np.ascontiguousarray(W), psi, scales, variances, out[draw])
        return out - np.log(self.scale_).sum()

    def _functions(self, kept, draw, scaled):
        """Means and variances of the variables' functions at new rows (d, n), under one draw."""
        means, variances = np.zeros_like(scaled), np.zeros_like(scaled)
        for at, j in enumerate(kept["order"][:-1]):
            if (kept["weights"][draw, :, j] != 0).any():
                values, decay = kept["values"][draw, at], kept["decays"][draw, at]
                means[j], variances[j] = continued(values, kept["inputs"][j], scaled[j], decay)
        return means, variances

    def _choose(self, found, measured, training):
        d, tried = self.n_features_in_, len(found)
        self.candidate_orders_ = self.candidate_orders_[:tried]
        self.candidate_draws_ = measured
        self.candidate_edge_probabilities_ = np.stack(
            [(posterior.weights[..., :d] != 0).mean(axis=(0, 1)) for posterior in found]
        )
        medians = np.median(measured, axis=1)
        self.selected_ = int(medians.argmax())
        self.order_ = self.candidate_orders_[self.selected_]
        self.held_out_log_likelihood_ = float(medians.max())
        self.interrupted_ = any(posterior.interrupted for posterior in found)
        posterior = found[self.selected_]
        self._set_posterior(posterior)
        self._judge_convergence(measured)
        functions, sizes = self.order_[:-1], np.zeros((*posterior.weights.shape[:2], d))
        sizes[..., functions] = posterior.smooth.std(axis=-1)
        self.coef_ = np.median(np.abs(posterior.weights[..., :d]) * sizes[..., np.newaxis, :], axis=(0, 1))
        self.decays_ = np.full(d, np.nan)
        self.decays_[functions] = np.median(posterior.decays, axis=(0, 1))
        self._predictive = self._kept(posterior, training, self.order_)

    def effect(self, parent, child, values):
        """What a parent's value adds to a child: the smooth function of the edge.

        Parameters
        ----------
        parent, child : int
            Numbers of the columns.
        values : array-like of shape (n,)
            Values of the parent, in its units.

        Returns
        -------
        bands : ndarray of shape (3, n)
            2.5, 50 and 97.5 per cent quantiles over at most 100 posterior draws, in the units of the child.
        """
        check_is_fitted(self)
        kept = self._predictive
        where = np.flatnonzero(kept["order"][:-1] == parent)
        scaled = (np.asarray(values, dtype=float) - self.mean_[parent]) / self.scale_[parent]
        effects = np.zeros((len(kept["weights"]), len(scaled)))
        for draw, W in enumerate(kept["weights"]):
            if len(where) and W[child, parent] != 0:
                row, decay = kept["values"][draw, where[0]], kept["decays"][draw, where[0]]
                effects[draw] = W[child, parent] * continued(row, kept["inputs"][parent], scaled, decay)[0]
        return np.quantile(effects, [0.025, 0.5, 0.975], axis=0) * self.scale_[child]

    def transform(self, X):
        """Disturbances: what each variable has beyond the mean effect of its parents, for standardised variables.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        disturbances : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scaled, kept = self._scaled(self._checked(X, reset=False)), self._predictive
        d = len(scaled)
        effects = [W[:, :d] @ self._functions(kept, draw, scaled)[0] for draw, W in enumerate(kept["weights"])]
        return (scaled - np.mean(effects, axis=0)).T

    def score_samples(self, X):
        """Log of the predictive density of each row under the chosen order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        density : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return log_mean(self._log_densities(self._predictive, self._checked(X, reset=False)))
