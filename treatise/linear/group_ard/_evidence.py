"""The evidence of block variances and its descent: block after block exactly, then Newton's method.

With ``W = (sum_i lambda_i G_i G_i' + sigma^2 I)^-1`` the objective is ``log det W^-1 / 2 + y' W y / 2 + gamma sum_i
lambda_i``; the group lasso is the same without the determinant. Everything that a block needs lies in ``S_i = G_i' W
G_i`` and ``q_i = G_i' W y``.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dgemm

from treatise._core.jit import compiled

_NEWTON_STEPS, _LEAST_STEP = 30, 1e-4
_SWEEPS_AT_A_TIME = 4
_GRID = np.geomspace(1e-8, 1e8, 65)


class ColumnForm:
    """``G' W G`` and ``G' W y``, kept as blocks change: for fewer columns than rows."""

    def __init__(self, G, y, starts, noise_var):
        self.gram, self.cross, self.square = G.T @ G, G.T @ y, float(y @ y)
        self.n, self.starts, self.noise_var = len(y), starts, noise_var

    def restricted(self, blocks):
        """The form of some blocks alone, and the same rows."""
        columns = _columns_of(blocks, self.starts)
        part = ColumnForm.__new__(ColumnForm)
        part.gram, part.cross, part.square = self.gram[np.ix_(columns, columns)], self.cross[columns], self.square
        part.n, part.noise_var = self.n, self.noise_var
        part.starts = np.cumsum(np.append(0, np.diff(self.starts)[blocks]))
        return part

    def begin(self, variances):
        """Take the variances of the blocks, and compute all anew."""
        self.variances = variances.copy()
        columns = np.repeat(variances, np.diff(self.starts))
        used = np.flatnonzero(columns)
        m, s = len(columns), self.noise_var
        inner = self.gram[np.ix_(used, used)] * columns[used] + s * np.eye(len(used))
        self.log_det = self.n * np.log(s) + float(np.linalg.slogdet(inner / s)[1]) if len(used) else self.n * np.log(s)
        if len(used) == m:
            # (A L + s)^-1 A, which subtracts nothing.
            both = np.linalg.solve(inner, np.column_stack([self.gram, self.cross]))
            T, self.pull = both[:, :-1], both[:, -1]
        else:
            both = np.linalg.solve(inner, np.column_stack([self.gram[used], self.cross[used]]))
            back = self.gram[:, used] * columns[used]
            T = (self.gram - back @ both[:, :-1]) / s
            self.pull = (self.cross - back @ both[:, -1]) / s
        self.T = np.asfortranarray((T + T.T) / 2)
        self.quadratic = (self.square - float(self.cross @ (columns * self.pull))) / s

    def parts(self, i):
        """``S_i`` and ``q_i``."""
        part = slice(self.starts[i], self.starts[i + 1])
        return self.T[part, part], self.pull[part]

    def summaries(self):
        """Traces of all ``S_i`` and squared norms of all ``q_i``."""
        ends = self.starts[:-1]
        return np.add.reduceat(np.diag(self.T), ends), np.add.reduceat(self.pull**2, ends)

    def change(self, i, variance):
        """Set one block's variance; a change of rank k."""
        delta = variance - self.variances[i]
        part = slice(self.starts[i], self.starts[i + 1])
        S, q = self.T[part, part].copy(), self.pull[part].copy()
        inner = np.eye(len(q)) + delta * S
        K = delta * np.linalg.solve(inner, np.column_stack([self.T[:, part].T, q]))
        self.quadratic -= float(q @ K[:, -1])
        self.log_det += float(np.linalg.slogdet(inner)[1])
        column = np.array(self.T[:, part], order="F")
        self.pull -= column @ K[:, -1]
        self.T = dgemm(-1.0, column, K[:, :-1], 1.0, self.T, overwrite_c=1)
        self.variances[i] = variance

    def sweep_columns(self, columns, gamma, determinant):
        """Where every block is one column, all steps in one compiled loop; whether that was done."""
        if len(self.starts) - 1 != len(self.pull):
            return False
        log_det, quadratic = sweep_single_columns(
            self.T.T, self.pull, self.variances, columns, gamma, determinant, _GRID
        )
        self.log_det += log_det
        self.quadratic += quadratic
        return True

    def coupling(self, blocks):
        """``|S_ij|^2`` and ``q_i' S_ij q_j`` for pairs of blocks."""
        columns = _columns_of(blocks, self.starts)
        ends = np.cumsum(np.append(0, np.diff(self.starts)[blocks]))[:-1]
        T, q = self.T[np.ix_(columns, columns)], self.pull[columns]
        return tuple(
            np.add.reduceat(np.add.reduceat(values, ends, axis=0), ends, axis=1)
            for values in (T**2, T * np.outer(q, q))
        )


