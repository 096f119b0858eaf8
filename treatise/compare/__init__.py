"""The main job: what would the papers do with this table? A leaderboard, a report and a fitted model.

The package can be called: ``treatise.compare(frame, target="y")`` is :func:`compare_methods`. ``inputs`` holds the
kinds of data that methods are compared on, ``contest`` how they are compared. Names load on first use, so that a
command can tell a mistake before it imports what would do the work.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treatise.compare.blending import BlendedClassifier, BlendedRegressor, expert_weights, greedy_weights
    from treatise.compare.candidates import Candidate
    from treatise.compare.comparison import Comparison, compare_methods
    from treatise.compare.consensus import Consensus, aggregate_rankings
    from treatise.compare.decisions import EvaluatedPolicy, evaluate_policy
    from treatise.compare.dependence import Dependence, find_dependence
    from treatise.compare.events import RankedEntities, rank_entities
    from treatise.compare.fitted import FittedModel
    from treatise.compare.graph import LearnedGraph, graph_learners, learn_graph
    from treatise.compare.inputs import Input
    from treatise.compare.inputs.bags import predict_bags
    from treatise.compare.inputs.encoding import Densify, TableEncoder
    from treatise.compare.inputs.groups import predict_groups
    from treatise.compare.inputs.sentences import label_sentences
    from treatise.compare.inputs.sequence_groups import predict_sequence_groups
    from treatise.compare.inputs.sequence_tables import label_table
    from treatise.compare.inputs.survival import predict_lifetimes
    from treatise.compare.inputs.table import predict_table, understand
    from treatise.compare.inputs.targets import predict_targets
    from treatise.compare.network import NetworkFindings, explore_network
    from treatise.compare.observer import Observer
    from treatise.compare.ratings import RatedPlayers, rate_players
    from treatise.compare.rules import Rules
    from treatise.compare.single import fit_method, parse_setting

_PLACES = {
    "BlendedClassifier": "blending",
    "BlendedRegressor": "blending",
    "Candidate": "candidates",
    "Comparison": "comparison",
    "Consensus": "consensus",
    "Densify": "inputs.encoding",
    "Dependence": "dependence",
    "EvaluatedPolicy": "decisions",
    "FittedModel": "fitted",
    "Input": "inputs",
    "LearnedGraph": "graph",
    "NetworkFindings": "network",
    "Observer": "observer",
    "RankedEntities": "events",
    "RatedPlayers": "ratings",
    "Rules": "rules",
    "TableEncoder": "inputs.encoding",
    "aggregate_rankings": "consensus",
    "compare_methods": "comparison",
    "evaluate_policy": "decisions",
    "expert_weights": "blending",
    "explore_network": "network",
    "find_dependence": "dependence",
    "fit_method": "single",
    "graph_learners": "graph",
    "greedy_weights": "blending",
    "label_sentences": "inputs.sentences",
    "label_table": "inputs.sequence_tables",
    "learn_graph": "graph",
    "parse_setting": "single",
    "predict_bags": "inputs.bags",
    "predict_groups": "inputs.groups",
    "predict_sequence_groups": "inputs.sequence_groups",
    "predict_lifetimes": "inputs.survival",
    "predict_table": "inputs.table",
    "predict_targets": "inputs.targets",
    "rank_entities": "events",
    "rate_players": "ratings",
    "understand": "inputs.table",
}

__all__ = [
    "BlendedClassifier",
    "BlendedRegressor",
    "Candidate",
    "Comparison",
    "Consensus",
    "Densify",
    "Dependence",
    "EvaluatedPolicy",
    "FittedModel",
    "Input",
    "LearnedGraph",
    "NetworkFindings",
    "Observer",
    "RankedEntities",
    "RatedPlayers",
    "Rules",
    "TableEncoder",
    "aggregate_rankings",
    "compare_methods",
    "evaluate_policy",
    "expert_weights",
    "explore_network",
    "find_dependence",
    "fit_method",
    "graph_learners",
    "greedy_weights",
    "label_sentences",
    "label_table",
    "learn_graph",
    "parse_setting",
    "predict_bags",
    "predict_groups",
    "predict_lifetimes",
    "predict_sequence_groups",
    "predict_table",
    "predict_targets",
    "rank_entities",
    "rate_players",
    "understand",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Callable(ModuleType):
    """A package whose call is the thing that it is for."""

    def __call__(self, data: Any, target: str | int | None = None, **options: Any) -> "Comparison":
        """Ask what every applicable method makes of a table; see :func:`compare_methods`.

        Parameters
        ----------
        data : path, bundled name, Table or data frame
            The table, in pandas or Polars where it is a frame.
        target : str, int or None
            The column to predict, by name or number.
        **options
            Those of :func:`compare_methods`.

        Returns
        -------
        Comparison
        """
        return import_module(f"{__name__}.comparison").compare_methods(data, target, **options)


sys.modules[__name__].__class__ = _Callable
