"""AdaBoost as a dynamical system (Rudin, Daubechies & Schapire, JMLR 5:1557)."""

from treatise.ensemble.adaboost_dynamics.cycles import (
    AdaBoostCycle,
    CycleOptimality,
    cycle_margin,
    cycle_optimality,
    find_cycle,
)
from treatise.ensemble.adaboost_dynamics.map import AdaBoostTrajectory, adaboost_map, adaboost_margins, max_margin
from treatise.ensemble.adaboost_dynamics.matrices import (
    margin_matrix,
    one_mistake_cycle,
    one_mistake_matrix,
    rudin_matrix,
)
from treatise.ensemble.adaboost_dynamics.plot import plot_adaboost_margins, plot_adaboost_weights

__all__ = [
    "AdaBoostCycle",
    "AdaBoostTrajectory",
    "CycleOptimality",
    "adaboost_map",
    "adaboost_margins",
    "cycle_margin",
    "cycle_optimality",
    "find_cycle",
    "margin_matrix",
    "max_margin",
    "one_mistake_cycle",
    "one_mistake_matrix",
    "plot_adaboost_margins",
    "plot_adaboost_weights",
    "rudin_matrix",
]
