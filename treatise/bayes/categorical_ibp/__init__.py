"""Hidden yes/no features behind a table of categories (JMLR 15:1215)."""

from treatise.bayes.categorical_ibp.estimator import CategoricalIBP
from treatise.bayes.categorical_ibp.plot import plot_hidden_features

__all__ = ["CategoricalIBP", "plot_hidden_features"]
