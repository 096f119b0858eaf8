"""Whether defaults hold: each estimator as it comes beside its own best setting and the obvious choice."""

from benchmarks._defaults.command import main

__all__ = ["main"]
