"""Natural evolution strategies (JMLR 15:949)."""

from treatise.search.nes.gradients import canonical_nes_step, search_gradient_step
from treatise.search.nes.minimize import minimize_nes
from treatise.search.nes.plot import plot_search

__all__ = ["canonical_nes_step", "minimize_nes", "plot_search", "search_gradient_step"]
