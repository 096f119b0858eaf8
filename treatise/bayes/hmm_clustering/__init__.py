"""Clustering of hidden Markov models: variational hierarchical EM and its rivals (JMLR 15:697)."""

from treatise.bayes.hmm_clustering.clusterer import HMMClusterer
from treatise.bayes.hmm_clustering.divergence import hmm_expected_log_likelihood, hmm_kl
from treatise.bayes.hmm_clustering.fitting import fit_hmms
from treatise.bayes.hmm_clustering.hierarchy import HMMHierarchy
from treatise.bayes.hmm_clustering.mixture import HMMMixture
from treatise.bayes.hmm_clustering.plot import plot_hmm_centers, plot_hmm_hierarchy
from treatise.bayes.hmm_clustering.sampled import SampledHMMClusterer

__all__ = [
    "HMMClusterer",
    "HMMHierarchy",
    "HMMMixture",
    "SampledHMMClusterer",
    "fit_hmms",
    "hmm_expected_log_likelihood",
    "hmm_kl",
    "plot_hmm_centers",
    "plot_hmm_hierarchy",
]
