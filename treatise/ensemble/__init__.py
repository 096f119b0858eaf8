"""Boosting, bagging and pruning."""
