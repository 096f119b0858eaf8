"""The binary tables of the literature on densities."""

import pytest

from treatise.datasets import load_binary_density

# Rows to learn from, to tune on and to test on, columns, and share of ones (Table 1 of Lowd & Davis).
SHAPES = {"nltcs": (16181, 2157, 3236, 16, 0.332), "dna": (1600, 400, 1186, 180, 0.253)}


@pytest.mark.parametrize("name", SHAPES)
def test_parts_have_their_published_sizes_and_density(name, real_data):
    for part in ("train", "valid", "test"):
        real_data(f"density/{name}.{part}.data.gz")
    parts = load_binary_density(name)
    *rows, columns, density = SHAPES[name]
    assert [part.shape for part in parts] == [(n, columns) for n in rows]
    assert all(set(part.ravel().tolist()) == {0, 1} for part in parts)
    # Printed to three digits.
    assert sum(int(part.sum()) for part in parts) / sum(part.size for part in parts) == pytest.approx(density, abs=6e-4)


def test_an_unknown_table_is_refused():
    with pytest.raises(ValueError, match="'msnbc' is not among"):
        load_binary_density("msnbc")
