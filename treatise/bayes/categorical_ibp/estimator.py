"""Hidden features behind categorical tables (Ruiz, Valera, Blanco & Perez-Cruz; JMLR 15:1215)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, within
from treatise.bayes.categorical_ibp._gibbs import BuffetChain
from treatise.bayes.categorical_ibp._gibbs_loops import MOST_FEATURES
from treatise.bayes.categorical_ibp._rows import posterior_of_rows
from treatise.bayes.categorical_ibp._table import modal_weights, table_of
from treatise.bayes.categorical_ibp._variational import VariationalFeatures, best_start
from treatise.statistics.category_columns import coded_columns, known_codes
from treatise.statistics.sampling import ChainPlan, run_chains

_LARGEST_R_HAT, _FEWEST_EFFECTIVE = 1.1, 20.0
_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class CategoricalIBP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Finds hidden yes/no features behind a table of categories, as many as the rows ask for.

    Every row has some of an unknown number of features (an Indian buffet process), and the answers in a row follow a
    softmax of a constant and the sum of its features' weights. Use it for surveys, diagnoses and other tables of
    categories whose causes overlap, where you want to see the causes, or to fill in missing cells. Do not use it where
    every row belongs to one class (a mixture is simpler), for numbers (cut them first, or use factor analysis), or to
    predict one column from the others as well as possible: a classifier does that better.

    ``method="gibbs"`` samples the features with the weights integrated out by Laplace's approximation: the more
    faithful, for some thousand rows. A sweep tries every feature of every row in every column; rows that agree share
    the work. Each trial costs ``G K^2 + K^3`` for G different combinations of K features, and two answers a column.
    ``method="variational"`` climbs a bound in ``n p R K`` for each sweep (R answers), from parts of the answers that a
    matrix factorisation finds: for large tables. It keeps fewer features on small ones.

    Parameters
    ----------
    method : {"gibbs", "variational"}, default="gibbs"
        How to infer the features.
    alpha : float, default=1.0
        Mean number of features of a row a priori; n rows have ``alpha log n`` different ones or so.
    sigma2 : float, default=1.0
        Prior variance of the weights.
    categories : sequence or None, default=None
        Values that the cells may have: of all columns, or one sequence for each column. None takes those that they
        have, two or more in each column.
    n_bins : int or None, default=None
        Parts of equal size into which numeric columns with more different values are cut; None takes every value for
        a category.
    missing : {"error", "mask"}, default="error"
        What to do with cells that are NaN, None or pandas' NA: refuse them, or leave them out of the likelihood and
        give the chances of their values.
    n_burn, n_samples, thin, n_chains : int, default=100, 100, 1 and 2
        Sweeps before the first draw, sweeps after it, sweeps from one draw to the next, and chains, for "gibbs".
    init_features : int, default=1
        Features at the start of a chain, each given to every row with probability one half.
    max_new : int, default=3
        Features at most that a row has for itself alone.
    n_components : int, default=25
        Features at most, for "variational".
    max_iter : int, default=300
        Sweeps at most, for "variational".
    tol : float, default=1e-6
        The sweeps end where the bound rises by less than this share of itself.
    flip_above : float, default=0.5
        A feature that a larger share of rows have is turned into its opposite. The paper turns those of more than 0.8.
    n_jobs : int or None, default=None
        Chains that run at once.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    random_state : int, RandomState or None, default=None
        Seed.

    Attributes
    ----------
    features_ : ndarray of int of shape (n_samples, n_components_)
        Features of the training rows, the most frequent first: those of the draw of the largest posterior
        probability, or those that are more probable than not.
    prevalence_ : ndarray of shape (n_components_,)
        Share of the training rows that have each feature.
    bias_ : list of ndarray of shape (n_answers,)
        Weights of the answers of each column where a row has no feature, at their posterior mode given ``features_``.
    weights_ : list of ndarray of shape (n_components_, n_answers)
        What each feature adds to them.
    states_ : list of ndarray
        The answers of each column in the order of their weights, or lower ends of its bins.
    log_evidence_ : float
        Log probability of the table given ``features_``, by Laplace's approximation.
    missing_cells_ : ndarray of int of shape (n_cells, 2)
        Row and column of every missing training cell.
    missing_proba_ : ndarray of shape (n_cells, most answers)
        Chances of its answers, averaged over all draws ("gibbs"; weights integrated out) or under the variational
        posterior.
    traces_ : dict of str to ndarray of shape (n_chains, n_draws)
        Log joint probability and others after every draw; empty for "variational".
    diagnostics_ : dict
        R-hat and effective sample size of the traces; empty for "variational".
    lower_bound_trace_ : ndarray
        The bound on the log probability of the table after every sweep; empty for "gibbs".
    n_iter_ : int
        Sweeps of a chain, or of the ascent.
    converged_ : bool
        Whether the chains agree, or the bound has stopped rising.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import CategoricalIBP
    >>> rng = np.random.default_rng(0)
    >>> causes = rng.random((300, 2)) < 0.3
    >>> shown = np.repeat(causes, 4, axis=1)  # each cause makes four symptoms likely
    >>> X = np.where(rng.random(shown.shape) < np.where(shown, 0.8, 0.05), "yes", "no")
    >>> model = CategoricalIBP(n_burn=30, n_samples=60, random_state=0).fit(X)
    >>> model.prevalence_[:2].round(1), causes.mean(axis=0).round(1)
    (array([0.3, 0.2]), array([0.3, 0.3]))
    >>> model.profiles()[0][:3, 1].round(1)  # P(yes) in the first column: without features, or with one alone
    array([0.1, 0.1, 0.7])

    References
    ----------
    .. [1] Paper v15-1215: equations 1 to 6, sections 3.2 (groups) and 4, Appendices A to C.
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"gibbs", "variational"})],
        "alpha": [_POSITIVE],
        "sigma2": [_POSITIVE],
        "categories": ["array-like", None],
        "n_bins": [Interval(Integral, 2, None, closed="left"), None],
        "missing": [StrOptions({"error", "mask"})],
        "n_burn": [Interval(Integral, 0, None, closed="left")],
        "n_samples": [_COUNT],
        "thin": [_COUNT],
        "n_chains": [_COUNT],
        "init_features": [Interval(Integral, 0, MOST_FEATURES, closed="both")],
        "max_new": [_COUNT],
        "n_components": [Interval(Integral, 1, MOST_FEATURES, closed="both")],
        "max_iter": [_COUNT],
        "tol": [_POSITIVE],
        "flip_above": [Interval(Real, 0.5, 1, closed="both")],
        "n_jobs": [Integral, None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, method="gibbs", *, alpha=1.0, sigma2=1.0, categories=None, n_bins=None, missing="error", n_burn=100,
        n_samples=100, thin=1, n_chains=2, init_features=1, max_new=3, n_components=25, max_iter=300, tol=1e-6,
        flip_above=0.5, n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.method = method
        self.alpha = alpha
        self.sigma2 = sigma2
        self.categories = categories
        self.n_bins = n_bins
        self.missing = missing
        self.n_burn = n_burn
        self.n_samples = n_samples
        self.thin = thin
        self.n_chains = n_chains
        self.init_features = init_features
        self.max_new = max_new
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.flip_above = flip_above
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the features of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Categories of any type, two or more different ones in every column unless ``categories`` has them; numbers
            with ``n_bins``.
        y : Ignored

        Returns
        -------
        self
        """
        codes, self.states_ = coded_columns(self, X, self.n_bins, missing=self.missing, categories=self.categories)
        self._refuse_single_answers()
        table = table_of(codes, [len(states) for states in self.states_])
        self.missing_cells_, self.traces_, self.diagnostics_ = table.missing, {}, {}
        self.lower_bound_trace_ = np.zeros(0)
        random_state = check_random_state(self.random_state)
        Z = self._sample(table, random_state) if self.method == "gibbs" else self._climb(table, random_state)
        self._keep(table, Z)
        return self

    def _refuse_single_answers(self):
        for j, states in enumerate(self.states_):
            if len(states) < 2:
                seen = f"the one category {states[0]!s}" if len(states) else "no known cell"
                raise ValueError(
                    f"column {j} has {seen}; features need two to tell apart: drop it, or state all in categories"
                )

    def _sample(self, table, random_state):
        chains = []

        def make_chain(rng):
            Z = (rng.random((len(table.codes), self.init_features)) < 0.5).astype(np.int64)
            chains.append(BuffetChain(table, self.alpha, self.sigma2, self.max_new, Z, rng))
            return chains[-1]

        plan = ChainPlan(self.n_chains, self.n_burn, self.n_samples, self.thin, self.n_jobs, self.verbose)
        draws = run_chains(make_chain, plan, random_state, "CategoricalIBP")
        n_kept = draws["log_joint"].shape[1]  # fewer than planned where the user interrupted
        self.traces_, self.n_iter_ = draws.values, plan.burn_in + n_kept * plan.thin
        enough = n_kept >= 4
        self.diagnostics_ = draws.diagnostics("log_joint", "n_features") if enough else {}
        self.converged_ = enough and draws.judge(
            "CategoricalIBP", "log_joint", "n_features", r_hat=_LARGEST_R_HAT, ess=_FEWEST_EFFECTIVE
        )
        if not enough:
            self._warn(f"{n_kept} draws are too few to judge the chains; raise n_samples")
        if any(chain.full for chain in chains):
            self._warn(f"a chain has {MOST_FEATURES} features, all that it has room for; lower alpha or sigma2")
        answers = sum(chain.answers for chain in chains)
        self.missing_proba_ = answers / sum(chain.n_draws for chain in chains)
        return max(chains, key=lambda chain: chain.best).best_Z

    def _climb(self, table, random_state):
        seed = random_state.randint(2**31 - 1)
        start = best_start(table, self.alpha, self.sigma2, self.n_components, seed)
        found = VariationalFeatures(table, self.alpha, self.sigma2, start)
        self.lower_bound_trace_, self.converged_ = found.run(self.max_iter, self.tol, self.verbose)
        self.n_iter_ = len(self.lower_bound_trace_) - 1
        if not self.converged_:
            self._warn(f"the bound still rises after {self.n_iter_} sweeps; raise max_iter or tol")
        self.missing_proba_ = found.answers(self.missing_cells_)
        return (found.nu > 0.5).astype(np.int64)

    @staticmethod
    def _warn(message):
        warnings.warn(f"CategoricalIBP: {message}", ConvergenceWarning, stacklevel=4)

    def _keep(self, table, Z):
        """Point estimates: frequent features turned over, empty ones dropped, the rest by their frequency."""
        Z = np.where(Z.mean(axis=0) > self.flip_above, 1 - Z, Z)
        owners = Z.sum(axis=0)
        Z = Z[:, np.argsort(-owners, kind="stable")[: np.count_nonzero(owners)]]
        weights, evidence = modal_weights(table, Z, self.sigma2)
        self.features_, self.prevalence_ = Z, Z.mean(axis=0)
        self.bias_, self.weights_ = [own[0] for own in weights], [own[1:] for own in weights]
        self.log_evidence_ = float(evidence.sum())
        # Of a row that is yet to come, which nothing is impossible for.
        self._prior = (Z.sum(axis=0) + 0.5 * self.alpha) / (len(Z) + self.alpha)
        self._n_features_out = Z.shape[1]

    @property
    def n_components_(self):
        """Number of features."""
        return len(self.prevalence_)

    def _posterior(self, X):
        check_is_fitted(self)
        codes = known_codes(self, X, self.states_, missing=self.missing)
        table = table_of(codes, [len(states) for states in self.states_])
        weights = [np.vstack([bias, own]) for bias, own in zip(self.bias_, self.weights_)]
        return table, posterior_of_rows(table, weights, self._prior)

    def transform(self, X):
        """Chances that rows have each feature, given their answers and the weights at their mode.

        Exact over all combinations of up to ten features, by mean field beyond.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the categories of the fit; cells may be missing with ``missing="mask"``.

        Returns
        -------
        chances : ndarray of shape (n_samples, n_components_)
        """
        return self._posterior(X)[1].features

    def answer_probabilities(self, X):
        """Chances of all answers in all columns, given what is known of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; cells may be missing with ``missing="mask"``.

        Returns
        -------
        chances : list of ndarray of shape (n_samples, n_answers)
            One for each column, in the order of ``states_``.
        """
        return self._posterior(X)[1].answers

    def impute(self, X):
        """Rows with their missing cells filled in by the most probable answers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; cells may be missing with ``missing="mask"``.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Of the type of the categories, objects where columns differ.
        """
        table, posterior = self._posterior(X)
        for j, states in enumerate(self.states_):
            if np.issubdtype(states.dtype, np.number) and states[0] == -np.inf:
                raise ValueError(f"column {j} was cut into {len(states)} bins, which have no single value to fill in")
        columns = []
        for states, codes, chances in zip(self.states_, table.codes.T, posterior.answers):
            columns.append(states[np.where(codes < 0, chances.argmax(axis=1), codes)])
        same = len({column.dtype.kind for column in columns}) == 1
        return np.column_stack(columns if same else [column.astype(object) for column in columns])

    def profiles(self):
        """Chances of the answers of a row without any feature, and of rows with one feature alone (Figure 5).

        Returns
        -------
        profiles : list of ndarray of shape (1 + n_components_, n_answers)
            One for each column.
        """
        check_is_fitted(self)
        found = []
        for bias, own in zip(self.bias_, self.weights_):
            logits = np.vstack([bias, bias + own])
            odds = np.exp(logits - logits.max(axis=1, keepdims=True))
            found.append(odds / odds.sum(axis=1, keepdims=True))
        return found

    def cooccurrence(self):
        """How often training rows have two features together, and how often they would by chance (Tables 1 and 3).

        Returns
        -------
        together, product : ndarray of shape (n_components_, n_components_)
            Shares of rows, and products of the two features' shares; the diagonal of both has the single shares.
        """
        check_is_fitted(self)
        together = self.features_.T @ self.features_ / len(self.features_)
        product = np.outer(self.prevalence_, self.prevalence_)
        np.fill_diagonal(product, self.prevalence_)
        return together, product

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mask"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _invariants(self):
        K, D = self._n_features_out, self.n_features_in_
        yield "every column has two answers or more", len(self.states_) == D and min(map(len, self.states_)) >= 2
        yield "each feature has a chance", is_array(self._prior, np.float64, K) and within(self._prior, 1e-300, 1.0)
        yield "each feature has its share of rows", is_array(self.prevalence_, np.float64, K)
        yield "every column has weights", len(self.bias_) == D and len(self.weights_) == D
        for states, bias, own in zip(self.states_, self.bias_, self.weights_):
            fit = is_array(bias, np.float64, len(states)) and is_array(own, np.float64, K, len(states))
            yield "each answer has a weight for each feature", fit and finite(bias) and finite(own)
