"""Bayesian models: latent Gaussians, mixtures, topics and nonparametrics."""
