"""Embeddings that keep the order of distances, from one or several kernels (McFee & Lanckriet, JMLR 12:491)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import all_alike, finite, is_array, is_count
from treatise.kernels import Kernel, check_gram, resolve_kernel
from treatise.kernels.base import count
from treatise.metric.partial_order._solver import (
    DiagonalView,
    FullView,
    HingeObjective,
    interior_point,
    linear_program,
    projected_accelerated,
    projected_subgradient,
)
from treatise.metric.partial_order.comparison_graph import ComparisonGraph, check_comparisons

SOLVERS = {
    "interior": (interior_point, 0.01),
    "accelerated": (projected_accelerated, 1.0),
    "subgradient": (projected_subgradient, 1.0),
}
"""Each with the share of ``tol`` to which it goes."""
MOST_FOR_EXACT = 1000
"""Comparisons up to which exact solvers are quick: some seconds."""


class PartialOrderEmbedding(TransformerMixin, BaseEstimator):
    """Map objects to points whose distances agree with comparisons "i and j are more alike than k and l".

    Each description of the objects (sound, tags, text; any kernel) gets a projection of its own, all of them
    learnt together, and a point is their concatenation: descriptions that do not help come out with weight nearly
    zero. New objects are mapped too. Contradictory and redundant comparisons are taken out first.

    Use it for some hundreds of objects that people compared, described in one or several ways. Without any
    description (an identity matrix for the kernel) it is generalised non-metric scaling, which cannot map new
    objects. Do not use it where classes are known: a classifier or a metric learnt from classes is cheaper. Scale
    kernels alike (``kernel.normalized()``), as the trade-off ``beta`` is one for all.

    Costs an eigendecomposition of an n x n matrix for each kernel in each of some hundreds of steps; with
    ``diagonal=True`` only a product of n columns with the pairs in use. Memory is a few n x n matrices a kernel.

    Parameters
    ----------
    kernel : str, Kernel, callable, None, or list of these, default="rbf"
        "rbf", "linear", "poly", "laplacian", an object or a function of :mod:`treatise.kernels`; "precomputed" for
        Gram matrices; None projects the columns of X themselves (the linear form). A list has one for each
        modality; with a single modality, several kernels of it.
    beta : float, default=1000.0
        Weight of the violations against the size of the projections. Too small a value gives a single point.
    diagonal : bool, default=False
        Weights for landmarks, the training objects, in place of full projections: far cheaper, less flexible, and
        sparse.
    combine : {"each", "sum"}, default="each"
        One projection for each kernel, or one for their sum, which cannot leave out a bad kernel.
    processing : {"partial_order", "contradictions", "none"}, default="partial_order"
        What to take out first: cycles and redundant comparisons, only comparisons whose opposite is there too, or
        nothing.
    solver : {"auto", "interior", "accelerated", "subgradient", "lp"}, default="auto"
        "interior": Newton's method inside the dual, exact, for full projections; a step costs the third power of the
        comparisons. "accelerated": projected gradients with momentum on a rounded hinge. "subgradient": the paper's
        method, which is far slower. "lp": an exact linear program, for ``diagonal=True`` and up to some thousands of
        comparisons. "auto" is the exact one of these up to 1000 comparisons after processing, then the accelerated
        one.
    n_components : int or None, default=None
        Keep the leading principal axes of the points only; None keeps all.
    max_iter : int, default=1000
        Limit of steps.
    tol : float, default=1e-3
        Gap between the objective and a lower bound of it, in units of the objective, at which to stop; the interior
        method goes two digits further, which costs it little. A ConvergenceWarning tells where it is not reached.
    random_state : int, RandomState instance or None, default=None
        Order in which comparisons are tried for cycles.

    Attributes
    ----------
    components_ : list of ndarray of shape (n_dimensions, n_columns)
        For each modality the map from a row of its kernel (or of X) to coordinates; the sum of all is the point.
    metrics_ : list of ndarray
        W of each modality: a matrix over training objects (over columns for ``kernel=None``), or its diagonal.
    kernel_weight_ : ndarray of shape (n_kernels,)
        Share of each kernel in the regulariser tr(W K): how much it is used.
    comparisons_ : ndarray of shape (n_kept, 4)
        Comparisons learnt from, after processing.
    objective_ : float
        Value of the objective.
    gap_ : float
        What the objective may lie above the optimum, in units of the objective: from the dual problem. The true
        distance is mostly some times smaller.
    converged_ : bool
        Whether the gap is as small as asked for.
    objective_history_ : ndarray
        Least value after each step.
    modalities_ : list
        The kernel of each modality and what it is taken against.

    See Also
    --------
    ComparisonGraph : The processing alone.
    embed_partial_order : Points for comparisons without descriptions.

    Notes
    -----
    Distances are squared, the margin is one. For a full kernel metric the solver works in the principal components
    of K, where tr(W K) is a plain trace; the optimum is the paper's.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import PartialOrderEmbedding
    >>> rng = np.random.default_rng(0)
    >>> told, noise = rng.normal(size=(40, 2)), rng.normal(size=(40, 3))
    >>> i, j, k = rng.integers(0, 40, (3, 300))
    >>> differ = (i != j) & (i != k) & (j != k)
    >>> i, j, k = i[differ], j[differ], k[differ]
    >>> nearer = ((told[i] - told[j]) ** 2).sum(1) < ((told[i] - told[k]) ** 2).sum(1)
    >>> triplets = np.where(nearer[:, None], np.c_[i, j, k], np.c_[i, k, j])
    >>> model = PartialOrderEmbedding("linear", diagonal=True).fit([told, noise], triplets)
    >>> bool(model.score([told, noise], triplets) > 0.85), bool(model.kernel_weight_[0] > 0.8)
    (True, True)

    References
    ----------
    .. [1] Paper v12-0491, Algorithms 1 to 4 and Appendix B.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions({"rbf", "linear", "poly", "laplacian", "precomputed"}), Kernel, callable, list, None],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "diagonal": ["boolean"],
        "combine": [StrOptions({"each", "sum"})],
        "processing": [StrOptions({"partial_order", "contradictions", "none"})],
        "solver": [StrOptions({"auto", "interior", "accelerated", "subgradient", "lp"})],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, kernel="rbf", *, beta=1000.0, diagonal=False, combine="each", processing="partial_order",
        solver="auto", n_components=None, max_iter=1000, tol=1e-3, random_state=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.beta = beta
        self.diagonal = diagonal
        self.combine = combine
        self.processing = processing
        self.solver = solver
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, modalities, comparisons):
        """Learn from comparisons of the objects.

        Parameters
        ----------
        modalities : array-like of shape (n, p), or list of these
            Descriptions of the same n objects; n x n Gram matrices for ``kernel="precomputed"``.
        comparisons : array-like of int, of shape (n_comparisons, 4) or (n_comparisons, 3)
            Rows (i, j, k, l): i and j are more alike than k and l; or (i, j, l): i is more like j than l.

        Returns
        -------
        self : object
        """
        if self.solver == ("interior" if self.diagonal else "lp"):
            raise ValueError(
                f"solver={self.solver!r} does not solve diagonal={self.diagonal}; the exact solver of diagonal weights "
                "is 'lp', that of full projections 'interior'"
            )
        self.modalities_, features = read_modalities(self.kernel, modalities)
        if self.combine == "sum" and any(modality.kernel is None for modality in self.modalities_):
            raise ValueError("combine='sum' adds kernels; kernel=None has none to add")
        features = self._combined(features)
        n = len(features[0])
        graph = self._processed(check_comparisons(comparisons, n))
        self.comparisons_ = graph.to_array()
        views, back = zip(*(self._view(modality, F) for modality, F in zip(self.modalities_, features)))
        objective = HingeObjective(views, graph.pairs, graph.edges, self.beta)
        found = self._solved(objective)
        shares = np.array([view.penalty(w * view.scale**2) for view, w in zip(views, found)])
        if shares.sum() == 0:
            warnings.warn(
                f"beta={self.beta:g} is too small for these comparisons: all objects are mapped to one point; raise it",
                UserWarning,
                stacklevel=2,
            )
        self.kernel_weight_ = shares / shares.sum() if shares.sum() > 0 else np.zeros(len(shares))
        if self.diagonal:
            self.metrics_ = list(found)
            factors = [np.diag(np.sqrt(w))[w > 0] for w in found]
        else:
            factors = [(B @ view.factor(V)).T for view, V, B in zip(views, found, back)]
            self.metrics_ = [N.T @ N for N in factors]
        self._set_components(factors, features)
        return self

    def _solved(self, objective):
        """The optimal metrics of the views, in their own scales."""
        solver = self.solver
        exact = "lp" if self.diagonal else "interior"
        if solver == "auto":
            solver = exact if len(objective.near) <= MOST_FOR_EXACT else "accelerated"
        if solver == "lp":
            found, tol = linear_program(objective), np.inf
        else:
            solve, digits = SOLVERS[solver]
            tol = digits * self.tol
            found = solve(objective, self.max_iter, tol)
        self.objective_history_, self.objective_ = found.history, float(found.history[-1])
        self.gap_, self.converged_ = found.gap, bool(found.gap <= tol)
        if not self.converged_:
            warnings.warn(
                f"the objective may lie {found.gap:.2g} of its value above the optimum after {len(found.history) - 1} "
                f"steps; tol={self.tol:g} was asked for. Raise max_iter={self.max_iter}"
                + ("" if solver == exact else f", or take solver={exact!r}"),
                ConvergenceWarning,
                stacklevel=4,
            )
        return [W / view.scale**2 for view, W in zip(objective.views, found.W)]

    def transform(self, modalities):
        """Points of objects, old or new.

        Parameters
        ----------
        modalities : array-like of shape (n, p), or list of these
            Their descriptions; for ``kernel="precomputed"`` kernels against the training objects.

        Returns
        -------
        points : ndarray of shape (n, n_dimensions)
        """
        check_is_fitted(self)
        return sum(F @ N.T for F, N in zip(self._features(modalities), self.components_))

    def score(self, modalities, comparisons):
        """Share of comparisons that the points satisfy; even distances do not.

        Parameters
        ----------
        modalities : array-like of shape (n, p), or list of these
            Descriptions of the objects that the comparisons number.
        comparisons : array-like of int, of shape (n_comparisons, 4) or (n_comparisons, 3)
            Comparisons.

        Returns
        -------
        share : float
        """
        points = self.transform(modalities)
        i, j, k, l = check_comparisons(comparisons, len(points)).T  # noqa: E741
        near, far = (((points[a] - points[b]) ** 2).sum(axis=1) for a, b in ((i, j), (k, l)))
        return float(np.mean(near < far))

    def _invariants(self):
        modalities = self.modalities_
        yield "there are modalities", len(modalities) > 0 and all_alike(modalities, Modality)
        yield "they are such as can be compared", all(modality.is_sound() for modality in modalities)
        kinds = modalities[:1] if self.combine == "sum" else modalities
        n_dimensions = len(self.components_[0])
        yield "each is projected", len(self.components_) == len(kinds)
        for own, modality in zip(self.components_, kinds):
            yield "to as many dimensions", is_array(own, np.float64, n_dimensions, modality.n_features) and finite(own)

    def _processed(self, comparisons):
        if self.processing == "none":
            return ComparisonGraph(comparisons)
        graph = ComparisonGraph(comparisons).remove_contradictions()
        if self.processing == "partial_order":
            graph = graph.acyclic(self.random_state).transitive_reduction()
        if not len(graph):
            raise ValueError("every comparison is contradicted by its opposite; nothing is left to learn from")
        return graph

    def _view(self, modality, F):
        """The optimisation's view of one modality, and the matrix that takes its coordinates back to columns."""
        if modality.kernel is None:
            return (DiagonalView(F, np.ones(F.shape[1])), None) if self.diagonal else (FullView(F), np.eye(F.shape[1]))
        if self.diagonal:
            own = np.diag(F).copy()
            if own.min() < 0:
                raise ValueError(f"a kernel of an object with itself is never negative; one is {own.min():.3g}")
            return DiagonalView(F, own), None
        values, vectors = np.linalg.eigh(F)
        keep = values > 1e-10 * max(values[-1], 0.0)
        if not keep.any() or values[0] < -1e-6 * abs(values[-1]):
            raise ValueError(f"a kernel has the eigenvalue {values[0]:.3g}; it must be positive semidefinite, not zero")
        roots = np.sqrt(values[keep])
        return FullView(vectors[:, keep] * roots), vectors[:, keep] / roots

    def _features(self, modalities):
        tables = as_list(modalities)
        if len(tables) == 1:
            tables = tables * len(self.modalities_)
        if len(tables) != len(self.modalities_):
            raise ValueError(f"{len(tables)} modalities were given; fit had {len(self.modalities_)}")
        return self._combined([modality.features(X) for modality, X in zip(self.modalities_, tables)])

    def _combined(self, features):
        return [np.sum(features, axis=0)] if self.combine == "sum" else features

    def _set_components(self, factors, features):
        """Concatenate the projections, each zero in the coordinates of the others; rotate and cut if asked to."""
        sizes = [len(N) for N in factors]
        ends = np.cumsum(sizes)
        self.components_ = []
        for N, end in zip(factors, ends):
            whole = np.zeros((max(ends[-1], 1), N.shape[1]))
            whole[end - len(N) : end] = N
            self.components_.append(whole)
        if self.n_components is not None:
            points = sum(F @ N.T for F, N in zip(features, self.components_))
            axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][: self.n_components]
            self.components_ = [axes @ N for N in self.components_]


