"""Signed networks: their balance, their camps, and the signs of unseen links (Chiang et al., JMLR 15:1177)."""

from treatise.network.signed.balance import Balance, CyclePattern, balance_report, is_balanced, is_weakly_balanced
from treatise.network.signed.clustering import SignedClustering
from treatise.network.signed.cycles import cycle_features, cycle_patterns, imbalance_score, signed_katz
from treatise.network.signed.link_predictor import SignedLinkPredictor
from treatise.network.signed.signs import undirected_signs

__all__ = [
    "Balance",
    "CyclePattern",
    "SignedClustering",
    "SignedLinkPredictor",
    "balance_report",
    "cycle_features",
    "cycle_patterns",
    "imbalance_score",
    "is_balanced",
    "is_weakly_balanced",
    "signed_katz",
    "undirected_signs",
]
