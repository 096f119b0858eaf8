"""Learners that see one example at a time, prediction with experts, and partition trees for very many classes."""

from treatise.online.alma import ALMA
from treatise.online.arow import AROW
from treatise.online.averaged_sgd import AveragedSGDClassifier
from treatise.online.averaged_sgd_regressor import AveragedSGDRegressor
from treatise.online.comparison import OnlineComparison, libol_learners
from treatise.online.confidence_weighted import ConfidenceWeighted
from treatise.online.doubling_clustering import DoublingKCenter
from treatise.online.ellipsoid import ImprovedEllipsoid
from treatise.online.expert_clustering import OnlineClusteringExperts, learning_alphas
from treatise.online.experts import (
    AdaHedge,
    CBMSHedge,
    DecreasingHedge,
    DecreasingPerturbedLeader,
    ExpertClassifier,
    ExpertRegressor,
    ExpertStrategy,
    FixedPerturbedLeader,
    FlipFlop,
    FollowTheLeader,
    GameVolume,
    Hedge,
    NormalHedge,
    PerturbedLeader,
    Play,
    VariationMW,
    game_volume,
    growing_adversary,
    largest_variation,
    perturbed_leader_probabilities,
    plot_regret,
    safe_rate,
    volatility_gains,
)
from treatise.online.gradient_descent import OnlineGradientDescent
from treatise.online.kernel_averaged_sgd import KernelAveragedSGDClassifier
from treatise.online.narow import NAROW
from treatise.online.normal_herd import NormalHerd
from treatise.online.partition_split import SplitQuality, split_quality, splits_to_entropy
from treatise.online.partition_tree import PartitionTreeClassifier
from treatise.online.passive_aggressive import PassiveAggressive
from treatise.online.perceptron import OnlinePerceptron
from treatise.online.romma import ROMMA
from treatise.online.second_order_perceptron import SecondOrderPerceptron
from treatise.online.sgd_guarantees import Certificate, averaged_sgd_bounds, self_concordant_certificate
from treatise.online.soft_confidence_weighted import SoftConfidenceWeighted
from treatise.online.window_clustering import (
    kmeans_plus_plus_centers,
    kmeans_sharp_centers,
    lloyd_centers,
    online_kmeans_centers,
)

__all__ = [
    "ALMA",
    "AROW",
    "NAROW",
    "ROMMA",
    "AdaHedge",
    "AveragedSGDClassifier",
    "AveragedSGDRegressor",
    "CBMSHedge",
    "Certificate",
    "ConfidenceWeighted",
    "DecreasingHedge",
    "DecreasingPerturbedLeader",
    "DoublingKCenter",
    "ExpertClassifier",
    "ExpertRegressor",
    "ExpertStrategy",
    "FixedPerturbedLeader",
    "FlipFlop",
    "FollowTheLeader",
    "GameVolume",
    "Hedge",
    "ImprovedEllipsoid",
    "KernelAveragedSGDClassifier",
    "NormalHedge",
    "NormalHerd",
    "OnlineClusteringExperts",
    "OnlineComparison",
    "OnlineGradientDescent",
    "OnlinePerceptron",
    "PartitionTreeClassifier",
    "PassiveAggressive",
    "PerturbedLeader",
    "Play",
    "SecondOrderPerceptron",
    "SoftConfidenceWeighted",
    "SplitQuality",
    "VariationMW",
    "averaged_sgd_bounds",
    "game_volume",
    "growing_adversary",
    "kmeans_plus_plus_centers",
    "kmeans_sharp_centers",
    "largest_variation",
    "learning_alphas",
    "libol_learners",
    "lloyd_centers",
    "online_kmeans_centers",
    "perturbed_leader_probabilities",
    "plot_regret",
    "safe_rate",
    "self_concordant_certificate",
    "split_quality",
    "splits_to_entropy",
    "volatility_gains",
]