class RowForm(ColumnForm):
    """The same from ``W``, for fewer rows than columns."""

    def __init__(self, G, y, starts, noise_var):
        self.G, self.y, self.n = np.asfortranarray(G), y, len(y)
        self.starts, self.noise_var = starts, noise_var

    def restricted(self, blocks):
        """The form of some blocks alone: of columns, where these are fewer than the rows."""
        G = self.G[:, _columns_of(blocks, self.starts)]
        kind = ColumnForm if G.shape[1] < self.n else RowForm
        return kind(G, self.y, np.cumsum(np.append(0, np.diff(self.starts)[blocks])), self.noise_var)

    def begin(self, variances):
        """Take the variances of the blocks, and compute all anew."""
        self.variances = variances.copy()
        columns = np.repeat(variances, np.diff(self.starts))
        used = np.flatnonzero(columns)
        part = self.G[:, used]
        total = (part * columns[used]) @ part.T + self.noise_var * np.eye(self.n)
        factor = cho_factor(total, lower=True)
        self.log_det = 2 * float(np.log(np.diag(factor[0])).sum())
        self.W = np.asfortranarray(cho_solve(factor, np.eye(self.n)))
        self.weighted = self.W @ self.y
        self.quadratic = float(self.y @ self.weighted)

    def parts(self, i):
        """``S_i`` and ``q_i``."""
        block = self.G[:, self.starts[i] : self.starts[i + 1]]
        return block.T @ (self.W @ block), block.T @ self.weighted

    def summaries(self):
        """Traces of all ``S_i`` and squared norms of all ``q_i``."""
        ends = self.starts[:-1]
        traces = np.einsum("ij,ij->j", self.G, self.W @ self.G)
        return np.add.reduceat(traces, ends), np.add.reduceat((self.G.T @ self.weighted) ** 2, ends)

    def change(self, i, variance):
        """Set one block's variance; a change of rank k."""
        delta = variance - self.variances[i]
        block = self.G[:, self.starts[i] : self.starts[i + 1]]
        column = np.asfortranarray(self.W @ block)
        q = block.T @ self.weighted
        inner = np.eye(len(q)) + delta * (block.T @ column)
        K = delta * np.linalg.solve(inner, np.column_stack([column.T, q]))
        self.quadratic -= float(q @ K[:, -1])
        self.log_det += float(np.linalg.slogdet(inner)[1])
        self.weighted -= column @ K[:, -1]
        self.W = dgemm(-1.0, column, K[:, :-1], 1.0, self.W, overwrite_c=1)
        self.variances[i] = variance

    def sweep_columns(self, columns, gamma, determinant):
        """Blocks go one by one."""
        return False

    def coupling(self, blocks):
        """``|S_ij|^2`` and ``q_i' S_ij q_j`` for pairs of blocks."""
        columns = _columns_of(blocks, self.starts)
        ends = np.cumsum(np.append(0, np.diff(self.starts)[blocks]))[:-1]
        part = self.G[:, columns]
        T, q = part.T @ (self.W @ part), part.T @ self.weighted
        return tuple(
            np.add.reduceat(np.add.reduceat(values, ends, axis=0), ends, axis=1)
            for values in (T**2, T * np.outer(q, q))
        )


