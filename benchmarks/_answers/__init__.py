"""How good the answers of a comparison are: its pick, judged on rows that it never saw, beside what others pick."""

from benchmarks._answers.command import main

__all__ = ["main"]
