"""Dependency grammars learnt from tagged sentences, with and without trees."""

from treatise.sequence.dependency.measures import attachment_accuracy, dependency_ambiguity
from treatise.sequence.dependency.model import DependencyModelWithValence
from treatise.sequence.dependency.plot import plot_dependency_tree

__all__ = ["DependencyModelWithValence", "attachment_accuracy", "dependency_ambiguity", "plot_dependency_tree"]
