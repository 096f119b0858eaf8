"""Duals of support vector machines, with and without an offset."""

from treatise.optimize.svm.dual import SVMDualProblem, SVMDualSolution, solve_svm_dual
from treatise.optimize.svm.without_offset import (
    SVMStart,
    SVMWithoutOffsetSolution,
    solve_svm_without_offset,
    svm_without_offset_path,
    warm_start,
)

__all__ = [
    "SVMDualProblem",
    "SVMDualSolution",
    "SVMStart",
    "SVMWithoutOffsetSolution",
    "solve_svm_dual",
    "solve_svm_without_offset",
    "svm_without_offset_path",
    "warm_start",
]
