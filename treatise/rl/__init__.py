"""Reinforcement learning: value estimation, policy gradients, inverse problems."""
