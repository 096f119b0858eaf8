"""Descriptions of the same objects: what a metric over each of them sees."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from treatise.kernels import Kernel, check_gram, resolve_kernel


class Modality(BaseEstimator):
    """One description: kernel values against the training objects, given ones, or the columns themselves."""

    def __init__(self, kernel, training, n_columns):
        self.kernel = kernel
        self.training = training
        self.n_columns = n_columns

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
