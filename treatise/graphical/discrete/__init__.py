"""Graphs of binary and categorical columns: sparse regressions, mutual information, pseudo-likelihood."""

from treatise.graphical.discrete.incoherence import IncoherenceReport, incoherence_report
from treatise.graphical.discrete.ising import IsingGraph
from treatise.graphical.discrete.multinomial import MultinomialGraph
from treatise.graphical.discrete.mutual_information import MutualInformationGraph
from treatise.graphical.discrete.pseudo_likelihood import fit_ising_on_graph, sample_ising

__all__ = [
    "IncoherenceReport",
    "IsingGraph",
    "MultinomialGraph",
    "MutualInformationGraph",
    "fit_ising_on_graph",
    "incoherence_report",
    "sample_ising",
]
