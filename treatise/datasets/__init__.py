"""Data: generators of the papers' synthetic sets, and loaders that verify real files before use."""

from treatise.datasets._home import data_home, locate

__all__ = ["data_home", "locate"]