class Modality(BaseEstimator):
    """One description: kernel values against the training objects, given ones, or the columns themselves."""

    def __init__(self, kernel, training, n_columns):
        self.kernel = kernel
        self.training = training
        self.n_columns = n_columns

    def is_sound(self):
        """Whether the parts of a stored description belong together."""
        if not isinstance(self.kernel, Kernel):
            return self.training is None and is_count(self.n_columns) and self.kernel in (None, "precomputed")
        return self.kernel.structured or self.training.shape[1] == self.n_columns

    @property
    def n_features(self):
        """Columns of :meth:`features`."""
        return self.n_columns if self.training is None else count(self.training)

    def features(self, X):
        """Rows that the metric of this modality takes."""
        given = isinstance(self.kernel, Kernel)
        if given and self.kernel.structured:
            return self.kernel(X, self.training)
        X = check_array(X, accept_sparse="csr" if given else False, dtype=np.float64)
        if X.shape[1] != self.n_columns:
            what = "kernel values against the training objects" if self.kernel == "precomputed" else "columns"
            raise ValueError(f"a modality has {X.shape[1]} {what}; it had {self.n_columns} in fit")
        return self.kernel(X, self.training) if given else X


def as_list(modalities):
    """Modalities as a list; one table of numbers is a single modality."""
    if isinstance(modalities, (list, tuple)) and len(modalities) and not np.isscalar(modalities[0]):
        first = modalities[0]
        if hasattr(first, "shape") and len(first.shape) == 2:
            return list(modalities)
    return [modalities]


