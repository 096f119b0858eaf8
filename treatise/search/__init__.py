"""Black-box optimisation: evolution strategies, Bayesian optimisation, designed experiments."""

from treatise.optimize import SNES, XNES, load_search, nes_utilities
from treatise.search.commands import Argument, CommandSearch, minimize_command, read_argument
from treatise.search.designs import (
    Design,
    DesignedRun,
    DesignedSearchCV,
    DesignedSearchResult,
    Factor,
    Screening,
    SecondOrderModel,
    best_step,
    central_composite,
    designed_search,
    fractional_factorial,
    full_factorial,
    plot_effects,
    plot_search_path,
    second_order_model,
    steepest_ascent,
)
from treatise.search.nes import canonical_nes_step, minimize_nes, plot_search, search_gradient_step

__all__ = [
    "SNES",
    "XNES",
    "Argument",
    "CommandSearch",
    "Design",
    "DesignedRun",
    "DesignedSearchCV",
    "DesignedSearchResult",
    "Factor",
    "Screening",
    "SecondOrderModel",
    "best_step",
    "canonical_nes_step",
    "central_composite",
    "designed_search",
    "fractional_factorial",
    "full_factorial",
    "load_search",
    "minimize_command",
    "minimize_nes",
    "nes_utilities",
    "plot_effects",
    "plot_search",
    "plot_search_path",
    "read_argument",
    "search_gradient_step",
    "second_order_model",
    "steepest_ascent",
]
