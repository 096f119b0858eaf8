"""Hidden Markov models: what states show, sums over hidden paths, and Baum and Welch's fit."""

from treatise.inference.hidden_markov.baum_welch import BaumWelch, baum_welch, maximised, random_chain, shares
from treatise.inference.hidden_markov.emissions import DiscreteEmissions, GaussianEmissions, check_normals
from treatise.inference.hidden_markov.mixture_emissions import MixtureEmissions
from treatise.inference.hidden_markov.model import MixtureHMM
from treatise.inference.hidden_markov.sums import hidden_marginals, log_marginals

__all__ = [
    "BaumWelch",
    "DiscreteEmissions",
    "GaussianEmissions",
    "MixtureEmissions",
    "MixtureHMM",
    "baum_welch",
    "check_normals",
    "hidden_marginals",
    "log_marginals",
    "maximised",
    "random_chain",
    "shares",
]
