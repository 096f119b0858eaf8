"""Counts, entropies, discretisation and other statistics that many methods share."""
