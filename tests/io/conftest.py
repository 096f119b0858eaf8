"""Reading what a test has just written."""

import pytest

from treatise.io import read_table


@pytest.fixture
def read(tmp_path):
    """Write content to a file and read it as a table."""

    def write_and_read(content, name="data.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)

    return write_and_read
