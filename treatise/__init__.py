"""Treatise: the learning methods of ninety-seven papers and two theses, working, proven and fast.

Subpackages load on first use, so ``import treatise`` costs next to nothing.
"""

from importlib import import_module
from types import ModuleType

from treatise._core.version import __version__

_SUBPACKAGES = (
    "applications", "bayes", "bayesnet", "catalog", "cluster", "compare", "datasets", "decomposition", "ensemble",
    "graphical", "inference", "information", "io", "kernel_methods", "kernels", "linear", "metric", "network",
    "online", "optimize", "papers", "ranking", "report", "rl", "search", "selection", "semisupervised", "sequence",
    "statistics", "svm", "theory",
)  # fmt: skip

__all__ = ["__version__", *_SUBPACKAGES]


def __getattr__(name: str) -> ModuleType:
    if name in _SUBPACKAGES:
        return import_module(f"treatise.{name}")
    raise AttributeError(f"module 'treatise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
