"""Methods over kernels: learned combinations of kernels, kernel regression, influence functions."""
