"""Search in the space of outputs, guided by a learned cost, and the greedy classifier that it starts from."""

from treatise.sequence.output_search.anytime_curve import AnytimeCurve
from treatise.sequence.output_search.learned_search import LearnedOutputSearch
from treatise.sequence.output_search.output_space_search import OutputSpaceSearch
from treatise.sequence.output_search.recurrent_classifier import RecurrentClassifier
from treatise.sequence.output_search.search_space import GridSpace, SearchSpace

__all__ = [
    "AnytimeCurve",
    "GridSpace",
    "LearnedOutputSearch",
    "OutputSpaceSearch",
    "RecurrentClassifier",
    "SearchSpace",
]