def read_modalities(kernel, modalities):
    """One :class:`Modality` for each kernel, and the training features of each."""
    tables = as_list(modalities)
    kernels = kernel if isinstance(kernel, list) else [kernel] * len(tables)
    if len(tables) == 1:
        tables = tables * len(kernels)
    if len(kernels) != len(tables):
        raise ValueError(f"{len(kernels)} kernels for {len(tables)} modalities; give one for each")
    found, features = [], []
    for number, (one, X) in enumerate(zip(kernels, tables)):
        if one is None or (isinstance(one, str) and one == "precomputed"):
            X = check_array(X, dtype=np.float64)
            if one is not None:
                try:
                    check_gram(X)
                except ValueError as fault:
                    raise ValueError(f"modality {number}: {fault}") from None
            found.append(Modality(one, None, X.shape[1]))
            features.append(X)
            continue
        if not (isinstance(one, Kernel) and one.structured):
            X = check_array(X, accept_sparse="csr", dtype=np.float64)
        resolved = resolve_kernel(one, X)
        found.append(Modality(resolved, X, X.shape[1] if hasattr(X, "shape") else None))
        features.append(resolved(X))
    sizes = [len(F) for F in features]
    if len(set(sizes)) > 1:
        raise ValueError(f"modalities describe {sizes} objects; all must describe the same ones")
    return found, features
