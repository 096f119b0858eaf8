"""Backward elimination by random batches of the cheapest sizes, and the perceptron that its paper trains."""

from treatise.selection.variable_elimination.elimination import RandomizedVariableElimination
from treatise.selection.variable_elimination.plot import plot_elimination
from treatise.selection.variable_elimination.schedule import (
    EliminationSchedule,
    elimination_schedule,
    success_probability,
)
from treatise.selection.variable_elimination.thermal_perceptron import ThermalPerceptron

__all__ = [
    "EliminationSchedule",
    "RandomizedVariableElimination",
    "ThermalPerceptron",
    "elimination_schedule",
    "plot_elimination",
    "success_probability",
]
