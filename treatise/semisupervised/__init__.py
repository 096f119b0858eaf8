"""Learning from few labels: semi-supervised and active."""
