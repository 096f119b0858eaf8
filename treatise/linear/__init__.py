"""Linear models: terascale and private training, sparse, additive and multi-task regression, majorised log-linear models."""
