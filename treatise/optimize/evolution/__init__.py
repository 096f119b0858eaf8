"""Ask-and-tell optimisers of functions without a gradient."""

from treatise.optimize.evolution.base import EvolutionStrategy, load_search
from treatise.optimize.evolution.snes import SNES
from treatise.optimize.evolution.utilities import nes_utilities
from treatise.optimize.evolution.xnes import XNES

__all__ = ["SNES", "XNES", "EvolutionStrategy", "load_search", "nes_utilities"]
