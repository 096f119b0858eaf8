"""Fields given by a sparse precision, as Gaussian Markov random fields are."""

from collections import OrderedDict
from functools import cached_property
from hashlib import sha256

import numpy as np
from scipy import sparse

from treatise.bayes.latent_gaussian._fields import Field, Update
from treatise.optimize import CholeskyPlan

_KEPT_LAYOUTS: OrderedDict = OrderedDict()
_MOST_LAYOUTS = 4


def layout_of(pattern, linear=None):
    """The layout for a precision and a linear map; that of the last few patterns is known already.

    Models that differ in hyper-parameters alone share it: the order of elimination and the symbolic factor are made
    once for all of them.
    """
    parts = [pattern.indptr, pattern.indices]
    if linear is not None:
        parts += [linear.indptr, linear.indices, linear.data]
    key = sha256(b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
    if key in _KEPT_LAYOUTS:
        _KEPT_LAYOUTS.move_to_end(key)
        return _KEPT_LAYOUTS[key]
    layout = FieldLayout(pattern, linear)
    _KEPT_LAYOUTS[key] = layout
    while len(_KEPT_LAYOUTS) > _MOST_LAYOUTS:
        _KEPT_LAYOUTS.popitem(last=False)
    return layout


class FieldLayout:
    """Where the entries of posterior precisions ``Q + U' diag(a) U`` are; made once for all sites.

    Parameters
    ----------
    pattern : sparse matrix of shape (n, n)
        Places of the entries of Q.
    linear : sparse matrix of shape (n_terms, n) or None
        U; None is the identity.
    """

    def __init__(self, pattern, linear=None):
        n = pattern.shape[0]
        self.linear = sparse.csr_array(sparse.eye_array(n) if linear is None else linear)
        self.linear.sort_indices()
        shape = sparse.csr_array((np.ones(self.linear.nnz), self.linear.indices, self.linear.indptr), self.linear.shape)
        places = sparse.csr_array(pattern)
        places = sparse.csr_array((np.ones(places.nnz), places.indices, places.indptr), shape=places.shape)
        self.plan = CholeskyPlan(places + shape.T @ shape)
        self.products, self.forms = self._products()

    def _products(self):
        """Matrices that take sites to entries of the precision, and entries of the covariance to variances of terms."""
        U = self.linear
        lengths = np.diff(U.indptr)
        terms, one, other = [], [], []
        for length in np.unique(lengths[lengths > 0]):
            rows = np.flatnonzero(lengths == length)
            stored = U.indptr[rows][:, None] + np.arange(length)
            j, k = np.tril_indices(length)
            terms.append(np.repeat(rows, len(j)))
            one.append(stored[:, j].ravel())
            other.append(stored[:, k].ravel())
        terms, one, other = (np.concatenate(p) if p else np.zeros(0, dtype=np.int64) for p in (terms, one, other))
        number = np.full(self.plan.n_stored, -1)
        number[self.plan._entries] = np.arange(len(self.plan.rows))
        entry = number[self.plan.places(U.indices[one], U.indices[other])]
        value = U.data[one] * U.data[other]
        shape = (len(self.plan.rows), U.shape[0])
        products = sparse.csr_array((value, (entry, terms)), shape=shape)
        twice = np.where(one == other, value, 2.0 * value)
        return products, sparse.csr_array((twice, (terms, entry)), shape=shape[::-1])


class SparseField(Field):
    """A field with a sparse precision Q, on the plane of linear constraints ``A x = e`` if there are any.

    Parameters
    ----------
    layout : FieldLayout
        Places of entries.
    values : ndarray
        Entries of Q, as the plan of the layout orders them.
    shift : ndarray of shape (n,)
        Q times the mean without constraints.
    constraints : tuple (A, e) or None
        Linear constraints.
    factor : SparseCholesky or None
        Of Q, if known.
    """

    def __init__(self, layout, values, shift, constraints=None, factor=None):
        self.layout, self.values, self.shift, self.constraints = layout, values, shift, constraints
        self.n = layout.plan.n
        self.factor = layout.plan.factor(values) if factor is None else factor
        self.plane = None if constraints is None else Plane(self.factor, constraints[0])
        self._place()

    def _place(self):
        mean = self.factor.solve(self.shift)
        self.mean = mean if self.plane is None else self.plane.project(mean, self.constraints[1])
        self.term_mean = self.layout.linear @ self.mean

    def update(self, a, b):
        return SparseUpdate(self, a, b)

    @property
    def log_determinant(self):
        """Of the precision, less what the constraints take."""
        return self.factor.log_determinant + (0.0 if self.plane is None else self.plane.log_determinant)


class Plane:
    """What conditions a normal law with precision ``L L'`` on ``A x = e``."""

    def __init__(self, factor, A):
        self.A = A
        self.across = factor.solve(A.T)  # V A'
        self.root = np.linalg.cholesky(A @ self.across)
        self.gain = np.linalg.solve(self.root, self.across.T)  # rows: (A V A')^-1/2 A V

    @property
    def log_determinant(self):
        """Of ``A V A'``."""
        return 2.0 * float(np.log(np.diag(self.root)).sum())

    def project(self, mean, e):
        """The mean on the plane."""
        return mean - self.gain.T @ np.linalg.solve(self.root, self.A @ mean - e)


class SparseUpdate(Update):
    """A sparse field times sites: one factor; means by two triangular systems, variances by Takahashi's equations."""

    def __init__(self, field, a, b):
        super().__init__(field, a, b)
        layout = field.layout
        self._values = field.values + layout.products @ a
        self._shift = field.shift + layout.linear.T @ b
        self.factor = layout.plan.factor(self._values)
        self._mean = self.factor.solve(self._shift)
        self.plane = None
        if field.constraints is not None:
            A, e = field.constraints
            self.plane = Plane(self.factor, A)
            self._mean = self.plane.project(self._mean, e)
        self.term_mean = layout.linear @ self._mean
        self.pull = b - a * self.term_mean
        after = self.factor.log_determinant + (0.0 if self.plane is None else self.plane.log_determinant)
        self.log_ratio = after - field.log_determinant

    @property
    def mean(self):
        return self._mean

    @cached_property
    def _selected(self):
        return self.factor.selected_inverse()

    @cached_property
    def term_variance(self):
        layout = self.field.layout
        found = layout.forms @ self._selected.on_pattern()
        if self.plane is not None:
            found = found - ((layout.linear @ self.plane.gain.T) ** 2).sum(axis=1)
        return found

    @cached_property
    def variance(self):
        found = self._selected.diagonal()
        return found if self.plane is None else found - (self.plane.gain**2).sum(axis=0)

    def drawer(self):
        def drawn(rng, n_draws):
            away = self.factor.color(rng.standard_normal((self.field.n, n_draws)))
            if self.plane is not None:
                away = away - self.plane.gain.T @ np.linalg.solve(self.plane.root, self.plane.A @ away)
            return away.T

        return drawn

    def _column(self, i):
        unit = np.zeros(self.field.n)
        unit[i] = 1.0
        column = self.factor.solve(unit)
        return column if self.plane is None else column - self.plane.gain.T @ self.plane.gain[:, i]

    def beside(self, i):
        column = self._column(i)
        return self._mean[i], float(column[i]), self.field.layout.linear @ column

    def pinned(self, i):
        unit = np.zeros((1, self.field.n))
        unit[0, i] = 1.0
        A, e = (
            (unit, np.zeros(0)) if self.plane is None else (np.vstack([self.plane.A, unit]), self.field.constraints[1])
        )
        start = SparseField(self.field.layout, self._values, self._shift, (A, np.append(e, self._mean[i])), self.factor)

        def at(value):
            field = object.__new__(SparseField)
            field.__dict__.update(start.__dict__, constraints=(A, np.append(e, value)))
            field._place()
            return field

        return at
