"""Support vector machines: bias-free solvers, whole paths, coresets, ensembles and probability coupling."""
