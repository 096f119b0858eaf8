"""Optimisation machinery: projections, proximal steps, solvers."""

from treatise.optimize.lbfgs import LBFGSState, minimize_lbfgs
from treatise.optimize.losses import Loss
from treatise.optimize.nnls import nonnegative_least_squares
from treatise.optimize.projections import (
    hoyer_sparseness,
    l1_of_unit_vector,
    project_l1_l2,
    project_sparseness,
)

__all__ = [
    "LBFGSState",
    "Loss",
    "hoyer_sparseness",
    "l1_of_unit_vector",
    "minimize_lbfgs",
    "nonnegative_least_squares",
    "project_l1_l2",
    "project_sparseness",
]
