"""The quantities as functions: samples and the name of a method in, a number out."""

import math

import numpy as np

from treatise.information import associations, bag_kernels, dependence, divergences, entropies
from treatise.information._estimator import Estimator, information_of, named
from treatise.information._parameters import member_of
from treatise.information.dependence.neighbours import conditional_ksg_information

MODULES = (entropies, dependence, divergences, associations, bag_kernels)


def entropy(X, method="shannon_knn", *, base=math.e, **parameters) -> float:
    """Entropy of the law that the rows of X come from.

    Of continuous rows by default; ``method="counts"`` is for discrete ones, as :func:`treatise.statistics.entropy` is,
    which speaks bits. Use the default up to a dozen columns. In more, or with few rows, neighbour estimates are far
    off: fit a Gaussian (``"shannon_gaussian"``) or reduce the columns first. :func:`list_estimators` has them all.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        The sample.
    method : str or estimator, default="shannon_knn"
        A name from ``list_estimators("entropy")`` such as "renyi_knn", "tsallis_knn", "sharma_mittal_knn",
        "shannon_spacing", "phi_spacing" or "complex", or an estimator from :mod:`treatise.information.entropies`.
    base : float, default=e
        Base of the logarithm: e gives nats, 2 bits. Only for entropies that are logarithms.
    **parameters
        Parameters of the method, such as ``k`` or ``alpha``.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import entropy
    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> round(entropy(X), 2)  # in the limit log(2 pi e) = 2.84
    2.82
    >>> round(entropy(X, "renyi_knn", alpha=0.8, base=2), 2)  # 4.26 bits
    4.23

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Entropy".
    """
    estimator = named("entropy", method, parameters)
    return estimator.estimate(X) * _unit(estimator, base)


def mutual_information(X, Y=None, method="shannon_ksg", *, dims=None, base=math.e, **parameters) -> float:
    """How much groups of columns depend on one another.

    Mutual information in the wide sense of the paper: Shannon's and its relatives, kernel measures, distance covariance
    and correlation, and distances of copulas. Use the default for an amount of information, "distance_correlation" for
    a number between 0 and 1, "hsic" for many columns; and :func:`independence_test` for a verdict.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        One group of columns, or all of them where Y is None.
    Y : array-like of shape (n_samples, n_other) or (n_samples,) or None, default=None
        The other group.
    method : str or estimator, default="shannon_ksg"
        A name from ``list_estimators("mutual_information")`` or an estimator from
        :mod:`treatise.information.dependence`; "counts" is for discrete columns.
    dims : list of int or None, default=None
        Without Y: widths of the groups of columns of X; None makes each column a group.
    base : float, default=e
        Base of the logarithm, for methods that are logarithms.
    **parameters
        Parameters of the method, such as ``k`` or ``kernel``.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import mutual_information
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=3000)
    >>> y = 0.6 * x + 0.8 * rng.normal(size=3000)
    >>> round(mutual_information(x, y), 2)  # in the limit -log(1 - 0.36) / 2 = 0.22
    0.23
    >>> round(mutual_information(x, y, "distance_correlation"), 2)
    0.55

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Mutual information".
    """
    estimator = named("mutual_information", method, parameters)
    return estimator.estimate(X, Y, dims=dims) * _unit(estimator, base)


def divergence(X, Y, method="kl_knn", *, base=math.e, **parameters) -> float:
    """How far the law of the rows of X is from that of the rows of Y.

    Use the default for the Kullback-Leibler divergence, "mmd" or "energy" for samples in many columns or with ties, and
    :func:`two_sample_test` for a verdict. Neighbour estimates of close samples scatter about zero and may be negative.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_other, n_features)
        The samples.
    method : str or estimator, default="kl_knn"
        A name from ``list_estimators("divergence")`` such as "renyi_knn", "hellinger_knn", "mmd", "energy" or
        "jensen_shannon", or an estimator from :mod:`treatise.information.divergences`.
    base : float, default=e
        Base of the logarithm, for divergences that are logarithms.
    **parameters
        Parameters of the method, such as ``k``, ``alpha`` or ``kernel``.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import divergence
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(4000, 2)), rng.normal(size=(4000, 2)) + [1.0, 0.0]
    >>> round(divergence(X, Y), 2)  # in the limit 0.5
    0.53

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Divergence".
    """
    estimator = named("divergence", method, parameters)
    return estimator.estimate(X, Y) * _unit(estimator, base)


def association(X, Y=None, method="spearman", **parameters) -> float:
    """How strongly single columns go together, with a sign where the method has one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns)
        The columns; of all together.
    Y : array-like of shape (n_samples,) or (n_samples, n_other) or None, default=None
        More columns.
    method : str or estimator, default="spearman"
        A name from ``list_estimators("association")`` such as "blomqvist", "lower_tail_dependence" or
        "correntropy_coefficient", or an estimator from :mod:`treatise.information.associations`.
    **parameters
        Parameters of the method, such as ``scale`` or ``p``.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import association
    >>> x = np.arange(50.0)
    >>> round(association(np.column_stack([x, x**3, np.exp(x / 9)])), 3)
    1.0

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Association measure".
    """
    return named("association", method, parameters).estimate(X, Y)


def cross_entropy(X, Y, method="shannon_knn", *, base=math.e, **parameters) -> float:
    """Cross-entropy of the law of X relative to that of Y: mean length of a code made for Y on rows of X.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_other, n_features)
        The samples.
    method : str or estimator, default="shannon_knn"
        The estimator.
    base : float, default=e
        Base of the logarithm.
    **parameters
        Parameters of the method, such as ``k``.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import cross_entropy
    >>> rng = np.random.default_rng(0)
    >>> round(cross_entropy(rng.normal(size=4000), 1 + rng.normal(size=4000)), 2)  # in the limit 1.92
    1.93

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Cross quantity".
    """
    estimator = named("cross_entropy", method, parameters)
    return estimator.estimate(X, Y) * _unit(estimator, base)


