"""Optimisation machinery: projections, proximal steps, solvers."""
