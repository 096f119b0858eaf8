"""What the estimators share: chains of nested partitions in, averages over them out."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import finite, is_array, is_count, within
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.enriched_dp._chain import NestedChain, mass_priors
from treatise.bayes.enriched_dp._predictive import DrawnPartitions, weighted_quantiles
from treatise.bayes.enriched_dp._prior import priors_from, priors_of
from treatise.statistics.partitions import co_clustering, draw_nested_partition, representative_partition
from treatise.statistics.predictive_intervals import interval_ends
from treatise.statistics.sampling import ChainPlan, run_chains

JUDGED = ("log_targets",)
"""What chains must agree on: how well the restaurants fit the targets. Numbers of clusters may differ by idle ones."""
_NARROW = 1e-12
"""A column whose deviation is this share of its values does not vary."""


class NestedMixture(InheritsDocumentation, BaseEstimator):
    """Mixture of linear models, clusters of y given x, each with clusters of x of its own.

    Parameters
    ----------
    alpha_theta : float or (float, float), default=(1.0, 1.0)
        Mass of the clusters of y given x: large makes many. A pair is the shape and rate of its gamma prior, and it is
        learned; a number is taken as given.
    alpha_psi : float or (float, float), default=(1.0, 1.0)
        Mass of the clusters of x inside each of those, likewise; learned for each by itself. Zero leaves one, which is
        the plain Dirichlet process.
    prior : "auto" or dict, default="auto"
        Base measure. "auto" standardises columns and targets and draws it from them, so that units do not matter. A
        dictionary has the parameters in the units of the data, under the paper's names: ``beta_0`` and ``C`` (mean of
        the coefficients, constant first, and their precision or its diagonal, over the variance), ``a_y`` and ``b_y``
        (shape and rate of the variance; none for classes), ``mu_0``, ``c``, ``a_x`` and ``b_x`` of the columns, a
        number for all or one for each.
    column_spread : float, default=0.5
        Variance of a column inside a cluster of x that the automatic prior expects, as a share of its whole variance.
        More makes fewer clusters of x; 0.05 to 1 are worth a look.
    noise_share : float, default=0.5
        Variance of the noise that the automatic prior expects, as a share of what one linear model leaves. Less makes
        more clusters of y given x; 0.1 to 1 are worth a look.
    n_chains : int, default=2
        Chains, from different starts.
    burn_in : int, default=3000
        Sweeps of each chain before the first draw; the paper has 5000.
    n_samples : int, default=3000
        Sweeps after that; the paper has 15 000.
    thin : int, default=15
        Sweeps from one draw to the next. Predictions cost time for every draw kept.
    n_moves : int, default=5
        Rounds in a sweep of moves of whole clusters of x to other clusters of y; the paper has 1.
    n_jobs : int or None, default=None
        Chains that run at once, in threads; results do not depend on it.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seed of the chains; predictions of one fitted model are always the same.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
        Clusters of y given x: of the drawn partitions the one with the least mean variation of information from all.
    nested_labels_ : ndarray of int of shape (n_samples,)
        Clusters of x inside them, in the same draw.
    n_clusters_ : int
        Most frequent number of clusters of y given x.
    traces_ : dict of str to ndarray of shape (n_chains, n_draws)
        Draws of "n_clusters" (of y given x), "n_tables" (of x, in all clusters of y), "alpha_theta", "alpha_psi" (mean
        over rows), "log_targets" and "log_columns" (log likelihoods at the drawn parameters).
    diagnostics_ : dict of str to dict
        R-hat and effective sample size of each.
    converged_ : bool
        Whether the chains agree on "log_targets"; a warning says so if not.
    prior_ : dict
        The base measure in the units of the sampler.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has some.
    """

    _parameter_constraints: dict = {
        "alpha_theta": [Interval(Real, 0, None, closed="neither"), tuple, list],
        "alpha_psi": [Interval(Real, 0, None, closed="left"), tuple, list],
        "prior": [StrOptions({"auto"}), dict],
        "column_spread": [Interval(Real, 0, None, closed="neither")],
        "noise_share": [Interval(Real, 0, None, closed="neither")],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "burn_in": [Interval(Integral, 0, None, closed="left")],
        "n_samples": [Interval(Integral, 1, None, closed="left")],
        "thin": [Interval(Integral, 1, None, closed="left")],
        "n_moves": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def _masses(self):
        """The two masses; the plain process has one alone."""
        return checked_mass("alpha_theta", self.alpha_theta), checked_mass("alpha_psi", self.alpha_psi)

    def _expected_spread(self, n_features):
        """Of each column inside a cluster of x."""
        return self.column_spread

    def _fit_chains(self, X, y, *, probit):
        """Run the chains on columns and targets, +1 and -1 for classes, and keep what they drew."""
        check_magnitudes(X, "X")
        check_magnitudes(y, "y")
        masses = mass_priors(*self._masses())
        self._set_units(X, None if probit else y)
        Z, v = (X - self._center) / self._scale, (y - self._y_center) / self._y_scale
        columns, linear = priors_of(
            self.prior, Z, v, probit=probit, column_spread=self._expected_spread(X.shape[1]),
            noise_share=getattr(self, "noise_share", None),
        )  # fmt: skip
        self.prior_ = {
            "mu_0": columns.mean, "c": columns.weight, "a_x": columns.shape, "b_x": columns.rate,
            "beta_0": linear.mean, "C": linear.precision,
        }  # fmt: skip
        if not probit:
            self.prior_ |= {"a_y": linear.shape, "b_y": linear.rate}
        moves = getattr(self, "n_moves", 0) if masses.table_rate or masses.table_shape else 0
        chains = []

        def make_chain(rng):
            start = None
            if len(chains) % 2:  # every second chain begins at a draw from the prior, the others with one cluster
                table_mass = 1.0 if masses.table_rate or masses.table_shape else 1e-9
                start = draw_nested_partition(len(Z), 1.0, table_mass, rng)
            chains.append(NestedChain(Z, v, columns, linear, masses, moves, rng, start))
            return chains[-1]

        plan = ChainPlan(self.n_chains, self.burn_in, self.n_samples, self.thin, self.n_jobs, self.verbose)
        random_state = check_random_state(self.random_state)
        draws = run_chains(make_chain, plan, random_state, type(self).__name__)
        self.traces_ = draws.values
        self.diagnostics_ = draws.diagnostics()
        self._keep(chains, draws["n_clusters"].shape[1], Z, v, probit)
        self._seed = int(random_state.randint(2**31))
        self.converged_ = draws.judge(type(self).__name__, *JUDGED)
        return self

    def _set_units(self, X, y):
        """Centre and unit of columns and targets: those of the data, or none where the prior has the data's own."""
        p = X.shape[1]
        self._center, self._scale, self._y_center, self._y_scale = np.zeros(p), np.ones(p), 0.0, 1.0
        if self.prior != "auto":
            return
        self._center, spread = X.mean(axis=0), X.std(axis=0)
        self._scale = np.where(spread > _NARROW * np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny), spread, 1.0)
        if y is not None:
            self._y_center, spread = float(y.mean()), float(y.std())
            self._y_scale = spread if spread > _NARROW * max(abs(self._y_center), np.finfo(float).tiny) else 1.0

    def _keep(self, chains, n_kept, Z, v, probit):
        kept = [draw for chain in chains for draw in chain.kept[:n_kept]]
        restaurants, tables, mass, table_masses, latent = zip(*kept)
        self._X, self._y = Z, np.array(latent) if probit else v
        self._restaurants, self._tables = (np.array(found, dtype=np.int32) for found in (restaurants, tables))
        self._mass = np.array(mass)
        self._table_masses = np.zeros((len(kept), max(map(len, table_masses))))
        for row, masses in zip(self._table_masses, table_masses):
            row[: len(masses)] = masses
        chosen, _ = representative_partition(self._restaurants)
        self.labels_, self.nested_labels_ = (in_order(found[chosen]) for found in (self._restaurants, self._tables))
        self.n_clusters_ = int(np.bincount(self._restaurants.max(axis=1) + 1).argmax())

    def co_clustering(self):
        """Share of the draws in which two training rows are in one cluster of y given x.

        Returns
        -------
        together : ndarray of shape (n_samples, n_samples)
        """
        check_is_fitted(self)
        return co_clustering(self._restaurants)

    @property
    def _drawn(self):
        columns, linear = priors_from(self.prior_, self._X.shape[1], probit=self._y.ndim == 2)
        return DrawnPartitions(
            self._X, self._y, self._restaurants, self._tables, self._mass, self._table_masses, columns, linear
        )

    def _rows(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_magnitudes(X, "X")
        return np.ascontiguousarray((X - self._center) / self._scale)

    def _credible_interval(self, Z, level, link=None):
        values, weights = self._drawn.values_of_draws(Z, self._seed, link)
        return weighted_quantiles(values, weights, interval_ends(level))

    def _invariants(self):
        n, p = self._X.shape
        n_draws = len(self._mass)
        yield "rows have the columns of the fit", is_array(self._X, np.float64, n, self.n_features_in_) and n >= 1
        yield "rows are numbers", finite(self._X)
        yield (
            "every row has a target",
            (is_array(self._y, np.float64, n) or is_array(self._y, np.float64, n_draws, n)) and finite(self._y),
        )
        for labels in (self._restaurants, self._tables):
            yield "every draw seats every row", is_array(labels, np.int32, n_draws, n)
            yield "seats are among as many as there are rows", within(labels, 0, n)
            yield "none of them is empty", all(np.bincount(own).all() for own in labels)
        yield "there is a draw", is_array(self._mass, np.float64, n_draws) and n_draws >= 1
        yield "masses are positive", within(self._mass, np.nextafter(0, 1), np.inf)
        masses = self._table_masses
        yield "every restaurant has a mass", is_array(masses, np.float64, n_draws, None)
        yield "masses of tables are not negative", within(masses, 0, np.inf)
        yield "every restaurant's mass is kept", within(self._restaurants, 0, masses.shape[1])
        yield (
            "columns have units",
            is_array(self._center, np.float64, p) and is_array(self._scale, np.float64, p),
        )
        yield "units are above zero", finite(self._center) and within(self._scale, np.finfo(float).tiny, np.inf)
        for name, values in {"X": self._X, "y": self._y, "center": self._center, **self.prior_}.items():
            check_magnitudes(values, name)
        # Looks at every part of the prior, and raises for one that is wrong.
        yield "the prior is one", isinstance(self.prior_, dict) and bool(self._drawn)
        yield "the seed is a whole number", is_count(self._seed)


def checked_mass(name, value):
    """A mass that is given, or the shape and rate of its gamma prior."""
    if isinstance(value, Real):
        return float(value)
    numbers = tuple(value)
    if len(numbers) != 2 or not all(isinstance(v, Real) and 0 < v < np.inf for v in numbers):
        raise ValueError(f"{name}={value!r} is no mass; give a number, or the shape and rate of its gamma prior")
    return float(numbers[0]), float(numbers[1])


def in_order(labels):
    """Labels numbered by the size of their groups, the largest first; of equals the one met first."""
    _, first, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(first))
    return rank[codes]