def distribution_kernel(X, Y, method="expected", **parameters) -> float:
    """A kernel between the laws of the rows of X and of Y.

    For the Gram matrix of many samples, and kernel machines on them, use :class:`BagKernel`.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features) and (n_other, n_features)
        The samples.
    method : str or estimator, default="expected"
        A name from ``list_estimators("distribution_kernel")`` such as "bhattacharyya_knn" or "jensen_shannon".
    **parameters
        Parameters of the method.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import distribution_kernel
    >>> rng = np.random.default_rng(0)
    >>> round(distribution_kernel(rng.normal(size=2000), rng.normal(size=2000), "bhattacharyya_knn"), 1)
    1.0

    References
    ----------
    .. [1] Paper v15-0283, Section 2, "Distribution kernel".
    """
    return named("distribution_kernel", method, parameters).estimate(X, Y)


def conditional_entropy(X, given, method="shannon_knn", *, base=math.e, **parameters) -> float:
    """Entropy that is left of X once other columns are known: ``H(X, given) - H(given)``.

    Parameters
    ----------
    X, given : array-like of shape (n_samples, n_features) and (n_samples, n_other)
        The columns in question and those known, of the same rows.
    method : str or estimator, default="shannon_knn"
        An estimator of Shannon's entropy; "counts" for discrete columns.
    base : float, default=e
        Base of the logarithm.
    **parameters
        Parameters of the method.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import conditional_entropy
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=4000)
    >>> round(conditional_entropy(z + rng.normal(size=4000), z), 1)  # in the limit 1.42
    1.4
    """
    estimator = named("entropy", method, parameters)
    X, Z = _columns(X), _columns(given)
    _same_length(X=X, given=Z)
    return (estimator.estimate(np.hstack([X, Z])) - estimator.estimate(Z)) * _unit(estimator, base)


def conditional_mutual_information(X, Y, given, method="ksg", *, k=3, base=math.e) -> float:
    """Information that X and Y share once other columns are known.

    Near zero if X and Y are independent given the rest: the edge of a graph of direct dependence. Every column of
    ``given`` costs accuracy; with more than a few, values shrink towards zero.

    Parameters
    ----------
    X, Y, given : array-like of shape (n_samples, n_features)
        Groups of columns of the same rows.
    method : {"ksg", "counts"}, str or estimator of entropy, default="ksg"
        "ksg" counts neighbours in all groups at the distance found in the joint one; an estimator of entropy sums
        ``H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z)``, "counts" that of discrete columns.
    k : int, default=3
        Number of neighbours, for "ksg".
    base : float, default=e
        Base of the logarithm.

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import conditional_mutual_information, mutual_information
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=3000)
    >>> x, y = z + rng.normal(size=3000), z + rng.normal(size=3000)
    >>> round(mutual_information(x, y), 1), abs(round(conditional_mutual_information(x, y, z), 1))
    (0.1, 0.0)
    """
    X, Y, Z = _columns(X), _columns(Y), _columns(given)
    _same_length(X=X, Y=Y, given=Z)
    if isinstance(method, str) and method == "ksg":
        checked = dependence.KSGMutualInformation(k)
        checked._checked()
        value = conditional_ksg_information(
            checked._prepare(X), checked._prepare(Y, "Y"), checked._prepare(Z, "given"), k
        )
        return value / math.log(base)
    H = member_of("entropy", method, "").estimate
    value = H(np.hstack([X, Z])) + H(np.hstack([Y, Z])) - H(np.hstack([X, Y, Z])) - H(Z)
    return value / math.log(base)


def make_estimator(quantity, method, **parameters) -> Estimator:
    """The object behind a name: what a function's ``method`` stands for, with its parameters.

    Parameters
    ----------
    quantity : str
        "entropy", "mutual_information", "divergence", "association", "cross_entropy" or "distribution_kernel".
    method : str
        A name from ``list_estimators(quantity)``.
    **parameters
        Parameters of the method.

    Returns
    -------
    estimator : Estimator
        Its ``estimate`` takes samples; ``get_params`` and ``set_params`` are scikit-learn's. Any may be the
        ``member`` of one that is composed.

    Examples
    --------
    >>> from treatise.information import make_estimator
    >>> renyi = make_estimator("entropy", "renyi_tree", alpha=0.8)
    >>> make_estimator("divergence", "jensen_renyi", alpha=0.8, member=renyi)
    JensenRenyiDivergence(alpha=0.8, member=SpanningTreeRenyiEntropy(alpha=0.8))
    """
    return named(quantity, method, parameters)


def _unit(estimator, base):
    if base == math.e:
        return 1.0
    if not base > 1:
        raise ValueError(f"base={base} is no base of a logarithm of information; it must exceed 1, as 2 or e do")
    if information_of(estimator).unit != "nats" and not getattr(estimator, "member", None):
        raise ValueError(f"{type(estimator).__name__} is no logarithm; a base of {base:g} has no meaning for it")
    return 1.0 / math.log(base)


def _columns(X):
    X = np.asarray(X)
    return X.reshape(-1, 1) if X.ndim == 1 else X


def _same_length(**groups):
    lengths = {name: len(group) for name, group in groups.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"groups of columns must have as many rows; they have {lengths}")
