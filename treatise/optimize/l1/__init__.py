"""Sparse solutions: whole paths of programs under an l1 norm, and logistic regression with an l1 penalty."""

from treatise.optimize.l1.ball import L1ConstrainedPath, l1_constrained_path
from treatise.optimize.l1.cone_margin import ConeMarginSolution, NormCondition, minimize_l1_cone_margin
from treatise.optimize.l1.logistic import L1LogisticSolution, solve_l1_logistic, solve_l1_logistic_columns
from treatise.optimize.l1.path import L1Path, l1_constraint_paths

__all__ = [
    "ConeMarginSolution",
    "L1ConstrainedPath",
    "L1LogisticSolution",
    "L1Path",
    "NormCondition",
    "l1_constrained_path",
    "l1_constraint_paths",
    "minimize_l1_cone_margin",
    "solve_l1_logistic",
    "solve_l1_logistic_columns",
]
