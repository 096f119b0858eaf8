"""The Corral sets of Yu & Liu (JMLR 5:1205): a Boolean concept among irrelevant and redundant features."""

import numpy as np

BASE = ("A0", "A1", "B0", "B1")


def make_corral(kind: str = "corral") -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Features of the concept (A0 and A1) or (B0 and B1), with others that are irrelevant or redundant.

    The paper draws its sets at random; these are exact instead. The 16 settings of A0, A1, B0, B1 are
    each crossed with 16 steps t of a clock that every other feature is made from, so that the stated
    proportions hold to the row: independent features are independent in the counts too.

    Parameters
    ----------
    kind : {"corral", "corral-47", "corral-46"}, default="corral"
        Six features; 47 with 14 irrelevant ones (seven copies each of two) and, for each of the four, seven
        copies that differ from it in 0, 1/16, ..., 6/16 of the rows; or those without R.

    Returns
    -------
    X : ndarray of uint8, of shape (256, n_features)
        Zeros and ones.
    y : ndarray of shape (256,)
        The concept.
    names : list of str
        Names of the features; ``A0_3`` differs from ``A0`` in 3/16 of the rows.

    Examples
    --------
    >>> from treatise.datasets import make_corral
    >>> X, y, names = make_corral()
    >>> names, X.shape, int(y.sum())
    (['A0', 'A1', 'B0', 'B1', 'I', 'R'], (256, 6), 112)
    """
    if kind not in ("corral", "corral-47", "corral-46"):
        raise ValueError(f"kind={kind!r} is no Corral set; choose 'corral', 'corral-47' or 'corral-46'")
    setting, clock = np.divmod(np.arange(256), 16)
    base = {name: (setting >> (3 - bit)) & 1 for bit, name in enumerate(BASE)}
    y = (base["A0"] & base["A1"]) | (base["B0"] & base["B1"])
    agrees_in_three_of_four = {"R": y ^ (clock % 4 == 3)}
    low, second = clock & 1, (clock >> 1) & 1
    if kind == "corral":
        features = {**base, "I": low, **agrees_in_three_of_four}
    else:
        features = dict(base) if kind == "corral-46" else {**base, **agrees_in_three_of_four}
        features |= {f"I1_{copy}": low for copy in range(7)} | {f"I2_{copy}": second for copy in range(7)}
        for shift, name in enumerate(BASE):
            for level in range(7):
                features[f"{name}_{level}"] = base[name] ^ ((clock + 4 * shift) % 16 < level)
    return np.column_stack(list(features.values())).astype(np.uint8), y, list(features)
