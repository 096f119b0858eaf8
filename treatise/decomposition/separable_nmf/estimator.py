"""Parts that are rows of the data: ellipsoidal rounding, successive projection and XRAY (JMLR 15:1011)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import finite, is_array
from treatise.decomposition._noise import count_parts
from treatise.decomposition._rows_as_parts import RowsAsParts
from treatise.decomposition.separable_nmf._choice import choose_rows


class SeparableNMF(RowsAsParts):
    """Factorisation ``X = weights @ components`` whose parts are rows of X: the nearly pure examples.

    Every row is taken for a mixture of a few rows that are pure: pixels of a spectral scene that show one material,
    words that belong to one topic (give the words as rows), purest samples of any mixture. Rows are the candidates;
    columns are what is measured of them. Where there are pure rows, the factorisation needs no start, has no local
    minima and takes seconds on a million rows; each part is an example that can be looked up. The default wraps the
    smallest ellipsoid around the rows, whose surface touches the pure ones even under noise that misleads greedy
    choice alone.

    Do not use it where no row is nearly pure, as with parts of faces: scikit-learn's ``NMF`` or
    :class:`SparseNMF` invent their parts, and fit the better for it. Nor where single rows are outliers: all methods
    here take extreme rows for parts; :class:`LPSeparableNMF` tells them apart.

    Costs a truncated singular value decomposition to r dimensions, O(n r^2) for each of a dozen looks at the
    ellipsoid, and O(n r^2) for the weights. Sparse X stays sparse; beside X a few arrays of n x r numbers are held.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of parts r. ``"auto"`` takes as many as there are singular values of X above those of noise, where the
        small ones are spread as those of white noise are and at most a third is above. Else it takes as many as there
        are directions along which the columns, in units of their spread, reach further than independent columns would:
        3 for a spectral scene of water, soil and plants; at most 100 where rows and columns are more than 2000. Data of
        low rank without noise, and data of fewer than ten rows or columns, have as many parts as their rank.
    method : {"er-spa", "er-xray", "spa", "xray"}, default="er-spa"
        Ellipsoidal rounding and then successive projection or XRAY among the rows that touch the ellipsoid
        (Algorithm 2), or one of the two alone. Successive projection takes the row furthest from the span of those
        chosen; XRAY the one that a residual of non-negative least squares points at.
    xray_selection : {"max", "dist", "greedy", "rand"}, default="max"
        Which row's residual guides XRAY: the largest, the one with the largest positive products with all rows, that of
        the row with the largest positive products with all residuals for its length, or any one. ``"dist"`` and
        ``"greedy"`` cost O(n^2 p) for each part, where n is the number of candidates.
    rho : int or None, default=None
        Dimensions of the ellipsoid; None is ``n_components``. They grow until enough rows touch.
    normalize : bool, default=False
        Divide each row by its sum of magnitudes before the choice. Needed where rows are multiples of mixtures, as
        pixels in light and shade; but it raises rows that are mostly noise to the size of all others.
    tol : float, default=1e-9
        Duality gap of the ellipsoid.
    random_state : int, RandomState instance or None, default=None
        Draws the residuals of ``xray_selection="rand"``; all else is deterministic.

    Attributes
    ----------
    candidates_ : ndarray of int
        Rows that touch the ellipsoid; all rows where there is none.
    ellipsoid_ : ndarray of shape (rho, rho) or None
        Matrix L of the ellipsoid ``{z : z @ L @ z <= 1}`` of the reduced rows ``z = x @ directions_``.
    ellipsoid_gap_ : float or None
        Its duality gap: the logarithm of its squared volume is at most this much above the least.
    directions_ : ndarray of shape (n_features, rho) or None
        Leading right singular vectors of X.

    See Also
    --------
    AnchorTopics : The same on documents, with words as candidates.
    LPSeparableNMF : Slower; withstands outliers and finds the number of parts from the level of noise.
    plot_ellipsoid : Picture of the rows, the ellipsoid and the choice.

    Notes
    -----
    Entries below zero, as noise leaves them, are taken as they are. Equal rows count once. A rank of X below
    ``n_components`` ends the choice early, with a warning, except for XRAY alone, whose parts need not be independent.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.decomposition import SeparableNMF
    >>> rng = np.random.default_rng(0)
    >>> pure = rng.random((3, 20))
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 200) @ pure, pure]) + 0.01 * rng.normal(size=(203, 20))
    >>> model = SeparableNMF(3).fit(X)
    >>> np.sort(model.components_indices_)
    array([200, 201, 202])
    >>> model.transform(X).shape
    (203, 3)

    References
    ----------
    .. [1] Paper v15-1011, Algorithms 1 to 3.
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "method": [StrOptions({"er-spa", "er-xray", "spa", "xray"})],
        "xray_selection": [StrOptions({"max", "dist", "greedy", "rand"})],
        "rho": [Interval(Integral, 1, None, closed="left"), None],
        "normalize": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components="auto",
        *,
        method="er-spa",
        xray_selection="max",
        rho=None,
        normalize=False,
        tol=1e-9,
        random_state=None,
    ):
        self.n_components = n_components
        self.method = method
        self.xray_selection = xray_selection
        self.rho = rho
        self.normalize = normalize
        self.tol = tol
        self.random_state = random_state

    def _choose(self, X):
        if self.normalize:
            X = normalize(X, norm="l1")
        wanted = count_parts(X) if self.n_components == "auto" else self.n_components
        choice = choose_rows(
            X, wanted, self.method, rho=self.rho, selection=self.xray_selection, tol=self.tol,
            random_state=check_random_state(self.random_state),
        )  # fmt: skip
        if len(choice.rows) < wanted and self.n_components != "auto":
            warnings.warn(
                f"n_components={wanted} exceeds the {len(choice.rows)} parts that X allows: all rows are combinations "
                "of these",
                UserWarning,
                stacklevel=4,
            )
        self.candidates_, rounding = choice.candidates, choice.rounding
        self.directions_ = rounding and rounding.directions
        self.ellipsoid_ = rounding and rounding.matrix
        self.ellipsoid_gap_ = rounding and rounding.gap
        return choice.rows

    def _invariants(self):
        if self.ellipsoid_ is not None:
            rho = len(self.ellipsoid_)
            yield "the ellipsoid is a matrix", is_array(self.ellipsoid_, np.float64, rho, rho)
            yield "directions lead to it", is_array(self.directions_, np.float64, self.n_features_in_, rho)
            yield "both are finite", finite(self.ellipsoid_) and finite(self.directions_)
