"""Designed experiments: two-level designs, response surfaces and searches by them (JMLR 12:627)."""

from treatise.search.designs.factorial import Design, central_composite, fractional_factorial, full_factorial
from treatise.search.designs.factors import Factor
from treatise.search.designs.plot import plot_effects, plot_search_path
from treatise.search.designs.result import DesignedRun, DesignedSearchResult, Screening
from treatise.search.designs.search import designed_search
from treatise.search.designs.search_cv import DesignedSearchCV
from treatise.search.designs.surface import SecondOrderModel, best_step, second_order_model, steepest_ascent

__all__ = [
    "Design",
    "DesignedRun",
    "DesignedSearchCV",
    "DesignedSearchResult",
    "Factor",
    "Screening",
    "SecondOrderModel",
    "best_step",
    "central_composite",
    "designed_search",
    "fractional_factorial",
    "full_factorial",
    "plot_effects",
    "plot_search_path",
    "second_order_model",
    "steepest_ascent",
]
