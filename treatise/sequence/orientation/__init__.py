"""Which way phrases move: learners with class distances, for many small groups (JMLR 12:1)."""

from treatise.sequence.orientation.grouped import GroupedClassifier
from treatise.sequence.orientation.margin_regression import MaximumMarginRegression
from treatise.sequence.orientation.perceptron import StructuredPerceptronClassifier, class_distances
from treatise.sequence.orientation.phrases import PhrasePairFeatures, movement_distances, orientation_of

__all__ = [
    "GroupedClassifier",
    "MaximumMarginRegression",
    "PhrasePairFeatures",
    "StructuredPerceptronClassifier",
    "class_distances",
    "movement_distances",
    "orientation_of",
]
