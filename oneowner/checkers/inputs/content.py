"""The content of a file, or of standard input, which is named ``-``."""

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import Final

from oneowner.checkers.verdict import Misuse

DASH: Final = "-"
STREAMS: Final = (DASH, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def is_pasted(path: Path | str) -> bool:
    """Return whether a path is a name of standard input."""
    return str(path) in STREAMS


def content_of(path: Path, most: int, words: str) -> bytes:
    """Return a whole file, unpacked; raise Misuse if it cannot be read, or has more than *most* bytes: no *words*."""
    if is_pasted(path):
        data = pasted()
    else:
        try:
            if not path.is_file():
                raise Misuse(
                    f"{path}: cannot be read: {'it is a folder' if path.is_dir() else 'there is no such file'}"
                )
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
                data = stream.read(most + 1)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise Misuse(f"{path}: cannot be read: {reason(error)}") from None
    if len(data) > most:
        raise Misuse(f"{path}: no {words}: it has more than {most >> 20} MiB")
    return data


def reason(error: Exception) -> str:
    """Return the reason that a file cannot be read."""
    if isinstance(error, gzip.BadGzipFile | zlib.error):
        return "it is no whole gzip file"
    if isinstance(error, EOFError):
        return "its end is lost"
    return getattr(error, "strerror", None) or "its name is no path"


def pasted() -> bytes:
    """Return the whole of standard input, which a later reader finds again."""
    data = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    return data
