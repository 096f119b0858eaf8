"""Likelihoods of latent Gaussian models."""

from treatise.bayes.latent_gaussian.likelihoods.amounts import (
    DensityFunction,
    DoubleExponential,
    Normal,
    Poisson,
    StochasticVolatility,
)
from treatise.bayes.latent_gaussian.likelihoods.base import Likelihood
from treatise.bayes.latent_gaussian.likelihoods.binary import Logit, Probit, Step

NAMED = {
    "probit": Probit,
    "logit": Logit,
    "step": Step,
    "poisson": Poisson,
    "gaussian": Normal,
    "stochvol": StochasticVolatility,
    "laplace": DoubleExponential,
}
"""Likelihoods by the names that :class:`~treatise.bayes.LatentGaussianModel` takes."""


def resolve_likelihood(likelihood):
    """The likelihood behind a name, a likelihood or a function of y and u."""
    if isinstance(likelihood, Likelihood):
        return likelihood
    if callable(likelihood):
        return DensityFunction(likelihood)
    return NAMED[likelihood]()


__all__ = [
    "NAMED", "DensityFunction", "DoubleExponential", "Likelihood", "Logit", "Normal", "Poisson", "Probit", "Step",
    "StochasticVolatility", "resolve_likelihood",
]  # fmt: skip
