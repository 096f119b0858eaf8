"""The exponents of a Gaussian kernel from scalar products, in one pass over a block."""

from treatise._core.jit import compiled


@compiled
def scale_distances(products, left, right, gamma):
    """Turn products of rows into ``-gamma ||x - z||^2`` where they lie; ``left`` and ``right`` are squared lengths."""
    for i in range(products.shape[0]):
        row, own = products[i], left[i]
        for j in range(len(row)):
            distance = 2.0 * row[j] - own - right[j]
            # Rounding may make a squared length negative; what is not a number stays so.
            row[j] = gamma * (0.0 if distance > 0.0 else distance)
