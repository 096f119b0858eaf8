"""Linear classifiers that learn from one example at a time, each file with its rule (LIBOL, JMLR 15:495)."""

from treatise.online.rules.alma import ALMA
from treatise.online.rules.arow import AROW
from treatise.online.rules.confidence_weighted import ConfidenceWeighted
from treatise.online.rules.ellipsoid import ImprovedEllipsoid
from treatise.online.rules.gradient_descent import OnlineGradientDescent
from treatise.online.rules.narow import NAROW
from treatise.online.rules.normal_herd import NormalHerd
from treatise.online.rules.passive_aggressive import PassiveAggressive
from treatise.online.rules.perceptron import OnlinePerceptron
from treatise.online.rules.romma import ROMMA
from treatise.online.rules.second_order_perceptron import SecondOrderPerceptron
from treatise.online.rules.soft_confidence_weighted import SoftConfidenceWeighted

__all__ = [
    "ALMA",
    "AROW",
    "NAROW",
    "ROMMA",
    "ConfidenceWeighted",
    "ImprovedEllipsoid",
    "NormalHerd",
    "OnlineGradientDescent",
    "OnlinePerceptron",
    "PassiveAggressive",
    "SecondOrderPerceptron",
    "SoftConfidenceWeighted",
]
