"""Cost laws of the catalogue, measured: ``python -m benchmarks cost NAME... [--all] [--check]``.

A law is ``scale * n**a * p**b * k**c`` in rows, features and classes: the CPU seconds of one fit, and the most bytes
that it holds at once. The comparison chooses and orders its methods by them.
"""

from benchmarks._cost.command import main

__all__ = ["main"]
