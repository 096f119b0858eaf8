"""Exact inference along chains: from scores, from factors, with label patterns; and a quadratic bound on log Z."""

from treatise.inference.chains.bound import ChainBound
from treatise.inference.chains.factors import factor_marginals
from treatise.inference.chains.label_patterns import PatternAutomaton, observed_patterns
from treatise.inference.chains.patterns import PatternChains, PatternMarginals
from treatise.inference.chains.scores import ChainMarginals, Chains

__all__ = [
    "ChainBound",
    "ChainMarginals",
    "Chains",
    "PatternAutomaton",
    "PatternChains",
    "PatternMarginals",
    "factor_marginals",
    "observed_patterns",
]
