"""Inference machinery: messages, samplers and cuts for discrete models."""
