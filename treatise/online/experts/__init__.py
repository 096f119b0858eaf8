"""Prediction with expert advice: weights on experts that follow from their losses.

Which one? :class:`AdaHedge` where nothing is known; :class:`FlipFlop` where one expert is probably best all along;
:class:`PerturbedLeader` where single losses may be huge; :class:`NormalHedge` with very many experts of which many
are good. :class:`ExpertClassifier` and :class:`ExpertRegressor` mix scikit-learn estimators with any of them.
"""

from treatise.online.experts._perturbed_base import perturbed_leader_probabilities
from treatise.online.experts._play import Play, plot_regret
from treatise.online.experts._strategy import ExpertStrategy
from treatise.online.experts.adahedge import AdaHedge
from treatise.online.experts.bounded_perturbed_leader import DecreasingPerturbedLeader, FixedPerturbedLeader
from treatise.online.experts.cbms import CBMSHedge
from treatise.online.experts.flipflop import FlipFlop
from treatise.online.experts.follow_the_leader import FollowTheLeader
from treatise.online.experts.forecaster import ExpertClassifier, ExpertRegressor
from treatise.online.experts.hedge import DecreasingHedge, Hedge, safe_rate
from treatise.online.experts.normal_hedge import NormalHedge
from treatise.online.experts.perturbed_leader import GameVolume, PerturbedLeader, game_volume
from treatise.online.experts.variation_mw import VariationMW, largest_variation

__all__ = [
    "AdaHedge",
    "CBMSHedge",
    "DecreasingHedge",
    "DecreasingPerturbedLeader",
    "ExpertClassifier",
    "ExpertRegressor",
    "ExpertStrategy",
    "FixedPerturbedLeader",
    "FlipFlop",
    "FollowTheLeader",
    "GameVolume",
    "Hedge",
    "NormalHedge",
    "PerturbedLeader",
    "Play",
    "VariationMW",
    "game_volume",
    "largest_variation",
    "perturbed_leader_probabilities",
    "plot_regret",
    "safe_rate",
]
