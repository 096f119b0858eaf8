"""Indices that came from a file and that compiled code will follow without looking.

A wrong one would make a prediction read foreign memory or never end, so they are checked before a model is
handed out. The library's own classes state what must hold (:mod:`treatise._core.invariants`). What scikit-learn's
need stands here: in trees, children lie behind their parent (hence no cycles), features within the width and rows
within the data; in sparse matrices, every position lies within the shape; support vectors have their coefficients;
centres are as wide as the data.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.cluster._bisect_k_means import BisectingKMeans
from sklearn.cluster._kmeans import _BaseKMeans
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.neighbors import BallTree, KDTree
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from treatise._core.errors import TreatiseError
from treatise._core.invariants import broken_invariant


def check_indices(model: Any) -> None:
    """Refuse a model that holds, however deep, something that cannot be followed safely."""
    # What is held comes before its holder, which may ask it something.
    for part in reversed(list(_parts(model))):
        kind = type(part)
        if kind.__module__.startswith("treatise."):
            broken = broken_invariant(part)
            if broken:
                raise TreatiseError(
                    f"the file is damaged or forged: of the {kind.__name__} in it, this does not hold: {broken}"
                )
        elif not _sound(part):
            raise TreatiseError("an index in the model file points outside its table; the file is damaged or forged")


def _parts(model: Any) -> Iterator[Any]:
    """The model and everything that it holds, each once."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if part is None or isinstance(part, (str, bytes, bool, int, float, type)) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, (list, tuple, set)):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            if part.dtype == object:
                waiting.extend(part.ravel().tolist())
        else:
            waiting.extend(getattr(part, "__dict__", {}).values())


def _sound(part: Any) -> bool:
    if isinstance(part, Tree):
        return _sound_tree(part)
    if isinstance(part, (KDTree, BallTree)):
        return _sound_neighbours(part)
    if sparse.issparse(part):
        return _sound_matrix(part)
    if isinstance(part, BaseLibSVM) and hasattr(part, "support_"):
        return _sound_support(part)
    if isinstance(part, _BaseKMeans) and hasattr(part, "cluster_centers_"):
        return _sound_centres(part)
    if isinstance(part, TreePredictor):
        nodes = part.nodes
        return len(nodes) > 0 and _sound_children(nodes["left"], nodes["right"], nodes["is_leaf"].astype(bool))
    # An ensemble looks at the width of X once, for all of its trees.
    if isinstance(part, BaseDecisionTree) and hasattr(part, "tree_"):
        return part.tree_.n_features == part.n_features_in_ and (part.n_outputs_ != 1 or _counts_classes(part))
    if isinstance(part, (BaseForest, BaseGradientBoosting)) and hasattr(part, "estimators_"):
        return all(tree.tree_.n_features == part.n_features_in_ for tree in np.ravel(part.estimators_))
    if isinstance(part, BaseHistGradientBoosting) and hasattr(part, "_predictors"):
        return all(_fits(tree, part) for trees in part._predictors for tree in trees)
    return True


def _counts_classes(tree: Any) -> bool:
    """A tree of one output counts its classes by a number; each has its column in the tree."""
    n_classes = getattr(tree, "n_classes_", 1)
    return np.ndim(n_classes) == 0 and bool(n_classes == tree.tree_.max_n_classes)


def _sound_tree(tree: Any) -> bool:
    state = tree.__getstate__()
    nodes = state["nodes"]
    if not 0 < state["node_count"] <= len(nodes):
        return False
    leaf = nodes["left_child"] == -1
    inner = nodes["feature"][~leaf]
    return _sound_children(nodes["left_child"], nodes["right_child"], leaf) and _within(inner, tree.n_features)


def _sound_children(left: np.ndarray, right: np.ndarray, leaf: np.ndarray) -> bool:
    own = np.arange(len(leaf))[~leaf]
    children = (np.asarray(side, dtype=np.int64)[~leaf] for side in (left, right))
    return all(bool(np.all(side > own)) and _within(side, len(leaf)) for side in children)


def _fits(tree: Any, ensemble: Any) -> bool:
    """Features of a histogram tree within the ensemble's width, and its categories within their tables."""
    nodes = tree.nodes[~tree.nodes["is_leaf"].astype(bool)]
    if not _within(nodes["feature_idx"], ensemble.n_features_in_):
        return False
    split = nodes[nodes["is_categorical"].astype(bool)]
    categorical = np.asarray(ensemble._bin_mapper.is_categorical_, dtype=bool)
    if len(categorical) != ensemble.n_features_in_ or not categorical[split["feature_idx"].astype(np.int64)].all():
        return False
    tables = (tree.raw_left_cat_bitsets, tree.binned_left_cat_bitsets)
    return all(table.ndim == 2 and table.shape[1] == 8 for table in tables) and all(
        _within(split["bitset_idx"], len(table)) for table in tables
    )


def _sound_neighbours(tree: Any) -> bool:
    data, order, nodes, bounds, _, _, n_nodes, *_ = tree.__getstate__()
    rows, width = data.shape
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    return (
        len(order) == rows
        and _within(order, rows)
        and len(nodes) == n_nodes == bounds.shape[1]
        and bounds.shape[0] == (2 if isinstance(tree, KDTree) else 1)
        and bounds.shape[2] == width
        and _within(nodes["idx_start"], rows + 1)
        and _within(nodes["idx_end"], rows + 1)
        and _within(2 * inner + 2, n_nodes)
    )


def _sound_centres(model: Any) -> bool:
    """Every centre has a number for each feature; those of a bisection hang in a tree, with none met twice."""
    centres, nodes = [*model.cluster_centers_], [model._bisecting_tree] if isinstance(model, BisectingKMeans) else []
    met: set[int] = set()
    while nodes:
        node = nodes.pop()
        if id(node) in met or (node.left is None) != (node.right is None):
            return False
        met.add(id(node))
        if node.left is not None:
            nodes += [node.left, node.right]
            centres += [node.left.center, node.right.center]
    return all(np.shape(centre) == (model.n_features_in_,) for centre in centres)


def _sound_support(machine: Any) -> bool:
    """Every support vector has its coefficients, one fewer than classes, and each pair of classes its offset."""
    n, counts, coefficients = len(machine.support_), machine._n_support, machine._dual_coef_
    classes = len(counts)
    pairs = classes * (classes - 1) // 2
    # A regression counts its vectors once, in the first place.
    told = counts.sum() if isinstance(machine, ClassifierMixin) else counts[0]
    whole = not sparse.issparse(coefficients) or coefficients.nnz == (classes - 1) * n
    # A kernel that is given, or a function, has no vectors but rows of the training data.
    given = machine.kernel == "precomputed" or callable(machine.kernel)
    rows, width = machine.shape_fit_
    return (
        counts.ndim == 1
        and _within(counts, n + 1)
        and told == n
        and coefficients.shape == (classes - 1, n)
        and whole
        and _within(machine.support_, rows)
        and width == machine.n_features_in_
        and (given or machine.support_vectors_.shape == (n, width))
        and len(machine._intercept_) == pairs
        and all(len(own) in (0, pairs) for own in (machine._probA, machine._probB))
    )


def _sound_matrix(matrix: Any) -> bool:
    try:
        matrix.check_format(full_check=True)
    except ValueError:
        return False
    return True


def _within(indices: np.ndarray, size: int) -> bool:
    return len(indices) == 0 or bool(np.min(indices) >= 0 and np.max(indices) < size)
