"""The tables of the paper."""

import numpy as np
import pytest

from treatise.papers.bayesnet.v05_1177._tables import load_averaging_table


@pytest.mark.parametrize(
    ("name", "file", "shape", "n_classes"),
    [
        ("haberman", "haberman", (306, 3), 2),
        ("hayes-roth", "hayes-roth", (160, 4), 3),
        ("cmc", "contraceptive", (1473, 9), 3),
        ("credit-screening", "crx", (653, 15), 2),
        ("wine", "wine", (178, 13), 3),
        ("mushroom", "mushroom", (5644, 22), 2),
    ],
)
def test_files_have_their_rows_and_classes(real_data, name, file, shape, n_classes):
    real_data(f"keel/{file}.dat")
    X, y = load_averaging_table(name)
    assert X.shape == shape and y.shape == (shape[0],) and len(np.unique(y)) == n_classes
    assert X.dtype == (object if name in ("credit-screening", "mushroom") else float)


def test_an_unknown_table_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="'moons' is no table of this paper; there are haberman"):
        load_averaging_table("moons")
