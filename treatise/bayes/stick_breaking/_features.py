"""Features of rows as the atoms take them: scaled numbers without constant columns, or counts of words."""

from typing import Any, NamedTuple

import numpy as np

from treatise.bayes.stick_breaking._atoms import Atoms, DiagonalAtoms, GaussianAtoms, MultinomialAtoms

_PRIOR_STRENGTH = 0.1
"""Rows that the prior mean counts for: little, so that a segment may lie anywhere."""
_OWN_SHARE = 0.05
"""Share of the columns' own variances in the prior covariance, which is then regular with fewer rows than columns."""


class FeatureScale(NamedTuple):
    """Which columns are used, and how they are brought to mean zero and variance one."""

    kept: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The columns used, scaled."""
        return (X[:, self.kept] - self.mean) / self.scale

    @property
    def log_volume(self) -> float:
        """What the log density of a scaled row is above that of the row itself."""
        return float(np.log(self.scale).sum())


def feature_scale(X: np.ndarray, emission: str) -> FeatureScale:
    """The scale of some rows; counts are left as they are, constant columns of numbers left out."""
    d = X.shape[1]
    if emission == "multinomial":
        return FeatureScale(np.arange(d), np.zeros(d), np.ones(d))
    mean, scale = X.mean(axis=0), X.std(axis=0)
    # What rounding leaves of a constant column is no variance.
    kept = np.flatnonzero(scale > 1e-12 * np.maximum(np.abs(mean), 1e-300))
    return FeatureScale(kept, mean[kept], scale[kept])


def prior_atoms(Y: np.ndarray, emission: str, codebooks: Any) -> Atoms:
    """Atoms whose prior is the covariance of all rows, or rare words of each codebook."""
    d = Y.shape[1]
    if emission == "multinomial":
        return MultinomialAtoms([d] if codebooks is None else codebooks)
    if emission == "diag":
        return DiagonalAtoms(np.zeros(d), np.full(d, 3.0), _PRIOR_STRENGTH, 3.0)
    covariance = Y.T @ Y / len(Y)
    covariance[~np.eye(d, dtype=bool)] *= 1.0 - _OWN_SHARE
    # With d + 2 degrees of freedom, the least that have a mean, the prior of a determinant is so wide in many columns
    # that each segment pays hundreds of nats for it, and distinct ones are better merged.
    return GaussianAtoms(np.zeros(d), d * covariance, _PRIOR_STRENGTH, 2.0 * d + 1.0)


def checked_counts(X: np.ndarray, codebooks: Any) -> None:
    """Refuse what are no counts of the words of the codebooks."""
    if X.min() < 0:
        raise ValueError(
            f"X holds {X.min():g}; emission='multinomial' needs counts, zero or more: Negative values in data"
        )
    if codebooks is None:
        return
    sizes = np.asarray(codebooks)
    whole = sizes.ndim == 1 and np.issubdtype(sizes.dtype, np.integer) and len(sizes) > 0 and sizes.min() >= 1
    if not whole or sizes.sum() != X.shape[1]:
        raise ValueError(
            f"codebooks={codebooks!r} must be whole numbers of words, one for each codebook, that add up to the "
            f"{X.shape[1]} columns of X"
        )


def restored_atoms(arrays: dict[str, np.ndarray], codebooks: Any) -> Atoms:
    """Atoms from the arrays of a fitted model."""
    if "alpha" in arrays:
        kind: Atoms = MultinomialAtoms([arrays["alpha"].shape[1]] if codebooks is None else codebooks)
    elif "root" in arrays:
        kind = GaussianAtoms.__new__(GaussianAtoms)
    else:
        kind = DiagonalAtoms.__new__(DiagonalAtoms)
    for name, values in arrays.items():
        setattr(kind, name, values)
    return kind
