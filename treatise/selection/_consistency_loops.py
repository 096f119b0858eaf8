"""Inconsistency of a set of features once each of many candidates is added."""

import numpy as np

from treatise._core.jit import compiled


@compiled
def split_inconsistencies(codes, labels, n_classes, pattern_starts, n_values, out):
    """Rows outside the majority class of their pattern, once a candidate (row of ``codes``) splits the patterns.

    Rows are sorted by pattern; pattern q has the rows ``pattern_starts[q]:pattern_starts[q + 1]``.
    """
    counts = np.zeros((n_values, n_classes), dtype=np.int64)
    for i in range(codes.shape[0]):
        inconsistent = np.int64(0)
        for q in range(pattern_starts.shape[0] - 1):
            for t in range(pattern_starts[q], pattern_starts[q + 1]):
                counts[codes[i, t], labels[t]] += 1
            for t in range(pattern_starts[q], pattern_starts[q + 1]):
                total, majority = np.int64(0), np.int64(0)
                for c in range(n_classes):
                    total += counts[codes[i, t], c]
                    majority = max(majority, counts[codes[i, t], c])
                    counts[codes[i, t], c] = 0
                inconsistent += total - majority
        out[i] = inconsistent
