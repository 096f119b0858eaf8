"""Worlds to act in: those of the papers, those of Gymnasium, and the one interface that all of them have."""

from treatise.rl.environments.base import Environment
from treatise.rl.environments.gymnasium import as_gymnasium, from_gymnasium

__all__ = ["Environment", "as_gymnasium", "from_gymnasium"]
