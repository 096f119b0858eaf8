"""Averages over structures: naive Bayes over subsets of features, networks over the graphs of an order."""

from treatise.bayesnet.averaging.averaged_naive_bayes import AveragedNaiveBayes
from treatise.bayesnet.averaging.greedy_thick_thin import greedy_thick_thin
from treatise.bayesnet.averaging.model_averaged_classifier import ModelAveragedClassifier
from treatise.bayesnet.averaging.order_averaged_network import OrderAveragedNetwork
from treatise.bayesnet.averaging.plot import plot_inclusion
from treatise.bayesnet.averaging.selective_naive_bayes import SelectiveNaiveBayes

__all__ = [
    "AveragedNaiveBayes",
    "ModelAveragedClassifier",
    "OrderAveragedNetwork",
    "SelectiveNaiveBayes",
    "greedy_thick_thin",
    "plot_inclusion",
]
