"""Losses: one small class each, with its compiled formulas beside it where compiled solvers use it."""

from treatise.optimize.losses.absolute import AbsoluteLoss, EpsilonInsensitiveLoss, QuantileLoss
from treatise.optimize.losses.hinge import HingeLoss, ModifiedHuberLoss, SquaredHingeLoss
from treatise.optimize.losses.logistic import ExponentialLoss, LogisticLoss
from treatise.optimize.losses.loss import KinkedLoss, Loss, ScaledLoss
from treatise.optimize.losses.named import make_loss
from treatise.optimize.losses.poisson import PoissonLoss
from treatise.optimize.losses.rounded_hinge import HuberHingeLoss, SmoothHingeLoss
from treatise.optimize.losses.squared import HuberLoss, SquaredLoss

__all__ = [
    "AbsoluteLoss",
    "EpsilonInsensitiveLoss",
    "ExponentialLoss",
    "HingeLoss",
    "HuberHingeLoss",
    "HuberLoss",
    "KinkedLoss",
    "LogisticLoss",
    "Loss",
    "ModifiedHuberLoss",
    "PoissonLoss",
    "QuantileLoss",
    "ScaledLoss",
    "SmoothHingeLoss",
    "SquaredHingeLoss",
    "SquaredLoss",
    "make_loss",
]
