"""Black-box optimisation: evolution strategies, Bayesian optimisation, designed experiments."""