class BlockVariances:
    """Descent of the penalised evidence over the variances of all blocks.

    Parameters
    ----------
    form : ColumnForm or RowForm
        What keeps ``W``.
    gamma : float
        Penalty.
    determinant : float, default=1.0
        Share of the log determinant in the objective: one for the evidence, zero for the group lasso.

    Attributes
    ----------
    trace : list of float
        Objective after every sweep or Newton step; it never rises.
    violation : float
        Largest failure of the conditions of the optimum, relative to the terms of the gradient.
    """

    def __init__(self, form, gamma, determinant=1.0):
        self.form, self.gamma, self.determinant = form, gamma, determinant
        self.trace, self.violation = [], np.inf

    def objective(self):
        """The objective at the variances of now."""
        form = self.form
        return 0.5 * (self.determinant * form.log_det + form.quadratic) + self.gamma * float(form.variances.sum())

    def gradient(self):
        """Slopes in all variances, and the size of their terms."""
        traces, squares = self.form.summaries()
        rise = 0.5 * self.determinant * traces + self.gamma
        return rise - 0.5 * squares, rise

    def run(self, start, max_iter, tol):
        """Sweeps and Newton steps from given variances until the conditions fail by no more than ``tol``."""
        self.form.begin(start)
        self.trace.append(self.objective())
        for _ in range(max_iter):
            for _ in range(_SWEEPS_AT_A_TIME):
                before = self.form.variances.copy()
                self._sweep()
                self.trace.append(min(self.objective(), self.trace[-1]))
                if np.array_equal(before > 0, self.form.variances > 0):
                    break
            self._newton(tol)  # computes all anew as well, against the rounding of many changes
            if self._failure() <= tol:
                break
        return self.form.variances

    def _failure(self):
        slope, size = self.gradient()
        failure = np.where(self.form.variances > 0, np.abs(slope), np.maximum(-slope, 0.0))
        self.violation = float((failure / size).max())
        return self.violation

    def _sweep(self):
        """Every block that is not rightly zero at its best variance, the others held."""
        slope, _ = self.gradient()
        form = self.form
        if form.sweep_columns(np.flatnonzero((form.variances > 0) | (slope < 0)), self.gamma, self.determinant):
            return
        for i in np.flatnonzero((form.variances > 0) | (slope < 0)):
            S, q = form.parts(i)
            values, vectors = np.linalg.eigh((S + S.T) / 2)
            old = form.variances[i]
            # What S and q were without the block itself.
            rest = np.maximum(1.0 - old * values, 1e-14)
            new = best_variance(
                np.maximum(values, 0.0) / rest, (vectors.T @ q / rest) ** 2, self.gamma, self.determinant, old, _GRID
            )
            if new != old:
                form.change(i, new)

    def _newton(self, tol):
        """Newton steps over the blocks that are not zero, while they lower the objective."""
        active = np.flatnonzero(self.form.variances)
        if not len(active):
            return
        part = BlockVariances(self.form.restricted(active), self.gamma, self.determinant)
        part.form.begin(self.form.variances[active])
        for _ in range(_NEWTON_STEPS):
            slope, size = part.gradient()
            if (np.abs(slope) <= 0.1 * tol * size).all() or not part._newton_step(slope):
                break
            self.trace.append(min(part.objective(), self.trace[-1]))
            if not part.form.variances.all():
                break
        variances = self.form.variances.copy()
        variances[active] = part.form.variances
        self.form.begin(variances)

    def _newton_step(self, slope):
        """One step over all blocks, shortened until the objective falls; whether one did."""
        form, before, value = self.form, self.form.variances.copy(), self.objective()
        squares, forms = form.coupling(np.arange(len(before)))
        try:
            move = -cho_solve(cho_factor(forms - 0.5 * self.determinant * squares), slope)
        except np.linalg.LinAlgError:
            return False
        step = 1.0
        while step > _LEAST_STEP:
            form.begin(np.maximum(before + step * move, 0.0))
            if self.objective() <= value:
                return True
            step /= 4
        form.begin(before)
        return False


def block_pull(form, G):
    """``G' W y`` of all columns."""
    return form.pull if isinstance(form.__dict__.get("pull"), np.ndarray) else G.T @ form.weighted


def _columns_of(blocks, starts):
    return np.concatenate([np.arange(starts[i], starts[i + 1]) for i in blocks])


