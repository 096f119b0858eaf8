"""Groups in data: spectral level sets, time series, hidden Markov models, and judging the clusterings."""
