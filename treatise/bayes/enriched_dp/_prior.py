"""Base measures: what the user gives, or one drawn from the data."""

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV

from treatise.statistics.conjugate import LinearNormalPrior, NormalColumnsPrior

COLUMN_KEYS = ("mu_0", "c", "a_x", "b_x")
LINEAR_KEYS = ("beta_0", "C")
NOISE_KEYS = ("a_y", "b_y")
LOGIT_TO_PROBIT = 0.6
"""A logistic score times this is about a probit one."""
LEAST_NOISE = 1e-4
"""Share of the targets' variance that the prior leaves to noise where a linear model leaves none."""


def priors_of(prior, Z, v, *, probit, column_spread, noise_share):
    """Priors of columns and of linear models: from a dictionary, or for standardised data from the data."""
    if prior == "auto":
        p = Z.shape[1]
        columns = NormalColumnsPrior.of(0.0, 0.25, 2.0, column_spread, n_features=p)
        return columns, (automatic_probit(Z, v) if probit else automatic_linear(Z, v, noise_share))
    return priors_from(prior, Z.shape[1], probit=probit)


def automatic_linear(Z, v, noise_share):
    """A ridge fit, about which coefficients scatter by a deviation of the noise, a share of what the fit leaves."""
    if len(v) < 3 or not np.any(v != v[0]):
        mean, left = np.r_[v.mean(), np.zeros(Z.shape[1])], LEAST_NOISE
    else:
        ridge = RidgeCV(alphas=np.logspace(-3, 5, 25)).fit(Z, v)
        mean, left = np.r_[ridge.intercept_, ridge.coef_], max(-float(ridge.best_score_), LEAST_NOISE)
    precision = np.r_[0.05, np.ones(Z.shape[1])]
    return LinearNormalPrior.of(mean, precision, shape=2.0, rate=noise_share * left)


def automatic_probit(Z, signs):
    """A logistic fit in the scale of probit scores, about which coefficients scatter."""
    fit = LogisticRegression(C=0.1, max_iter=1000).fit(Z, signs)
    mean = LOGIT_TO_PROBIT * np.r_[fit.intercept_, fit.coef_[0]]
    return LinearNormalPrior.of(mean, np.r_[0.25, np.full(Z.shape[1], 4.0)])


def priors_from(prior, p, *, probit):
    """Priors of a dictionary, its keys and shapes checked."""
    wanted = COLUMN_KEYS + LINEAR_KEYS + (() if probit else NOISE_KEYS)
    missing, unknown = [key for key in wanted if key not in prior], [key for key in prior if key not in wanted]
    if missing or unknown:
        wrong = f"lacks {missing}" if missing else f"has {unknown}, which are not known"
        raise ValueError(f"prior {wrong}; give all of {', '.join(wanted)}, or 'auto'")
    try:
        columns = NormalColumnsPrior.of(*(prior[key] for key in COLUMN_KEYS), n_features=p)
        mean = np.atleast_1d(np.asarray(prior["beta_0"], dtype=np.float64))
        if mean.shape != (p + 1,):
            raise ValueError(f"beta_0 has shape {mean.shape}; give {p + 1} numbers, that of the constant first")
        noise = {} if probit else {"shape": prior["a_y"], "rate": prior["b_y"]}
        if not probit and not prior["a_y"] > 0:
            raise ValueError(f"a_y={prior['a_y']} must be above zero")
        return columns, LinearNormalPrior.of(mean, prior["C"], **noise)
    except (TypeError, ValueError) as error:
        raise ValueError(f"prior: {error}") from error
