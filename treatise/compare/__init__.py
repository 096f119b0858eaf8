"""The main job: what would the papers do with this table? A leaderboard, a report and a fitted model."""

from treatise.compare._candidates import Candidate
from treatise.compare._encode import Densify, TableEncoder
from treatise.compare._graph import LearnedGraph, graph_learners, learn_graph
from treatise.compare._metrics import Metric
from treatise.compare._observer import Observer
from treatise.compare._problem import Problem, understand
from treatise.compare._run import Comparison, compare_methods
from treatise.compare._sequence_tables import is_table, label_table
from treatise.compare._sequences import label_sentences
from treatise.compare._single import fit_method, parse_setting, predict_table

__all__ = [
    "Candidate",
    "Comparison",
    "Densify",
    "LearnedGraph",
    "Metric",
    "Observer",
    "Problem",
    "TableEncoder",
    "compare_methods",
    "fit_method",
    "graph_learners",
    "is_table",
    "label_sentences",
    "label_table",
    "learn_graph",
    "parse_setting",
    "predict_table",
    "understand",
]
