"""Kernel densities of all columns and pairs on a grid, and the mutual information that follows from them."""

import math
from itertools import combinations_with_replacement, pairwise

import numpy as np
from sklearn.utils.validation import check_array

from treatise._core.threads import one_blas_thread, over_ranges

FLOOR = 1e-12
"""Densities are held at this value inside logarithms, where they would be lost to rounding."""

KINDS = ("fast", "medium", "slow")
MEMORY_LIMIT = 2**27
LARGEST_TILE = 16
"""Columns of a tile: the grids of one column with a tile (2 MiB at 128 points) stay in the cache while in use."""


def plug_in_bandwidths(X, *, dimension=1, smoothness=2.0):
    """Bandwidth of each column for a Gaussian kernel density, by the normal reference rule.

    ``1.06 min(sd, iqr / 1.34) n^(-1 / (2 smoothness + dimension))``. Use it for one-humped columns; two humps far
    apart are smoothed too much. Costs a sort of each column.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    dimension : {1, 2}, default=1
        Of the density: a single column, or a pair with one bandwidth for each of its axes.
    smoothness : float, default=2.0
        Derivatives that the density is taken to have.

    Returns
    -------
    bandwidths : ndarray of shape (n_features,)
        Zero for a constant column. Where the middle half of a column is one value, its deviation alone counts.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import plug_in_bandwidths
    >>> plug_in_bandwidths(np.linspace(0, 1, 101)[:, np.newaxis]).round(4)
    array([0.1234])

    References
    ----------
    .. [1] Paper v12-0907, Section 6.1.
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    if dimension not in (1, 2):
        raise ValueError(f"dimension={dimension} must be 1 or 2")
    if smoothness <= 0:
        raise ValueError(f"smoothness={smoothness} must be positive")
    deviation = X.std(axis=0, ddof=1)
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    middle = (high - low) / 1.34
    spread = np.where(middle > 0, np.minimum(deviation, middle), deviation)
    return np.where(np.ptp(X, axis=0) > 0, 1.06 * spread * len(X) ** (-1.0 / (2 * smoothness + dimension)), 0.0)


class DensityGrids:
    """Gaussian kernel densities of every column and every pair of columns, on equally spaced points of [0, 1].

    The density of a pair on the grid is a product of two matrices, one for each column, so that all pairs come from
    products of large blocks. A smooth kernel makes these matrices nearly singular: each is first written in the few
    directions that exceed rounding, which for wide kernels takes most of the work away. Grids of pairs are made tile
    by tile, used and dropped. Mass that a kernel puts outside [0, 1] is lost, not folded back.

    A pair costs ``r^2 n + r^2 m + r m^2`` operations and ``m^2`` logarithms, for m points and r directions (33 at a
    bandwidth of 0.1, 59 at 0.05), or ``m^2 n`` where that is less. Memory is ``n_features * (n + m) * r`` numbers
    besides the tiles.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, scaled so that [0, 1] covers what matters of each column; points outside count where their kernels
        reach in.
    grid_size : int, default=128
        Number m of points on each axis, both ends included.
    bandwidths : array-like of shape (n_features,) or None, default=None
        For single columns; None takes :func:`plug_in_bandwidths`.
    pair_bandwidths : array-like of shape (n_features,) or None, default=None
        For pairs, one for each axis; None takes :func:`plug_in_bandwidths` for two dimensions.
    memory_limit : int, default=128 MiB
        Bytes that the tiles under work may take, for each thread. One pair is made whatever the limit.

    Attributes
    ----------
    grid : ndarray of shape (grid_size,)
        The points.
    univariate : ndarray of shape (n_features, grid_size)
        Densities of the columns.
    bandwidths, pair_bandwidths : ndarray of shape (n_features,)
        Those in use.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import DensityGrids
    >>> x = np.random.default_rng(0).normal(0.5, 0.12, (400, 1))
    >>> grids = DensityGrids(np.hstack([x, x**2, 1 - x]))
    >>> grids.pair(0, 1).shape
    (128, 128)
    >>> grids.mutual_information().round(2)
    array([[0.  , 0.66, 0.69],
           [0.66, 0.  , 0.66],
           [0.69, 0.66, 0.  ]])

    References
    ----------
    .. [1] Paper v12-0907, Equations 6-8 and 10, Section 6.1, Algorithm 6 (its normaliser 1 / m^2 is 1 / (m - 1)^2 in
       the experiments; so here).
    """

    def __init__(self, X, *, grid_size=128, bandwidths=None, pair_bandwidths=None, memory_limit=MEMORY_LIMIT):
        X = check_array(X, dtype=np.float64, ensure_min_samples=2)
        if grid_size < 2:
            raise ValueError(f"grid_size={grid_size} must be at least 2")
        self.memory_limit = memory_limit
        self.n_features = X.shape[1]
        self.grid = np.linspace(0.0, 1.0, grid_size)
        self.bandwidths = _positive_bandwidths(X, bandwidths, "bandwidths", 1)
        self.pair_bandwidths = _positive_bandwidths(X, pair_bandwidths, "pair_bandwidths", 2)
        self.univariate = np.empty((self.n_features, grid_size))
        self._factors = [None] * self.n_features

        def factor(first, last):
            for column in range(first, last):
                x = X[:, column]
                self.univariate[column] = _kernel_matrix(x, self.grid, self.bandwidths[column]).mean(axis=0)
                self._factors[column] = _factor(x, self.grid, self.pair_bandwidths[column])

        _side_by_side(factor, self.n_features, cost=self.n_features * grid_size * (grid_size**2 + 20.0 * len(X)) / 2)

    def pair(self, i, j):
        """Density of columns i and j on the grid.

        Returns
        -------
        density : ndarray of shape (grid_size, grid_size)
            Rows are the points of column i.
        """
        for column in (i, j):
            if not 0 <= column < self.n_features:
                raise ValueError(f"column {column} does not exist: there are {self.n_features}")
        return _PairTiles(self, [i], [j]).grids_of(0)[:, 0, :]

    def mutual_information(self, kind="medium"):
        """Mutual information of all pairs, in nats.

        Parameters
        ----------
        kind : {"fast", "medium", "slow"}, default="medium"
            Where the densities of single columns come from. "medium": those of :attr:`univariate`, averaged over the
            density of the pair. "fast": the same, averaged over themselves; biased, and may be negative. "slow": sums
            of the density of the pair.

        Returns
        -------
        information : ndarray of shape (n_features, n_features)
            Symmetric, with a diagonal of zeros. Biased downwards, as kernels blur: a Gaussian pair of correlation 0.6
            shares 0.22, and about 0.16 is found from 400 rows.
        """
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} must be one of {', '.join(KINDS)}")
        return self._information(self, kind)

    def cross_information(self, other):
        """What the densities of these rows say of the pairs of other rows, in nats.

        The average, over the other density of each pair, of the log ratio of this density of the pair to the product
        of its columns. Negative where a pair that seems dependent here would predict the other rows worse.

        Parameters
        ----------
        other : DensityGrids
            Of the same columns in the same scale, on the same number of points.

        Returns
        -------
        information : ndarray of shape (n_features, n_features)
            Symmetric, with a diagonal of zeros.
        """
        if (other.n_features, len(other.grid)) != (self.n_features, len(self.grid)):
            raise ValueError(
                f"the other grids have {other.n_features} columns on {len(other.grid)} points; "
                f"{self.n_features} on {len(self.grid)} are needed"
            )
        return self._information(other, "medium")

    def _information(self, weighting, kind):
        """Average over the pair densities of ``weighting`` of the log ratio of these (Equations 8 and 10)."""
        m, p = len(self.grid), self.n_features
        step = 1.0 / (m - 1)
        log_univariate = np.log(np.maximum(self.univariate, FLOOR))
        own = (self.univariate * log_univariate).sum(axis=1) * step
        information = np.zeros((p, p))
        # Columns of like bandwidth share a tile, since all of a tile are padded to the largest rank.
        order, size = np.argsort(-self.pair_bandwidths, kind="stable"), self._tile_size()
        work = list(combinations_with_replacement([order[first : first + size] for first in range(0, p, size)], 2))

        def ratios(left, right):
            """Averages for the columns of two tiles."""
            tiles = _PairTiles(self, left, right)
            weighting_tiles = tiles if weighting is self else _PairTiles(weighting, left, right)
            for number, column in enumerate(left):
                grids = tiles.grids_of(number)
                logs = np.log(np.maximum(grids, FLOOR, out=tiles.spare), out=tiles.spare)
                weights = grids if weighting is self else weighting_tiles.grids_of(number)
                # The log of the product of columns depends on one axis at a time: sums over the other suffice.
                rows, columns = weights.sum(axis=2) * step, weights.sum(axis=0) * step
                logs *= weights
                found = logs.sum(axis=(0, 2)) * step**2
                if kind == "medium":
                    found -= log_univariate[column] @ rows * step
                    found -= (log_univariate[right] * columns).sum(axis=1) * step
                elif kind == "fast":
                    found -= own[column] + own[right]
                else:
                    found -= (rows * np.log(np.maximum(rows, FLOOR))).sum(axis=0) * step
                    found -= (columns * np.log(np.maximum(columns, FLOOR))).sum(axis=1) * step
                information[column, right] = information[right, column] = found

        def fill(first, last):
            for left, right in work[first:last]:
                ratios(left, right)

        _side_by_side(fill, len(work), cost=4.0 * p**2 * m**2)
        np.fill_diagonal(information, 0.0)
        return information

    def _tile_size(self):
        """Columns to a tile: its pairs take their grids three times on the way, and those of a column four times."""
        m, size = len(self.grid), LARGEST_TILE
        while size > 1 and 8 * m**2 * (3 * size**2 + 4 * size) > self.memory_limit:
            size -= 1
        return size


class _PairTiles:
    """The grids of the pairs of two sets of columns, one column of the first set at a time.

    Parameters
    ----------
    densities : DensityGrids
        Whose densities.
    left, right : ndarray of int
        The columns.
    """

    def __init__(self, densities, left, right):
        m = len(densities.grid)
        scores, self._directions = zip(*(densities._factors[i] for i in left))
        other_scores, other_directions = zip(*(densities._factors[j] for j in right))
        starts, other_starts = _starts(scores), _starts(other_scores)
        # The sum over rows of Algorithm 6, H_i' H_j / n = V_i (A_i' A_j / n) V_j', from the inside out.
        inner = np.hstack(scores).T @ np.hstack(other_scores)
        inner /= len(scores[0])
        products = np.empty((starts[-1], len(right), m))
        for place, directions in enumerate(other_directions):
            block = inner[:, other_starts[place] : other_starts[place + 1]]
            if directions is None:
                products[:, place] = block
            else:
                np.matmul(block, directions.T, out=products[:, place])
        self._products = [products[first:last] for first, last in pairwise(starts)]
        self._grids, self.spare = np.empty((2, m, len(right), m))

    def grids_of(self, number):
        """Densities of one left column with all right ones: points of the left, right columns, their points.

        The array is overwritten by the next call.
        """
        product, directions = self._products[number], self._directions[number]
        if directions is None:
            return product
        m = len(directions)
        np.matmul(directions, product.reshape(len(product), -1), out=self._grids.reshape(m, -1))
        return self._grids


def kde_mutual_information(X, *, kind="medium", grid_size=128, memory_limit=MEMORY_LIMIT):
    """Mutual information of all pairs of continuous columns, from kernel densities on a grid, in nats.

    Finds dependence of any shape between two columns, where a correlation sees straight lines only. Not for
    independence tests by itself (it is biased: compare with permuted columns), nor for ties and categories, for which
    there is :func:`mutual_information`. Costs as :class:`DensityGrids`: 500 columns of 300 rows take some ten
    seconds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data; each column is scaled to [0, 1].
    kind : {"fast", "medium", "slow"}, default="medium"
        See :meth:`DensityGrids.mutual_information`.
    grid_size : int, default=128
        Points of the grid on each axis.
    memory_limit : int, default=128 MiB
        Bytes that the grids under work may take, for each thread.

    Returns
    -------
    information : ndarray of shape (n_features, n_features)
        Symmetric, with a diagonal of zeros; the same whatever the origin and unit of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import kde_mutual_information
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 500))
    >>> kde_mutual_information(np.column_stack([x, x**2 + 0.1 * noise, noise])).round(2)[0]
    array([0.  , 0.39, 0.01])

    References
    ----------
    .. [1] Paper v12-0907, Section 6.1.
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    scaled = (X - low) / np.where(span > 0, span, 1.0)
    return DensityGrids(scaled, grid_size=grid_size, memory_limit=memory_limit).mutual_information(kind)


