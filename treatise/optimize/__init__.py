"""Optimisation machinery: projections, proximal steps, solvers."""

from treatise.optimize.box_quadratic import minimize_box_quadratic
from treatise.optimize.lbfgs import LBFGSState, minimize_lbfgs
from treatise.optimize.losses import Loss
from treatise.optimize.low_rank_curvature import LowRankCurvature
from treatise.optimize.nnls import nonnegative_least_squares
from treatise.optimize.partition_bound import PartitionBound, log_partition_bound
from treatise.optimize.projections import (
    hoyer_sparseness,
    l1_of_unit_vector,
    project_l1_l2,
    project_sparseness,
)

__all__ = [
    "LBFGSState",
    "Loss",
    "LowRankCurvature",
    "PartitionBound",
    "hoyer_sparseness",
    "l1_of_unit_vector",
    "log_partition_bound",
    "minimize_box_quadratic",
    "minimize_lbfgs",
    "nonnegative_least_squares",
    "project_l1_l2",
    "project_sparseness",
]
