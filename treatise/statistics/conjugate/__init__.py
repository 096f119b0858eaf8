"""Conjugate priors of normal data: evidence, posterior and predictions in closed form, and draws for compiled loops."""

from treatise.statistics.conjugate.linear_model import LinearNormalPrior, LinearPosterior
from treatise.statistics.conjugate.normal_columns import NormalColumnsPrior

__all__ = ["LinearNormalPrior", "LinearPosterior", "NormalColumnsPrior"]
