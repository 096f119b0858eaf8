"""Values as free energies of a Boltzmann machine, for actions of many bits (JMLR 5:1063)."""

from treatise.rl.free_energy.sarsa import FreeEnergySARSA
from treatise.rl.free_energy.tasks import BlockersTask, LargeActionTask

__all__ = ["BlockersTask", "FreeEnergySARSA", "LargeActionTask"]
