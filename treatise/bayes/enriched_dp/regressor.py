"""Regression by enriched Dirichlet processes, and by plain ones (Wade, Dunson, Petrone & Trippa; JMLR 15:1041)."""

from sklearn.utils._param_validation import StrOptions

from treatise.bayes.enriched_dp._base import checked_mass
from treatise.bayes.enriched_dp._regression import NestedMixtureRegressor

LEAST_SPREAD = 0.5
SPREAD_A_COLUMN = 0.2
"""Share of a column's variance that the plain process expects inside a cluster, for each column of the table.

Chosen on diabetes, heart rates and drawn tables of one to fifteen columns; `benchmarks defaults` sets it beside others.
"""


class EnrichedDPRegressor(NestedMixtureRegressor):
    """Mixture of linear models with nested clusters: means, whole densities and intervals of the target.

    Rows fall into clusters in which y is linear in x, and inside each into clusters of x, as many of both as the data
    ask for. Where the plain Dirichlet process needs many clusters to describe x, and has few rows left in each to
    learn from, here the few clusters of y keep theirs. The posterior is sampled.

    Use it for tables of some dozen to a few thousand rows with up to some fifty columns, where the scatter of y, its
    shape (several peaks, tails) and honest intervals are wanted, or where different rows follow different lines. Do not
    use it for point predictions alone, where it seldom beats boosted trees, for large tables, or for hundreds of
    columns.

    A sweep costs ``n (K p + p^2) + k p^3`` for K clusters of x and k of y: 20 000 sweeps of 200 rows and 15 columns
    take about four seconds on one core. Predictions cost about as much as a sweep for every draw kept.

    Examples
    --------
    Two lines that cross: between them the density has two peaks, and the mean lies where no target is.

    >>> import numpy as np
    >>> from treatise.bayes import EnrichedDPRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, 150)
    >>> y = np.where(rng.random(150) < 0.5, 2 + x, -2 - x) + 0.1 * rng.standard_normal(150)
    >>> model = EnrichedDPRegressor(burn_in=300, n_samples=700, random_state=0).fit(x[:, None], y)
    >>> model.n_clusters_
    2
    >>> bool(model.predict_density([[0.5]], [0.0])[0, 0] < 0.01)
    True
    >>> bool(model.predict_density([[0.5]], [-2.5, 2.5]).min() > 0.5)
    True

    References
    ----------
    .. [1] Paper v15-1041, sections 3 and 4, Appendix A.
    """

    def __init__(
        self, alpha_theta=(1.0, 1.0), alpha_psi=(1.0, 1.0), *, prior="auto", column_spread=0.5, noise_share=0.5,
        n_chains=2, burn_in=3000, n_samples=3000, thin=15, n_moves=5, n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.alpha_theta = alpha_theta
        self.alpha_psi = alpha_psi
        self.prior = prior
        self.column_spread = column_spread
        self.noise_share = noise_share
        self.n_chains = n_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thin = thin
        self.n_moves = n_moves
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state


class DPMixtureRegressor(NestedMixtureRegressor):
    """Mixture of linear models with one Dirichlet process for columns and target together: the paper's baseline.

    Every cluster has one linear model and one normal law of the columns. With more than a few columns their density
    decides the clusters, which are then many and small, and predictions suffer:
    :class:`~treatise.bayes.EnrichedDPRegressor` mends that and costs the same. Use it as the baseline, or with one to
    three columns, where it has less to learn. Do not use it for more columns, nor for large tables.

    A sweep costs ``n (k p + p^2) + k p^3`` for k clusters.

    Parameters
    ----------
    alpha : float or (float, float), default=(1.0, 1.0)
        Mass of the process: large makes many clusters. A pair is the shape and rate of its gamma prior, and it is
        learned; a number is taken as given.
    column_spread : float or "auto", default="auto"
        Variance of a column inside a cluster that the automatic prior expects, as a share of its whole variance. More
        makes fewer clusters. "auto" is a fifth of the number of columns and at least a half: with many columns narrow
        clusters leave too few rows to a linear model.

    Attributes
    ----------
    labels_, nested_labels_ : ndarray of int of shape (n_samples,)
        Clusters: of the drawn partitions the one with the least mean variation of information from all. Both are the
        same here.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import DPMixtureRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = np.sort(rng.uniform(-1, 1, 150))
    >>> y = np.abs(x) + 0.05 * rng.standard_normal(150)
    >>> model = DPMixtureRegressor(burn_in=300, n_samples=700, random_state=0).fit(x[:, None], y)
    >>> bool(np.abs(model.predict([[-0.6], [0.6]]) - 0.6).max() < 0.05)
    True

    References
    ----------
    .. [1] Paper v15-1041, section 2; Shahbaba & Neal, JMLR 10:1829.
    """

    _parameter_constraints: dict = {
        **{
            key: value
            for key, value in NestedMixtureRegressor._parameter_constraints.items()
            if key not in ("alpha_theta", "alpha_psi", "n_moves")
        },
        "alpha": NestedMixtureRegressor._parameter_constraints["alpha_theta"],
        "column_spread": [StrOptions({"auto"}), *NestedMixtureRegressor._parameter_constraints["column_spread"]],
    }

    def __init__(
        self, alpha=(1.0, 1.0), *, prior="auto", column_spread="auto", noise_share=0.5, n_chains=2, burn_in=3000,
        n_samples=3000, thin=15, n_jobs=None,
        verbose=None, random_state=None,
    ):  # fmt: skip
        self.alpha = alpha
        self.prior = prior
        self.column_spread = column_spread
        self.noise_share = noise_share
        self.n_chains = n_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thin = thin
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _masses(self):
        return checked_mass("alpha", self.alpha), 0.0

    def _expected_spread(self, n_features):
        return max(LEAST_SPREAD, SPREAD_A_COLUMN * n_features) if self.column_spread == "auto" else self.column_spread