def _side_by_side(work, length, cost):
    """Ranges of columns or tiles in threads of ours: their matrices are too small for a library to split."""
    with one_blas_thread():
        over_ranges(work, length, cost=cost)


def _starts(matrices):
    """Where each matrix begins when all are set side by side, and where the last ends."""
    return np.concatenate([[0], np.cumsum([matrix.shape[1] for matrix in matrices])])


def _positive_bandwidths(X, given, name, dimension):
    if given is None:
        widths = plug_in_bandwidths(X, dimension=dimension)
        if not (widths > 0).all():
            constant = ", ".join(str(column) for column in np.flatnonzero(widths == 0)[:5])
            raise ValueError(f"constant columns have no density: {constant}; drop them")
        return widths
    widths = np.asarray(given, dtype=np.float64)
    if widths.shape != (X.shape[1],) or not (np.isfinite(widths) & (widths > 0)).all():
        raise ValueError(f"{name} must hold a positive number for each of the {X.shape[1]} columns, got {given!r}")
    return widths


def _kernel_matrix(x, points, width):
    """Kernel of each row of x at each point."""
    z = (x[:, np.newaxis] - points) / width
    return np.exp(-0.5 * z * z) / (width * math.sqrt(2.0 * math.pi))


def _factor(x, grid, width):
    """Kernel matrix of a column as ``scores @ directions.T``, or itself and None where that would save nothing.

    The directions are the eigenvectors of the kernel between the points of the grid: kernels centred elsewhere in
    [0, 1] lie in their span to rounding.
    """
    matrix, m = _kernel_matrix(x, grid, width), len(grid)
    values, vectors = np.linalg.eigh(_kernel_matrix(grid, grid, width))
    directions = np.ascontiguousarray(vectors[:, values > 1e-15 * values[-1]])
    r, n = directions.shape[1], len(x)
    if r**2 * (n + m) + r * m**2 >= m**2 * n:
        return matrix, None
    return matrix @ directions, directions
