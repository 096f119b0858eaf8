"""Parts that are rows of the data, their number and the outliers, by linear programming (JMLR 15:1249)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from treatise._core.invariants import is_array
from treatise._core.magnitudes import check_magnitudes
from treatise.decomposition._noise import white_noise
from treatise.decomposition._products import data_by, error_norm
from treatise.decomposition._rows_as_parts import RowsAsParts
from treatise.decomposition.lp_separable_nmf._program import SelfExpressionProgram
from treatise.decomposition.lp_separable_nmf.clusters import cluster_lp_weights
from treatise.optimize import nonnegative_least_squares

_NOISE = 0.1
"""Noise that is taken for granted where nothing is told, as a share of the mean row sum."""
_NEEDED = 1e-6
"""A diagonal up to which a row takes no part."""
_ROOM = 1.5
"""Parts rebuild all rows if none is off by more than this multiple of the noise that was drawn from the data."""


class LPSeparableNMF(RowsAsParts):
    """Factorisation ``X = weights @ components`` whose parts are the fewest rows that rebuild all others.

    A linear program rebuilds every row from all rows within a given noise and lets as few as possible take part. Rows
    are the candidates; columns are what is measured of them. From the level of noise it finds the number of parts,
    from their number the level of noise; it needs no normalisation, parts may depend on one another, and it withstands
    noise on single entries that misleads :class:`SeparableNMF`. With ``outliers=True`` it tells rows that nothing else
    needs from parts.

    Use it up to some thousand rows; beyond, take :class:`SeparableNMF`. Do not use it where no row is nearly pure.

    The program's n^2 + n p variables are never formed: cuts in its diagonal are added until it is solved, with a small
    fit for each row and round. Seconds at 100 rows, a minute or two at 1000; memory O(n k + n p) with k rows that
    take part.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of parts. None finds it: where the sorted diagonal falls most, at or after its sum. Where the noise was
        not given either, fewer will do if they rebuild all rows within one and a half times the noise found.
    noise : float or None, default=None
        Largest sum of magnitudes of the noise in a row, in the unit of X; with ``model="relative"`` and
        ``"hottopixx"``, as a share of the row's own sum. None is the least noise under which ``n_components`` rows can
        rebuild all. Without a number or with outliers, a tenth of the mean row, or more where the small singular
        values of X are spread as those of larger white noise are.
    model : {"absolute", "relative", "hottopixx"}, default="absolute"
        The linear program: (8), (7), or (2), which is (7) with the sum of the diagonal held at ``n_components``.
    rho : float, default=1.0
        Error that a rebuilt row may have, as a multiple of the noise. The paper finds 1 best in theory and practice;
        its theorems on near copies and on outliers, and the program of Hottopixx, have 2.
    post : {"hybrid", "largest", "cluster", "threshold"}, default="hybrid"
        From the diagonal to parts: the rows of the largest entries; clusters of near copies (Algorithm 4); the better
        of the two by least squares (Algorithm 6); or all rows above 1 - min(1, rho) / 2 (Algorithm 2), whatever their
        number.
    outliers : bool, default=False
        Tell rows that rebuild almost nothing but themselves from parts (Algorithm 5).
    costs : array-like of shape (n_samples,) or None, default=None
        Cost of each row's diagonal (p in the paper), all different so that one of several equal solutions is taken.
        None draws them from the rows themselves within one per cent of one.
    tol : float, default=1e-6
        Relative gap between the program's objective and its bound.
    max_iter : int, default=500
        Most rounds of cuts.

    Attributes
    ----------
    outlier_indices_ : ndarray of int
        Rows that are outliers, with ``outliers=True``.
    lp_diagonal_ : ndarray of shape (n_samples,)
        How much each row takes part, from 0 to 1. Of equal rows only the cheapest does.
    lp_weights_ : sparse array of shape (n_samples, n_samples)
        The program's solution: ``lp_weights_ @ X`` rebuilds X.
    noise_ : float
        The level of noise, given or found.
    objective_, objective_bound_ : float
        Cost of the diagonal, and what no solution is below.
    n_iter_ : int
        Rounds of cuts.
    converged_ : bool
        Whether both agree, by ``tol``.

    See Also
    --------
    SeparableNMF : Much faster; for many rows and for noise on all entries.
    conical_conditioning : How much noise parts can bear.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.datasets import make_near_separable
    >>> from treatise.decomposition import LPSeparableNMF
    >>> X, pure = make_near_separable("dirichlet", "pointwise", 0.1, n_samples=40, n_components=4, random_state=0)
    >>> model = LPSeparableNMF(noise=0.1).fit(X)  # the number of parts is found
    >>> np.array_equal(np.sort(model.components_indices_), pure)
    True

    References
    ----------
    .. [1] Paper v15-1249, programs (2), (7) and (8), Algorithms 2 and 4 to 6.
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "noise": [Interval(Real, 0, None, closed="left"), None],
        "model": [StrOptions({"absolute", "relative", "hottopixx"})],
        "rho": [Interval(Real, 0, None, closed="neither")],
        "post": [StrOptions({"hybrid", "largest", "cluster", "threshold"})],
        "outliers": ["boolean"],
        "costs": ["array-like", None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components=None,
        *,
        noise=None,
        model="absolute",
        rho=1.0,
        post="hybrid",
        outliers=False,
        costs=None,
        tol=1e-6,
        max_iter=500,
    ):
        self.n_components = n_components
        self.noise = noise
        self.model = model
        self.rho = rho
        self.post = post
        self.outliers = outliers
        self.costs = costs
        self.tol = tol
        self.max_iter = max_iter

    def _choose(self, X):
        if self.model == "hottopixx" and self.n_components is None:
            raise ValueError("model='hottopixx' holds the sum of the diagonal at n_components; give it")
        costs = self._costs(X)
        # Copies of a row count once, and stand for the cheapest.
        kept = np.flatnonzero(np.abs(X).sum(axis=1))
        rows, copy_of = np.unique(X[kept], axis=0, return_inverse=True)
        order = np.lexsort((costs[kept], copy_of.ravel()))
        place = kept[order[np.searchsorted(copy_of.ravel()[order], np.arange(len(rows)))]]
        wanted = self.n_components
        if wanted is not None and wanted > len(rows):
            warnings.warn(
                f"n_components={wanted} exceeds the {len(rows)} different rows of X that are not zero: all are parts",
                UserWarning,
                stacklevel=4,
            )
            wanted = len(rows)
        size = np.abs(rows).sum(axis=1).max()
        program, solution = self._solve(rows / size, size, costs[place], wanted)

        self.lp_diagonal_ = np.zeros(len(X))
        self.lp_diagonal_[place] = solution.diagonal
        self.lp_weights_ = sparse.lil_array((len(X), len(X)))
        self.lp_weights_[np.ix_(kept, place[solution.rows])] = solution.weights.T[copy_of.ravel()]
        self.lp_weights_ = self.lp_weights_.tocsr()
        self.objective_, self.objective_bound_ = solution.objective, solution.bound
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        diagonal = solution.diagonal
        if not diagonal.any():
            warnings.warn(
                f"noise={self.noise_:g} is as large as every row of X: none need be rebuilt, and the largest are taken",
                UserWarning,
                stacklevel=4,
            )
            diagonal = np.abs(rows).sum(axis=1) / np.abs(rows).sum()
        needed = int((diagonal > _NEEDED).sum())
        if wanted is not None and self.noise is None and needed < wanted:
            warnings.warn(
                f"n_components={wanted} exceeds the {needed} rows that rebuild all of X: the other parts add nothing",
                UserWarning,
                stacklevel=4,
            )
        chosen = self._chosen(rows, diagonal, None if self.outliers else wanted)
        if self.outliers:
            chosen, outliers = self._divided(program, chosen, np.bincount(copy_of.ravel()), wanted)
            self.outlier_indices_ = place[outliers]
        return place[chosen]

    def _costs(self, X):
        if self.costs is not None:
            costs = np.asarray(self.costs, dtype=np.float64)
            if costs.shape != (X.shape[0],) or not np.isfinite(costs).all():
                raise ValueError(f"costs must be {X.shape[0]} numbers, one for each row of X, not {costs.shape}")
            if self.model != "hottopixx" and (costs <= 0.0).any():
                raise ValueError(f"costs must be above zero with model={self.model!r}; the least is {costs.min():g}")
            return costs
        # A hash of each row's direction, so that neither the order of the rows nor their unit matters.
        direction = np.random.default_rng(0).normal(size=X.shape[1])
        sizes = np.abs(X).sum(axis=1)
        return 1.0 + 0.01 * np.cos(1e3 * (X @ direction) / np.where(sizes > 0.0, sizes, 1.0))

    def _solve(self, rows, size, costs, wanted):
        """The program on rows in the unit of the largest; sets the noise."""
        sizes = np.abs(rows).sum(axis=1)
        relative = self.model != "absolute"
        units = sizes if relative else np.ones(len(rows))
        unit = 1.0 if relative else size
        program = SelfExpressionProgram(rows, units, tol=self.tol, max_iter=self.max_iter)
        if self.noise is not None:
            error = self.rho * self.noise / unit
        elif wanted is None or self.outliers:
            error = self.rho * _drawn_noise(rows / sizes[:, np.newaxis] if relative else rows)
        else:
            error = program.least_error(wanted).error
        self.noise_ = float(error * unit / self.rho)
        total = wanted if self.model == "hottopixx" else None
        return program, program.least_cost(costs, error, total)

    def _chosen(self, rows, diagonal, wanted):
        """Parts by their diagonals (section 5.1)."""
        if self.post == "threshold":
            above = np.flatnonzero(diagonal > 1.0 - min(1.0, self.rho) / 2.0)
            return above[np.argsort(-diagonal[above], kind="stable")] if len(above) else np.array([diagonal.argmax()])
        if self.post == "cluster":
            return self._of_heaps(rows, diagonal, wanted)
        least, most = (wanted, wanted) if wanted is not None else _numbers(diagonal)
        for number in range(least, most) if self.noise is None else ():
            chosen = self._of_number(rows, diagonal, number)
            if self._rebuild_all(rows, chosen):
                return chosen
        return self._of_number(rows, diagonal, most)

    def _of_number(self, rows, diagonal, number):
        """So many rows, of the largest diagonals or around heaps of them, whichever is closer to all rows."""
        largest = np.argsort(-diagonal, kind="stable")[:number]
        if self.post == "largest":
            return largest
        return min(
            (largest, self._of_heaps(rows, diagonal, number)),
            key=lambda chosen: error_norm(rows, _weights_of(rows, chosen), rows[chosen]),
        )

    def _of_heaps(self, rows, diagonal, number):
        # Distances between rows are in the unit of X, and so is the noise that they are held against.
        noise = self.noise_ * (1.0 if self.model == "absolute" else np.abs(rows).sum(axis=1).max())
        return cluster_lp_weights(rows, diagonal, noise, number)

    def _rebuild_all(self, rows, chosen):
        errors = np.abs(rows - _weights_of(rows, chosen).T @ rows[chosen]).sum(axis=1)
        units = 1.0 if self.model == "absolute" else np.abs(rows).sum(axis=1)
        return bool((errors <= _ROOM * self.noise_ * units).all())

    def _divided(self, program, chosen, copies, wanted):
        """Parts and outliers among the chosen rows, by how much the others need of them (Algorithm 5, improved)."""
        need = program.need_of(chosen, copies)
        order = np.argsort(-need, kind="stable")
        parts = max(int((need >= 0.5).sum()), 1) if wanted is None else min(wanted, len(chosen))
        return chosen[order[:parts]], chosen[order[parts:]]

    def _checked(self, X, *, reset):
        X = validate_data(self, X, dtype=np.float64, reset=reset)
        check_magnitudes(X, "X")
        return X

    def _invariants(self):
        yield "every row has a diagonal", is_array(self.lp_diagonal_, np.floating, None)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _drawn_noise(rows):
    """The largest row sum of the white noise that is to be seen in the rows; at least a share of the mean row."""
    noise = white_noise(rows)
    least = _NOISE * np.abs(rows).sum(axis=1).mean()
    return least if noise is None else max(least, noise.largest_row_sum(rows.shape))


def _numbers(diagonal):
    """The least number of parts, the diagonal's sum, and that after which the sorted diagonal falls most."""
    falling = np.sort(diagonal)[::-1]
    least = max(int(np.ceil(falling.sum() - 1e-6)), 1)
    falls = falling - np.append(falling[1:], 0.0)
    return least, least + int(np.argmax(falls[least - 1 :]))


def _weights_of(rows, chosen):
    """The rows' best non-negative combinations of those chosen."""
    components = rows[chosen]
    return nonnegative_least_squares(components @ components.T, data_by(components, rows))
