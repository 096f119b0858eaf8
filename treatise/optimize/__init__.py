"""Optimisation machinery: projections, proximal steps, solvers."""

from treatise.optimize.nnls import nonnegative_least_squares
from treatise.optimize.projections import (
    hoyer_sparseness,
    l1_of_unit_vector,
    project_l1_l2,
    project_sparseness,
)

__all__ = [
    "hoyer_sparseness",
    "l1_of_unit_vector",
    "nonnegative_least_squares",
    "project_l1_l2",
    "project_sparseness",
]
