"""Entropies and dependence of discrete variables, from counts, in bits or in any other unit.

Of continuous variables see :mod:`treatise.information`, whose functions of the same names take the same ``base``.
"""

import math

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from treatise.statistics._chao_shen_loops import chao_shen
from treatise.statistics._columns import is_frame, read_array, read_frame
from treatise.statistics._counts import DiscreteTable, DiscreteVariable, entropy_table, joint_variable
from treatise.statistics._encoding import encode


class TableInformation:
    """Entropies of a table's columns, and the dependence of many columns on one variable at a time.

    Counts are taken at construction; each call then costs one joint count per column.

    Parameters
    ----------
    table : DiscreteTable
        The coded columns.
    """

    def __init__(self, table: DiscreteTable) -> None:
        self.table = table
        self._f = entropy_table(table.n_samples)
        self._bits = self._f.unit / max(table.n_samples, 1)
        # n H of each column, in the fixed-point units of the table: exact sums and differences.
        self._entropy = self._f.values[-1] - table.sums(self._f)

    @property
    def entropies(self) -> np.ndarray:
        """H of each column, in bits."""
        return self._entropy * self._bits

    def mutual_information(self, z: DiscreteVariable, columns: np.ndarray | None = None) -> np.ndarray:
        """I(column; z) in bits, for the given columns or all."""
        shared, _ = self._shared(z, columns)
        return shared * self._bits

    def symmetrical_uncertainty(self, z: DiscreteVariable, columns: np.ndarray | None = None) -> np.ndarray:
        """SU(column, z), for the given columns or all; zero where both are constant."""
        shared, total = self._shared(z, columns)
        return np.divide(2.0 * shared, total, out=np.zeros(len(shared)), where=total > 0)

    def conditional_mutual_information(
        self, y: DiscreteVariable, given: DiscreteVariable, columns: np.ndarray | None = None
    ) -> np.ndarray:
        """I(column; y | given) in bits, for the given columns or all."""
        f, both = self._f, joint_variable(given, y)
        # n I = H(y, given) - H(given) - H(column, y, given) + H(column, given), each n H = f(n) - sum of f.
        own = f.values[given.counts].sum() - f.values[both.counts].sum()
        joint = self.table.joint_sums(both, f, columns) - self.table.joint_sums(given, f, columns)
        return np.maximum(own + joint, 0) * self._bits

    def _shared(self, z, columns):
        """n I(column; z) and n (H(column) + H(z)), in fixed point."""
        whole, f = self._f.values[-1], self._f
        own = whole - f.values[z.counts].sum()
        each = self._entropy if columns is None else self._entropy[columns]
        joint = whole - self.table.joint_sums(z, f, columns)
        # Information is not negative; the rounding of f may make it so by a unit or two.
        return np.maximum(each + own - joint, 0), each + own


def entropy(x, *, base=2.0) -> float:
    """Entropy of a discrete variable, in bits unless another base of the logarithm is asked for.

    The plug-in estimate, from counts: biased downwards by about (values - 1) / (2 n ln 2).

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Integers, strings, Booleans or categories.
    base : float, default=2.0
        Base of the logarithm: 2 gives bits, ``math.e`` nats.

    Examples
    --------
    >>> from treatise.statistics import entropy
    >>> entropy(["a", "b", "a", "b"])
    1.0
    """
    return _joint_entropy(discrete_variable(x, "x")) * _bit_in(base)


def mutual_information(x, y, *, base=2.0) -> float:
    """Information that two discrete variables share: I = H(X) + H(Y) - H(X, Y), in bits unless told otherwise.

    The plug-in estimate, biased upwards: independent samples share about
    (values of x - 1)(values of y - 1) / (2 n ln 2) bits.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Integers, strings, Booleans or categories.
    base : float, default=2.0
        Base of the logarithm: 2 gives bits, ``math.e`` nats.

    Examples
    --------
    >>> from treatise.statistics import mutual_information
    >>> mutual_information([0, 0, 1, 1], ["u", "u", "v", "v"])
    1.0
    """
    table, z = _pair(x, y)
    return float(table.mutual_information(z)[0]) * _bit_in(base)


def conditional_mutual_information(x, y, given, *, base=2.0) -> float:
    """Information that x and y share once a third variable is known: I(X; Y | Z), in bits unless told otherwise.

    The plug-in estimate, H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z). Its bias grows with the number of values
    of ``given``: with few rows for each of them, it says more than is there.

    Parameters
    ----------
    x, y, given : array-like of shape (n_samples,)
        Integers, strings, Booleans or categories.
    base : float, default=2.0
        Base of the logarithm: 2 gives bits, ``math.e`` nats.

    Examples
    --------
    >>> from treatise.statistics import conditional_mutual_information, mutual_information
    >>> x, y, exclusive_or = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> mutual_information(x, y), conditional_mutual_information(x, y, exclusive_or)
    (0.0, 1.0)
    """
    check_consistent_length(x, y, given)
    a, b, z = discrete_variable(x, "x"), discrete_variable(y, "y"), discrete_variable(given, "given")
    shared = _joint_entropy(a, z) + _joint_entropy(b, z) - _joint_entropy(a, b, z) - _joint_entropy(z)
    return max(0.0, shared) * _bit_in(base)


