"""
Dump every write that ZooKeeper carried out, from its transaction logs, one JSON object a line.

``python dump_zookeeper.py DATADIR/version-2/log.* > zookeeper.jsonl``

It needs Python and nothing else. Run it on any member of the ensemble, below ``dataLogDir`` or ``dataDir``. ZooKeeper
purges old logs, so copy them soon.
"""

import io
import json
import struct
import sys
from collections.abc import Iterator
from typing import Any

MULTI, ERROR = 14, -1
WRITES = {1: "create path data", 2: "delete path", 5: "setData path data version", 15: "create path data"}
WRITES |= {
    19: "createContainer path data",
    20: "deleteContainer path",
    -10: "createSession timeoutMs",
    -11: "closeSession",
}


def number(body: io.BytesIO) -> int:
    """Return the next 32-bit integer."""
    value: int = struct.unpack(">i", body.read(4))[0]
    return value


def text(body: io.BytesIO) -> str:
    """Return the next string; of one that is null, none."""
    return body.read(max(0, number(body))).decode(errors="replace")


READ = {"version": number, "timeoutMs": number}


def writes(kind: int, body: io.BytesIO) -> Iterator[dict[str, Any]]:
    """Yield the writes of a transaction of this *kind*."""
    if kind == MULTI:  # all or nothing: if one part failed, the log still names the others
        parts = [(number(body), body.read(number(body))) for _ in range(number(body))]
        if all(part != ERROR for part, _ in parts):
            for part, content in parts:
                yield from writes(part, io.BytesIO(content))
    elif kind in WRITES:
        op, *fields = WRITES[kind].split()
        write = {"op": op} | {field: READ.get(field, text)(body) for field in fields}
        if op == "create":
            for _ in range(number(body)):  # the permissions: rights, scheme, name
                number(body), text(body), text(body)
            write["ephemeral"] = body.read(1) == b"\1"
        yield write


def dump(path: str) -> Iterator[dict[str, Any]]:
    """Yield the writes in one transaction log, in the order of its transactions."""
    with open(path, "rb") as file:
        log = io.BytesIO(file.read()[16:])
    while log.read(8) and (size := number(log)):  # a checksum goes first; zeros fill the file up
        body = io.BytesIO(log.read(size))
        session, zxid, time, kind = struct.unpack(">Q4xqqi", body.read(32))
        if log.read(1) != b"B":
            sys.exit(f"{path}: torn at zxid {zxid}")
        for write in writes(kind, body):
            yield {"zxid": zxid, "time": time, "session": hex(session)} | write


if __name__ == "__main__":
    for name in sorted(sys.argv[1:], key=lambda name: int(name.rpartition(".")[2], 16)):
        for line in dump(name):
            print(json.dumps(line))
