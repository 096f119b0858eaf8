"""Regression that keeps to what is known of the function on whole regions."""

from treatise.kernel_methods.knowledge.implications import Knowledge
from treatise.kernel_methods.knowledge.linear import LinearKnowledgeRegressor
from treatise.kernel_methods.knowledge.plot import plot_knowledge
from treatise.kernel_methods.knowledge.polyhedron import Polyhedron
from treatise.kernel_methods.knowledge.regressor import KnowledgeKernelRegressor

__all__ = [
    "Knowledge",
    "KnowledgeKernelRegressor",
    "LinearKnowledgeRegressor",
    "Polyhedron",
    "plot_knowledge",
]