def symmetrical_uncertainty(x, y) -> float:
    """Dependence of two discrete variables between 0 (independent) and 1 (each determines the other).

    SU = 2 I(X; Y) / (H(X) + H(Y)): mutual information, made comparable between variables of few and of
    many values. Zero where both are constant. For many columns at once use :func:`su_matrix`.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Integers, strings, Booleans or categories.

    Examples
    --------
    >>> from treatise.statistics import symmetrical_uncertainty
    >>> symmetrical_uncertainty(["a", "b", "a", "b"], [3, 7, 3, 7])
    1.0
    >>> symmetrical_uncertainty([0, 0, 1, 1], [0, 1, 0, 1])
    0.0

    References
    ----------
    .. [1] Paper v05-1205, Section 4.1.
    """
    table, z = _pair(x, y)
    return float(table.symmetrical_uncertainty(z)[0])


def su_matrix(X, Y=None) -> np.ndarray:
    """Symmetrical uncertainty of every column of X with every column of Y (of X itself by default).

    Costs one joint count per pair: n / 64 words for two binary columns, the stored rows of a sparse one,
    n rows otherwise. All pairs of p columns are p (p - 1) / 2 counts: for selection use
    :class:`treatise.selection.FCBF`, which does with far fewer.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_columns)
        Integers, strings, Booleans or categories.
    Y : array-like, sparse matrix or data frame of shape (n_samples, n_other), or None, default=None
        The other table.

    Returns
    -------
    uncertainty : ndarray of shape (n_columns, n_other)
        Values between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import su_matrix
    >>> X = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]])
    >>> su_matrix(X)
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """
    table = _table(X, "X")
    information = TableInformation(table)
    if Y is not None:
        other = _table(Y, "Y")
        if other.n_samples != table.n_samples:
            raise ValueError(f"X has {table.n_samples} rows but Y has {other.n_samples}; they must have as many")
        columns = (information.symmetrical_uncertainty(other.variable(j)) for j in range(other.n_columns))
        return np.column_stack(list(columns))
    out = np.empty((table.n_columns, table.n_columns))
    for j in range(table.n_columns):
        out[j:, j] = information.symmetrical_uncertainty(table.variable(j), np.arange(j, table.n_columns))
        out[j, j:] = out[j:, j]
    return out


def chao_shen_entropy(counts, *, base: float = math.e) -> float:
    """Entropy of a discrete variable from a sample that has not seen all of its values.

    The estimate of Chao and Shen: probabilities are shrunk by the coverage of the sample, one less the share of values
    seen once, and each term is divided by the chance that its value is seen at all. With every value seen often it is
    the entropy of the counts. Use it for small samples of many values; cost O(values).

    Parameters
    ----------
    counts : array-like of int of shape (n_values,)
        How often each value was seen; zeros are left out.
    base : float, default=e
        Unit: e for nats, 2 for bits.

    Returns
    -------
    entropy : float

    Examples
    --------
    >>> from treatise.statistics import chao_shen_entropy
    >>> round(chao_shen_entropy([4, 2, 1, 1]), 6)
    1.578373

    References
    ----------
    .. [1] A. Chao and T.-J. Shen, "Nonparametric estimation of Shannon's index of diversity when there are unseen
       species in sample", Environmental and Ecological Statistics 10:429-443, 2003. Where all values were seen once the
       coverage would be zero; one of them less is then counted as seen once.
    """
    counts = check_array(counts, ensure_2d=False, dtype=np.float64)
    if counts.ndim != 1 or (counts < 0).any() or (counts != np.rint(counts)).any() or not counts.sum():
        raise ValueError(f"counts must be whole numbers of values seen, not all zero; got {counts}")
    seen = counts[counts > 0].astype(np.int64)
    if len(seen) == 1:
        return 0.0
    return float(chao_shen(seen, int(seen.sum()))) * _bit_in(base) / _bit_in(math.e)


def discrete_variable(x, name: str) -> DiscreteVariable:
    """One variable given as a sequence of values; fractions are refused."""
    if hasattr(x, "to_frame"):
        x = x.to_frame()
    elif np.ndim(x) == 1:
        x = np.asarray(x).reshape(-1, 1)
    table = _table(x, name)
    if table.n_columns != 1:
        raise ValueError(f"{name} has {table.n_columns} columns; give one variable")
    return table.variable(0)


def _bit_in(base):
    """One bit in units of another base; exactly one for base 2."""
    if not base > 1:
        raise ValueError(f"base={base} is no base of a logarithm of information; it must exceed 1, as 2 or math.e do")
    return 1.0 if base == 2 else math.log(2.0) / math.log(base)


def _table(X, name):
    if is_frame(X):
        return encode(read_frame(X))
    return encode(read_array(check_array(X, accept_sparse="csc", dtype=None, input_name=name)))


def _pair(x, y):
    check_consistent_length(x, y)
    x, y = discrete_variable(x, "x"), discrete_variable(y, "y")
    return TableInformation(encode(read_array(x.codes.reshape(-1, 1)))), y


def _joint_entropy(*variables):
    joint = joint_variable(*variables)
    f = entropy_table(len(joint.codes))
    return float(f.values[-1] - f.values[joint.counts].sum()) * f.unit / len(joint.codes)
