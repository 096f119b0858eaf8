"""Which effects vary among which groups, as arrays or a formula say."""

from numbers import Integral

import numpy as np

from treatise.bayes.glmm._layout import RandomEffect, group_labels


def array_effects(X, names, groups, slopes, correlated):
    """Random effects of arrays: an intercept for every factor, and the slopes asked for.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Columns.
    names : list of str
        Their names.
    groups : list of ndarray of shape (n_rows,)
        Labels, one array for each factor.
    slopes : list or None
        Columns by number or name, or such a list for each factor.
    correlated : bool
        Whether the effects of a group are correlated.

    Returns
    -------
    effects : list of RandomEffect
    """
    factors = ["groups"] if len(groups) == 1 else [f"groups[{k}]" for k in range(len(groups))]
    found = []
    for factor, labels, chosen in zip(factors, groups, _slopes_of_factors(slopes, len(groups))):
        places = [_place(slope, names) for slope in chosen]
        columns = np.column_stack([np.ones(len(X)), X[:, places]])
        found.append(RandomEffect(factor, labels, columns, ["(Intercept)", *(names[j] for j in places)], correlated))
    return found


def labels_for(groups, n_rows, levels):
    """Labels of rows to predict, as at the fit; rows without groups get labels that no level has."""
    if groups is None:
        return [unseen_label(known, n_rows) for known in levels]
    factors = group_labels(groups, n_rows)
    if len(factors) != len(levels):
        raise ValueError(f"groups have {len(factors)} columns where the fit had {len(levels)}")
    return factors


def unseen_label(levels, n):
    """A label that none of the sorted levels has, of the same kind, for n rows."""
    last = levels[-1]
    return np.full(n, str(last) + "+" if levels.dtype.kind in "US" else last + 1)


def formula_parts(parsed, columns, n, levels=None):
    """What a formula asks for: fixed columns, their names, random effects and the offset.

    Parameters
    ----------
    parsed : ModelFormula
        The formula.
    columns : FormulaColumns
        The table.
    n : int
        Its rows.
    levels : dict or None
        Levels of the fit, when predicting; then a table without a factor's column has new groups.

    Returns
    -------
    X : ndarray of shape (n, n_columns)
    names : list of str
    effects : list of RandomEffect
    offset : ndarray of shape (n,) or None
    """
    names, X = columns.matrix(parsed.terms, intercept=parsed.intercept)
    X = X if parsed.terms else np.empty((n, 0))
    effects = []
    for part in parsed.random:
        titles, values = columns.matrix(part.terms, intercept=part.intercept)
        values = values if part.terms else np.empty((n, 0))
        if part.intercept:
            titles, values = ["(Intercept)", *titles], np.column_stack([np.ones(n), values])
        factor = ":".join(part.group)
        if levels is not None and not all(columns.has(variable) for variable in part.group):
            labels = unseen_label(levels[factor], n)
        else:
            labels = columns.labels(part.group)
        effects.append(RandomEffect(factor, labels, values, titles, part.correlated))
    offset = sum((columns.numbers(name) for name in parsed.offsets), np.zeros(n)) if parsed.offsets else None
    return X, names, effects, offset


def _slopes_of_factors(slopes, n_factors):
    slopes = list(slopes or [])
    if slopes and all(isinstance(part, (list, tuple)) for part in slopes):
        if len(slopes) != n_factors:
            raise ValueError(f"slopes has {len(slopes)} lists for {n_factors} grouping factors; give one for each")
        return slopes
    return [slopes, *([[]] * (n_factors - 1))]


def _place(slope, names):
    if isinstance(slope, str):
        if slope not in names:
            raise ValueError(f"slopes name {slope!r}, which is no column of X: {', '.join(names)}")
        return names.index(slope)
    if not (isinstance(slope, Integral) and 0 <= slope < len(names)):
        raise ValueError(f"slopes name column {slope}; X has {len(names)}, numbered from 0")
    return int(slope)
