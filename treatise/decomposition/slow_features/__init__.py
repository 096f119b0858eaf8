"""Slow functions of time series, and sources separated by their slowness (Sprekeler, Zito & Wiskott, JMLR 15:921)."""

from treatise.decomposition.slow_features.slow_feature_analysis import SlowFeatureAnalysis
from treatise.decomposition.slow_features.slow_features_plot import plot_slow_features
from treatise.decomposition.slow_features.slowness import delta_value, required_length
from treatise.decomposition.slow_features.xsfa import XSFA

__all__ = ["XSFA", "SlowFeatureAnalysis", "delta_value", "plot_slow_features", "required_length"]
