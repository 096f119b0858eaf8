"""The main job: what would the papers do with this table? A leaderboard, a report and a fitted model.

``inputs`` holds the kinds of data that methods are compared on, ``contest`` how they are compared.
"""

from treatise.compare.blending import BlendedClassifier, BlendedRegressor, expert_weights, greedy_weights
from treatise.compare.candidates import Candidate
from treatise.compare.comparison import Comparison, compare_methods
from treatise.compare.graph import LearnedGraph, graph_learners, learn_graph
from treatise.compare.inputs import Input
from treatise.compare.inputs.encoding import Densify, TableEncoder
from treatise.compare.inputs.sentences import label_sentences
from treatise.compare.inputs.sequence_tables import label_table
from treatise.compare.inputs.table import predict_table, understand
from treatise.compare.observer import Observer
from treatise.compare.rules import Rules
from treatise.compare.single import fit_method, parse_setting

__all__ = [
    "BlendedClassifier",
    "BlendedRegressor",
    "Candidate",
    "Comparison",
    "Densify",
    "Input",
    "LearnedGraph",
    "Observer",
    "Rules",
    "TableEncoder",
    "compare_methods",
    "expert_weights",
    "fit_method",
    "graph_learners",
    "greedy_weights",
    "label_sentences",
    "label_table",
    "learn_graph",
    "parse_setting",
    "predict_table",
    "understand",
]
