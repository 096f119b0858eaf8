"""Generalised linear mixed models by variational message passing (paper v15-1351)."""

from treatise.bayes.glmm._summary import PosteriorSummary
from treatise.bayes.glmm.estimator import VariationalGLMM
from treatise.bayes.glmm.plot import plot_effects, plot_group_effects

__all__ = ["PosteriorSummary", "VariationalGLMM", "plot_effects", "plot_group_effects"]
