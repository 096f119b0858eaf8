"""Compiled steps: called by compiled loops, and by Python."""

import os
import pickle
import subprocess
import sys
import tempfile

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache, UserProvidedCacheLocator

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _twice(x):
    """Two times x."""
    return x + x


@compiled
def _sum_of_doubles(values):
    total = 0.0
    for value in values:
        total += _twice(value)
    return total


def test_a_step_is_called_by_loops_and_by_python():
    assert _sum_of_doubles(np.arange(4.0)) == 12.0
    assert _twice(1.5) == 3.0


def test_a_variable_that_begins_with_a_constant_compiles_a_step_once():
    @compiled_step
    def doubled(x):
        return x + x

    @numba.njit  # not kept on disk: a loop loaded from there compiles nothing
    def power_of_two(n):
        power = 1
        for _ in range(n):
            power = doubled(power)
        return power

    assert power_of_two(5) == 32
    assert doubled._inner.signatures == [(numba.int64,)]


def test_a_step_keeps_its_name_and_its_documentation():
    assert (_twice.__name__, _twice.__doc__) == ("_twice", "Two times x.")
    assert _twice.py_func(2) == 4


LOOPS = """
import numpy as np
from treatise._core.jit import compiled
from {shapes} import Pair
from steps import step

@compiled
def total(pair):
    return below(pair.first) + step(pair.second)

@compiled
def below(x):
    return x
"""
STEPS = "from treatise._core.jit import compiled_step\n@compiled_step\ndef step(x):\n    return {factor} * x\n"
SHAPES = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    first: float\n    second: float\n"


def _total(folder, argument="loops.Pair(1.0, 2.0)"):
    """What the loop in a folder gives, in a process of its own, and whether it came from disk."""
    code = f"import loops; print(loops.total({argument}), sum(loops.total.stats.cache_hits.values()))"
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    # Python's own files would hide that a module was rewritten within the same second.
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    value, hits = done.stdout.split()
    return float(value), int(hits)


@pytest.fixture
def loops(tmp_path):
    (tmp_path / "steps.py").write_text(STEPS.format(factor="10.0"))
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "loops.py").write_text(LOOPS.format(shapes="shapes"))
    assert _total(tmp_path) == (21.0, 0)
    return tmp_path


def test_a_loop_comes_from_disk_unless_a_step_in_another_file_was_changed(loops):
    assert _total(loops) == (21.0, 1)
    (loops / "steps.py").write_text(STEPS.format(factor="100.0"))
    assert _total(loops) == (201.0, 0)


OF_OTHERS = """
from treatise._core.jit import compiled, compiled_step
from instructions import shifted
from constants import TABLE, UNIT

@compiled
def total(x):
    return scaled(shifted(x))

@compiled_step
def scaled(x):
    return UNIT * x + TABLE[1]
"""
INSTRUCTION = """
from numba.core import types
from numba.extending import intrinsic

@intrinsic
def shifted(typing, x):
    def generate(context, builder, signature, arguments):
        return builder.fadd(arguments[0], context.get_constant(types.float64, {shift}))

    return types.float64(types.float64), generate
"""
CONSTANTS = "import numpy as np\nUNIT = {unit}\nTABLE = np.array([0.0, {entry}])\n"


def test_a_loop_is_compiled_anew_where_an_instruction_or_a_constant_of_another_file_was_changed(tmp_path):
    (tmp_path / "loops.py").write_text(OF_OTHERS)
    parts = {"shift": 1.0, "unit": 10.0, "entry": 0.5}
    for change in ({}, {"shift": 2.0}, {"unit": 20.0}, {"entry": 0.7}):
        parts |= change
        (tmp_path / "instructions.py").write_text(INSTRUCTION.format(**parts))
        (tmp_path / "constants.py").write_text(CONSTANTS.format(**parts))
        expected = parts["unit"] * (3.0 + parts["shift"]) + parts["entry"]
        assert _total(tmp_path, 3.0) == (expected, 0)
        assert _total(tmp_path, 3.0) == (expected, 1)


def test_loops_of_another_version_whose_types_have_moved_are_compiled_anew(loops):
    before = (loops / "loops.py").stat()
    (loops / "shapes.py").rename(loops / "formes.py")
    (loops / "loops.py").write_text(LOOPS.format(shapes="formes"))
    os.utime(loops / "loops.py", (before.st_atime, before.st_mtime))
    assert _total(loops) == (21.0, 0)
    assert _total(loops) == (21.0, 1)


def test_damaged_files_are_compiled_anew(loops):
    for path in (loops / "__pycache__").glob("*.nb[ic]"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert _total(loops) == (21.0, 0)
    assert _total(loops) == (21.0, 1)


def test_an_index_that_can_neither_be_read_nor_replaced_costs_the_disk_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compiled(_twice.py_func)(2.0) == 4.0
    (index,) = tmp_path.rglob("*_twice*.nbi")
    moved = pickle.dumps(numba.__version__) + b"\x80\x04\x8c\x07nowhere\x8c\x04Pair\x93."
    index.write_bytes(moved)

    def refuse(self):
        raise PermissionError("read-only")

    monkeypatch.setattr(FunctionCache, "flush", refuse)
    again = compiled(_twice.py_func)
    assert again(2.0) == 4.0 and not again.stats.cache_hits
    assert index.read_bytes() == moved


def test_where_nothing_can_be_written_a_private_folder_serves_or_none(tmp_path, monkeypatch):
    monkeypatch.setattr(FunctionCache._impl_class, "_locator_classes", [UserProvidedCacheLocator])
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    loop = compiled(_twice.py_func)
    assert loop(2.0) == 4.0
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert list(folder.rglob("*.nbc"))
    assert numba.config.CACHE_DIR == ""
    folder.chmod(0o777)  # somebody else could have put something there
    assert compiled(_twice.py_func)(2.0) == 4.0
    assert compiled(_twice.py_func).stats.cache_path is None
