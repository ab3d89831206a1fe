"""
Files of a run lie in folders, or where a cluster keeps them: in S3, Google's or Azure's stores, or HDFS.

A place away is named by its URI. Arrow's file systems open it, in this process and on Spark's workers alike; they find
credentials, region and server in the environment, as other programs do. Arrow is imported when such a place is named.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from functools import cache, total_ordering
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from oneowner.checkers.extras import need
from oneowner.checkers.verdict import Misuse

_URI = re.compile(r"(s3a|s3n|s3|gs|gcs|hdfs|viewfs|abfs|abfss)://")
_AS_ARROW = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Hadoop's names of a scheme, and Google's, by that of Arrow."""
_BUFFER = 4 * 1024 * 1024
"""Bytes that are asked for at once: each time costs a request."""


def is_away(path: str) -> bool:
    """
    Return whether a path is the URI of a place that is not in this machine's file system.

    >>> is_away("s3a://bucket/run"), is_away("run/s3.log")
    (True, False)
    """
    return _URI.match(path) is not None


def place_of(text: str) -> Path:
    """Return the place that *text* names: a path, or what is asked as one."""
    return cast(Path, Away(text)) if is_away(text) else Path(text)


def size_of(path: str) -> int:
    """Return the size of a file in bytes."""
    return place_of(path).stat().st_size


def absolute(path: str) -> str:
    """Return the name of a file that does not depend on where a process was started."""
    return path if is_away(path) else os.path.abspath(path)


def bytes_in(path: str) -> BinaryIO:
    """Open a file to read its bytes, from wherever is sought."""
    return cast(Away, place_of(path)).open("rb")


def check_reachable(text: str) -> None:
    """Raise MissingPackage if *text* is a URI, and the package is not installed that opens it; Misuse if none can."""
    if is_away(text):
        need("remote", text)
        if "?" in text or "#" in text:
            raise Misuse(f"{text}: a place has no options; a server is named by AWS_ENDPOINT_URL, for one")
        try:
            _system(text)
        except (OSError, ValueError) as error:
            raise Misuse(f"{text}: {_first_line(error)}") from None


def put(file: Path, uri: str) -> None:
    """Copy a file to a remote place: all of it or nothing, as stores show only whole files. Failure is OSError."""
    system, path = _system(uri)
    with file.open("rb") as source, system.open_output_stream(path, compression=None) as target:
        shutil.copyfileobj(source, target, _BUFFER)


def reason(error: OSError) -> str:
    return error.strerror or _first_line(error)


class _Status:
    """The properties of an existing place."""

    def __init__(self, size: int) -> None:
        self.st_size = size


@total_ordering
class Away:
    """A remote place, with the methods of ``Path`` that are needed; failures raise OSError."""

    def __init__(self, uri: str) -> None:
        self._path = uri.rstrip("/")
        self.name = self._path.rpartition("/")[2]

    def __str__(self) -> str:
        return self._path

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __lt__(self, other: object) -> bool:
        return str(self) < str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __truediv__(self, name: str) -> Away:
        return Away(f"{self._path}/{name}")

    @property
    def parent(self) -> Away:
        return Away(self._path.rpartition("/")[0])

    def resolve(self) -> Away:
        return self

    def is_symlink(self) -> bool:
        return False

    def stat(self) -> _Status:
        info = self._info()
        if not (info.is_file or info.type.name == "Directory"):
            raise FileNotFoundError(2, "No such file or directory")
        return _Status(info.size or 0)

    def is_file(self) -> bool:
        return bool(self._info().is_file)

    def is_dir(self) -> bool:
        return bool(self._info().type.name == "Directory")

    def iterdir(self) -> Iterator[Away]:
        from pyarrow.fs import FileSelector

        system, path = _system(str(self))
        for info in system.get_file_info(FileSelector(path)):
            yield Away(f"{self._path}/{info.base_name}")

    def open(self, mode: str = "rb", **_: Any) -> BinaryIO:
        system, path = _system(str(self))
        return cast(BinaryIO, BufferedReader(system.open_input_file(path), _BUFFER))

    def read_bytes(self) -> bytes:
        with self.open() as stream:
            return stream.read()

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def _info(self) -> Any:
        system, path = _system(str(self))
        return system.get_file_info(path)


def _system(uri: str) -> tuple[Any, str]:
    """Return the file system of a URI, and the path in it."""
    scheme, _, path = uri.partition("://")
    store, _, rest = path.partition("/")
    system = _connected(_AS_ARROW.get(scheme, scheme), store)
    return system, f"/{rest}" if scheme in ("hdfs", "viewfs") else f"{store.rpartition('@')[2]}/{rest}".rstrip("/")


@cache  # a connection is made once
def _connected(scheme: str, store: str) -> Any:
    from pyarrow.fs import FileSystem

    return FileSystem.from_uri(f"{scheme}://{store}/")[0]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
