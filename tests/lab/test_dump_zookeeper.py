"""A transaction log of ZooKeeper, byte by byte, becomes lines."""

import struct
from pathlib import Path

import pytest

from oneowner.checkers.recordings.scripts.dump_zookeeper import dump

SESSION, TIME = 0x100, 1_795_000_000_000


def text(value: str) -> bytes:
    return struct.pack(">i", len(value)) + value.encode()


def number(value: int) -> bytes:
    return struct.pack(">i", value)


def created(path: str, data: str, is_ephemeral: bool) -> bytes:
    """The body of a ``CreateTxn``: path, data, one access rule, ephemeral, version of the parent's children."""
    rules = number(1) + number(31) + text("world") + text("anyone")
    return text(path) + text(data) + rules + bytes([is_ephemeral]) + number(7)


def transaction(zxid: int, kind: int, body: bytes) -> bytes:
    """One entry: checksum, length, header (session, cxid, zxid, time, type), body, the byte that ends it."""
    entry = struct.pack(">QiqqI", SESSION, 1, zxid, TIME, kind & 0xFFFFFFFF) + body
    return bytes(8) + number(len(entry)) + entry + b"B"


def log(folder: Path, *entries: bytes) -> str:
    path = folder / "log.1"
    path.write_bytes(b"ZKLG" + bytes(12) + b"".join(entries) + bytes(64))
    return str(path)


HEAD = {"time": TIME, "session": "0x100"}


def test_writes_of_a_log_come_with_what_the_model_needs(tmp_path: Path) -> None:
    path = log(
        tmp_path,
        transaction(1, -10, number(10_000)),
        transaction(2, 1, created("/namespace/t/n/0x0_0x1", "{}", is_ephemeral=True)),
        transaction(3, 1, created("/loadbalance", "", is_ephemeral=False)),
        transaction(4, 5, text("/namespace/t/n/0x0_0x1") + text("x") + number(3)),
        transaction(5, 2, text("/namespace/t/n/0x0_0x1")),
        transaction(6, -11, b""),
    )
    assert list(dump(path)) == [
        {"zxid": 1, **HEAD, "op": "createSession", "timeoutMs": 10_000},
        {"zxid": 2, **HEAD, "op": "create", "path": "/namespace/t/n/0x0_0x1", "data": "{}", "ephemeral": True},
        {"zxid": 3, **HEAD, "op": "create", "path": "/loadbalance", "data": "", "ephemeral": False},
        {"zxid": 4, **HEAD, "op": "setData", "path": "/namespace/t/n/0x0_0x1", "data": "x", "version": 3},
        {"zxid": 5, **HEAD, "op": "delete", "path": "/namespace/t/n/0x0_0x1"},
        {"zxid": 6, **HEAD, "op": "closeSession"},
    ]


def test_parts_of_a_transaction_that_failed_are_no_writes(tmp_path: Path) -> None:
    part = created("/a", "", is_ephemeral=True)
    whole = number(1) + number(1) + number(len(part)) + part
    failed = number(2) + number(1) + number(len(part)) + part + number(-1) + number(4) + number(-101)
    path = log(tmp_path, transaction(1, 14, whole), transaction(2, 14, failed))
    assert [(write["zxid"], write["path"], write["ephemeral"]) for write in dump(path)] == [(1, "/a", True)]


def test_a_log_that_is_torn_says_where(tmp_path: Path) -> None:
    path = log(tmp_path, transaction(1, -11, b""), transaction(2, 2, text("/a"))[:-1] + b"x")
    with pytest.raises(SystemExit, match=r"log\.1: torn at zxid 2"):
        list(dump(path))
