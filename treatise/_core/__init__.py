"""What every layer stands on: errors, paths, progress, compiled kernels, the version."""
