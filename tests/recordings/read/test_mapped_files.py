"""A file to be mapped is read as it was written, or not at all."""

import struct
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest

from oneowner.checkers.recordings.read import mapped_files
from oneowner.checkers.recordings.read.mapped_files import GrowingArray, mapped, read, write

VALUE: dict[str, Any] = {
    "name": "channel",
    "short": np.arange(3),
    "long": np.arange(10_000, dtype=np.int64),
    "rows": np.zeros(2_000, [("time", "i8"), ("event", "i4")]),
    "none": np.zeros(0, np.int8),
}


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    same = one.keys() == other.keys() and one["name"] == other["name"]
    return same and all(np.array_equal(one[name], other[name]) for name in one if name != "name")


def test_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(VALUE, tmp_path / "value")
    assert is_same(read(str(tmp_path / "value")), VALUE)
    assert is_same(mapped(VALUE), VALUE)


def test_long_array_is_pages_of_the_file_and_not_to_be_changed(tmp_path: Path) -> None:
    write(VALUE, tmp_path / "value")
    found = read(str(tmp_path / "value"))
    assert not found["long"].flags.owndata
    assert not found["long"].flags.writeable
    assert found["long"].ctypes.data % 64 == 0
    assert found["short"].flags.writeable


@pytest.mark.parametrize("least", [1, mapped_files.LEAST])
def test_file_that_is_not_whole_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    monkeypatch.setattr(mapped_files, "LEAST", least)
    write({"some": np.arange(100)}, tmp_path / "value")
    whole = (tmp_path / "value").read_bytes()
    for size in range(len(whole)):
        (tmp_path / "value").write_bytes(whole[:size])
        with pytest.raises((ValueError, EOFError, UnpicklingError, struct.error, IndexError, OverflowError)):
            read(str(tmp_path / "value"))


@pytest.mark.parametrize(("edge", "bytes_"), [(127, 1), (-129, 2), (2**31 - 1, 4), (-(2**31) - 1, 8), (2**62, 8)])
def test_array_that_grows_is_as_narrow_as_its_numbers(edge: int, bytes_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_files, "AT_ONCE", 24)
    array = GrowingArray()
    for part in ([5], [0, 1, 2, edge], [3] * 9):
        array.add(np.array(part, np.int64))
    found = array.mapped()
    assert found.tolist() == [5, 0, 1, 2, edge, *[3] * 9]
    assert found.itemsize == bytes_
    assert not found.flags.writeable
