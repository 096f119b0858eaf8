"""Kernel objects and their row caches."""
