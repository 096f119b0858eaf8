"""Learners that see one example at a time, prediction with experts, and partition trees for very many classes."""

from treatise.online.alma import ALMA
from treatise.online.arow import AROW
from treatise.online.comparison import OnlineComparison, libol_learners
from treatise.online.confidence_weighted import ConfidenceWeighted
from treatise.online.ellipsoid import ImprovedEllipsoid
from treatise.online.gradient_descent import OnlineGradientDescent
from treatise.online.narow import NAROW
from treatise.online.normal_herd import NormalHerd
from treatise.online.passive_aggressive import PassiveAggressive
from treatise.online.perceptron import OnlinePerceptron
from treatise.online.romma import ROMMA
from treatise.online.second_order_perceptron import SecondOrderPerceptron
from treatise.online.soft_confidence_weighted import SoftConfidenceWeighted

__all__ = [
    "ALMA",
    "AROW",
    "NAROW",
    "ROMMA",
    "ConfidenceWeighted",
    "ImprovedEllipsoid",
    "NormalHerd",
    "OnlineComparison",
    "OnlineGradientDescent",
    "OnlinePerceptron",
    "PassiveAggressive",
    "SecondOrderPerceptron",
    "SoftConfidenceWeighted",
    "libol_learners",
]
