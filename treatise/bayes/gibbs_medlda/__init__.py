"""Topic models whose topics are learned to predict labels or numbers, by Gibbs sampling (v15-1073)."""

from treatise.bayes.gibbs_medlda.classifier import GibbsMedLDAClassifier
from treatise.bayes.gibbs_medlda.plot import plot_class_topics, plot_topics
from treatise.bayes.gibbs_medlda.regressor import GibbsMedLDARegressor

__all__ = ["GibbsMedLDAClassifier", "GibbsMedLDARegressor", "plot_class_topics", "plot_topics"]
