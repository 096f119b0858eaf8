"""Learned similarities, ground metrics and fixed-rank positive semidefinite models."""
