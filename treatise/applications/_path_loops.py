"""What the features on a path through a tree add to the probability at its end."""

from treatise._core.jit import compiled


@compiled
def add_path_contributions(left, right, feature, threshold, probability, X, out):
    """Add, for every row, the change of the probability at each split to the feature that was asked."""
    for i in range(len(X)):
        node = 0
        while left[node] != -1:
            asked = feature[node]
            child = left[node] if X[i, asked] <= threshold[node] else right[node]
            out[i, asked] += probability[child] - probability[node]
            node = child
