"""Benchmarks: the same work by us and by a peer, in one run. ``python -m benchmarks NAME... [--json]``.

A module in the folder of its family, named after its subject, exposes ``benchmarks()``, which yields
:class:`Contest` and :class:`Scaling` objects.
"""

from benchmarks._contest import Contest, Scaling

__all__ = ["Contest", "Scaling"]
