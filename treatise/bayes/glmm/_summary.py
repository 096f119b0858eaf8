"""What a fitted mixed model says of its effects: means, deviations and credible intervals in one table."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import gammaln, ndtri
from sklearn.utils.validation import check_is_fitted

from treatise.bayes._covariances import covariance_law, marginal_variance_laws, widened_law
from treatise.statistics.predictive_intervals import interval_ends

_CORRELATION_DRAWS = 4000


@dataclass(frozen=True)
class PosteriorSummary:
    """Rows of a summary: quantities with their posterior mean, deviation and interval; prints as a table.

    Attributes
    ----------
    names : list of str
        Quantities: fixed effects, deviations (``sd``) and correlations (``cor``) of random effects, the noise.
    mean, sd, low, high : ndarray
        Posterior mean, deviation, and ends of the interval.
    level : float
        Probability of the interval.
    """

    names: list[str]
    mean: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float

    def frame(self):
        """The table as a polars DataFrame."""
        columns = {"name": self.names, "mean": self.mean, "sd": self.sd, "low": self.low, "high": self.high}
        return pl.DataFrame(columns)

    def __str__(self):
        ends = [f"{100 * share:g}%" for share in ((1 - self.level) / 2, (1 + self.level) / 2)]
        width = max(map(len, self.names))
        lines = [" " * width + "".join(f"{head:>10}" for head in ("mean", "sd", *ends))]
        for name, *numbers in zip(self.names, self.mean, self.sd, self.low, self.high):
            lines.append(f"{name:<{width}}" + "".join(f"{number:10.4f}" for number in numbers))
        return "\n".join(lines)


class MixedModelSummary:
    """The part of a mixed model that speaks of its effects."""

    def credible_interval(self, level=0.95):
        """Intervals of the fixed effects.

        Parameters
        ----------
        level : float, default=0.95
            Probability.

        Returns
        -------
        interval : ndarray of shape (n_coefficients, 2)
            The intercept first, as in ``coef_names_``.
        """
        check_is_fitted(self)
        share = interval_ends(level)[0]
        return self._quantiles(self._coefficients(), np.diag(self.coef_cov_), (share, 1 - share))

    def summary(self, level=0.95):
        """All effects but those of single groups, with intervals.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the intervals.

        Returns
        -------
        summary : PosteriorSummary
        """
        interval = self.credible_interval(level)
        names = list(self.coef_names_)
        rows = list(np.column_stack([self._coefficients(), np.sqrt(np.diag(self.coef_cov_)), interval]))
        for (factor, columns), law in zip(self.random_names_, self._widened_laws()):
            plain = columns == ["(Intercept)"]
            for column, marginal in zip(columns, marginal_variance_laws(*law)):
                names.append(f"sd {factor}" + ("" if plain else f" {column}"))
                rows.append(_deviation_row(marginal, level))
            more_names, more = _correlation_rows(factor, columns, law, level)
            names += more_names
            rows += more
        if self.noise_law_ is not None:
            names.append("sd noise")
            rows.append(_deviation_row(marginal_variance_laws(*self.noise_law_)[0], level))
        return PosteriorSummary(names, *np.array(rows).T, level)

    def _coefficients(self):
        return np.append(self.intercept_, self.coef_) if len(self.coef_names_) > len(self.coef_) else self.coef_

    @staticmethod
    def _quantiles(mean, variance, shares):
        return mean[:, None] + np.sqrt(variance)[:, None] * ndtri(np.asarray(shares))

    def _widened_laws(self):
        return [widened_law(*law, widening) for law, widening in zip(self.covariance_laws_, self.widening_)]

    def _drawn_covariances(self, n_draws, rng):
        drawn = []
        for degrees, spread in self._widened_laws():
            size = len(spread)
            found = covariance_law(degrees, spread).rvs(n_draws, random_state=rng)
            drawn.append(np.asarray(found).reshape(n_draws, size, size))
        return drawn


def _deviation_row(law, level):
    """Mean, deviation and interval of the root of an inverse gamma variable."""
    shape, scale = law.args[0], law.kwds["scale"]
    mean = np.sqrt(scale) * np.exp(gammaln(shape - 0.5) - gammaln(shape)) if shape > 0.5 else np.inf
    square = scale / (shape - 1) if shape > 1 else np.inf
    share = interval_ends(level)[0]
    spread = np.sqrt(max(square - mean**2, 0.0)) if np.isfinite(square) else np.inf
    return np.array([mean, spread, *np.sqrt(law.ppf([share, 1 - share]))])


def _correlation_rows(factor, columns, law, level):
    names, rows = [], []
    if len(columns) < 2:
        return names, rows
    # A correlation under an inverse Wishart has no closed quantiles; a fixed stream of draws stands for them.
    drawn = covariance_law(*law).rvs(_CORRELATION_DRAWS, random_state=np.random.default_rng(0))
    for j in range(len(columns)):
        for k in range(j):
            correlation = drawn[:, j, k] / np.sqrt(drawn[:, j, j] * drawn[:, k, k])
            share = interval_ends(level)[0]
            names.append(f"cor {factor} {columns[k]}, {columns[j]}")
            rows.append(
                np.array([correlation.mean(), correlation.std(), *np.quantile(correlation, [share, 1 - share])])
            )
    return names, rows
