"""
Files that gzip, zstd or lz4 compressed are read as the text that they hold, a little at a time.

A file that is invalid, or ends too early, raises one of ``ERRORS`` where it is read; all text before that is still
returned. zstd and lz4 are in packages of their own, which are imported when such a file is opened. gzip is read by
ISA-L, if that is installed, at a third of zlib's cost.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase, BufferedReader, RawIOBase
from typing import BinaryIO, Protocol, cast

from oneowner.checkers.extras import missing, need

RATIOS = {".gz": 10, ".zst": 12, ".lz4": 6}
"""The assumed bytes of text per byte of a compressed file: fewer than most logs and dumps hold."""

ENDING = r"(?:\.(?:gz|zst|lz4))?"
"""The possible suffixes of a file's name, as part of a regular expression."""

_BUFFER = 256 * 1024
_LZ4_READ = 64 * 1024
_ZSTD_READ = 1024
"""Bytes of input at a time. A block of zstd, which three bytes can encode, is 128 KiB: so never more than 32 MiB."""

_EXTRAS = {".zst": "zstd", ".lz4": "lz4"}


class Broken(OSError):
    """A file that is not compressed as named, is damaged, or ends too early; the text gives the reason."""


ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, OSError)
"""The exceptions that reading a file may raise."""


class _Frame(Protocol):
    """A decompressor of one frame."""

    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes) -> bytes: ...


def ending_of(path: str) -> str:
    """
    Return the ending of a compressed file, empty for any other.

    >>> ending_of("b.log.1.zst"), ending_of("b.log")
    ('.zst', '')
    """
    return next((ending for ending in RATIOS if path.endswith(ending)), "")


def uncompressed(name: str) -> str:
    """
    Return the name that a file has without its compression.

    >>> uncompressed("channel.jsonl.lz4")
    'channel.jsonl'
    """
    return name.removesuffix(ending_of(name))


def check_installed(path: str) -> None:
    """Raise MissingPackage if the package for the file *path* is not installed."""
    if extra := _EXTRAS.get(ending_of(path)):
        need(extra, path)


def text_in(stream: BinaryIO, path: str) -> BufferedIOBase:
    """Return the text of the file *path*, whose bytes are in *stream*."""
    ending = ending_of(path)
    if ending == ".gz":
        return gzip.GzipFile(fileobj=stream, mode="rb") if missing("isal") else BufferedReader(_Gunzip(stream), _BUFFER)
    if ending == ".zst":
        return BufferedReader(_Frames(stream, _zstd_frame, _ZSTD_READ, "zstd"), _BUFFER)
    if ending == ".lz4":
        return BufferedReader(_Frames(stream, _lz4_frame, _LZ4_READ, "lz4"), _BUFFER)
    return cast(BufferedIOBase, stream)


def in_words(error: Exception) -> str:
    """Return the message of an error that was raised while a file was read."""
    if isinstance(error, EOFError):
        return "the gzip stream is cut short"
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, (gzip.BadGzipFile, zlib.error)):
        return f"broken gzip: {error}"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


class _Gunzip(RawIOBase):
    """
    The text of a gzip file, by ISA-L.

    If that finds damage, zlib reads the file once more, and its message is reported. All good data before a broken
    block is returned; zlib alone returns nothing of the data that it read together with that block.
    """

    def __init__(self, stream: BinaryIO) -> None:
        from isal.igzip import IGzipFile

        self._stream, self._begin = stream, stream.tell()
        self._text: BufferedIOBase = IGzipFile(fileobj=stream, mode="rb")
        self._is_quick, self._given = True, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            count = self._text.readinto1(buffer)
        except Exception:  # on any exception zlib is tried
            if not self._is_quick:
                raise
            self._is_quick = False
            self._stream.seek(self._begin)
            self._text = gzip.GzipFile(fileobj=self._stream, mode="rb")
            self._text.seek(self._given)
            count = self._text.readinto1(buffer)
        self._given += count
        return count


class _Frames(RawIOBase):
    """The text of consecutive frames."""

    def __init__(self, stream: BinaryIO, begin: Callable[[], _Frame], size: int, name: str) -> None:
        self._stream, self._begin, self._size, self._name = stream, begin, size, name
        self._texts = self._decompressed()
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            if (text := next(self._texts, None)) is None:
                return 0
            self._rest = memoryview(text)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def _decompressed(self) -> Iterator[bytes]:
        frame: _Frame | None = None
        packed = b""
        while packed or (packed := self._stream.read(self._size)):
            frame = frame or self._begin()
            try:
                text = frame.decompress(packed)
            except (RuntimeError, ValueError, MemoryError, _zstd_error()) as error:
                raise Broken(f"broken {self._name}: {error}") from None
            packed = b""
            if frame.eof:
                packed, frame = frame.unused_data or b"", None
            if text:
                yield text
        if frame is not None:
            raise Broken(f"the {self._name} stream is cut short")


def _zstd_frame() -> _Frame:
    import zstandard

    return cast(_Frame, zstandard.ZstdDecompressor().decompressobj())


def _zstd_error() -> type[Exception]:
    try:
        import zstandard
    except ImportError:
        return RuntimeError
    return zstandard.ZstdError


def _lz4_frame() -> _Frame:
    import lz4.frame

    return cast(_Frame, lz4.frame.LZ4FrameDecompressor())
