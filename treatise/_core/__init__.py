"""What every layer stands on: errors, paths, progress, compiled loops, the version."""
