"""Markov random fields: their structure, their inference and their densities."""