def common_variance(G, y, noise_var):
    """The one variance of all columns that has most evidence: where the descent begins."""
    if G.shape[1] <= G.shape[0]:
        squares, vectors = np.linalg.eigh(G.T @ G)
        squares = np.maximum(squares, 0.0)
        kept = squares > 1e-12 * max(squares[-1], np.finfo(float).tiny)
        squares, projected = squares[kept], (vectors[:, kept].T @ (G.T @ y)) ** 2 / squares[kept]
    else:
        squares, vectors = np.linalg.eigh(G @ G.T)
        squares, projected = np.maximum(squares, 0.0), (vectors.T @ y) ** 2
    scale = max(float(projected.sum()) / max(float(squares.sum()), np.finfo(float).tiny), np.finfo(float).tiny)
    return best_variance(squares / noise_var, projected * squares / noise_var**2, 0.0, 1.0, 0.0, _GRID) or scale * 1e-6


@compiled
def slope_of_variance(variance, d, squares, gamma, determinant):
    """Derivative of the objective in one block's variance, from the eigenvalues of its S without itself."""
    slope = gamma
    for k in range(len(d)):
        share = 1.0 + variance * d[k]
        slope += 0.5 * determinant * d[k] / share - 0.5 * squares[k] / share**2
    return slope


@compiled
def value_of_variance(variance, d, squares, gamma, determinant):
    """The objective in one block's variance, zero at zero."""
    value = gamma * variance
    for k in range(len(d)):
        share = 1.0 + variance * d[k]
        value += 0.5 * determinant * np.log(share) - 0.5 * variance * squares[k] / share
    return value


@compiled
def best_variance(d, squares, gamma, determinant, old, grid):
    """The lowest of the minima over the variances from zero, each found by halving where the slope changes its sign."""
    top = 0.0
    for k in range(len(d)):
        if d[k] > 0.0:
            if determinant > 0.0:
                top = max(top, squares[k] / (determinant * d[k] ** 2))
            else:
                top = max(top, np.sqrt(0.5 * len(d) * squares[k] / gamma) / d[k])
    best, lowest = 0.0, 0.0
    if not top > 0.0:
        return best
    # Beyond, the slope is positive: no term of it is not.
    before, slope_before = 0.0, slope_of_variance(0.0, d, squares, gamma, determinant)
    for g in range(len(grid)):
        at = min(top * 1.0000001, top * grid[g])
        if grid[g] > 1.0 and before >= top:
            break
        slope = slope_of_variance(at, d, squares, gamma, determinant)
        if slope_before < 0.0 <= slope:
            low, high = before, at
            for _ in range(200):
                middle = 0.5 * (low + high)
                if middle <= low or middle >= high:
                    break
                if slope_of_variance(middle, d, squares, gamma, determinant) < 0.0:
                    low = middle
                else:
                    high = middle
            value = value_of_variance(high, d, squares, gamma, determinant)
            if value < lowest:
                best, lowest = high, value
        before, slope_before = at, slope
    if old > 0.0 and value_of_variance(old, d, squares, gamma, determinant) < lowest:
        return old
    return best


@compiled
def sweep_single_columns(T, pull, variances, columns, gamma, determinant, grid):
    """The sweep over blocks of one column each, in place; gives the changes of log determinant and quadratic form."""
    m, log_det, quadratic = len(pull), 0.0, 0.0
    d, square, column = np.empty(1), np.empty(1), np.empty(m)
    for i in columns:
        old = variances[i]
        rest = max(1.0 - old * T[i, i], 1e-14)
        d[0], square[0] = max(T[i, i], 0.0) / rest, (pull[i] / rest) ** 2
        new = best_variance(d, square, gamma, determinant, old, grid)
        if new == old:
            continue
        delta = new - old
        share = 1.0 + delta * T[i, i]
        factor, own = delta / share, pull[i]
        quadratic -= factor * own * own
        log_det += np.log(share)
        for a in range(m):
            column[a] = T[i, a]
        for a in range(m):
            scaled = factor * column[a]
            pull[a] -= scaled * own
            for b in range(m):
                T[a, b] -= scaled * column[b]
        variances[i] = new
    return log_det, quadratic
