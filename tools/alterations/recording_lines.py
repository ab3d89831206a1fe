"""A recording's files are read as lines, and written again with some of them altered."""

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from oneowner.checkers.recordings.read.manifest import read_manifest

Json = dict[str, Any]


@dataclass(frozen=True)
class Altered:
    """One file of a recording with one change."""

    file: str
    """Its name within the folder."""
    lines: tuple[str, ...]
    """All its lines."""
    traces: frozenset[str]
    """The altered ids, units, sessions, brokers, as printed for a reader. A report on none of them is no notice."""
    what: str
    """The change, in words."""


@dataclass(frozen=True)
class Recorded:
    """A folder of a recorded run."""

    folder: Path
    is_alone: bool = False
    """True if an altered copy has the altered file alone."""

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file, zipped or not."""
        path = self.folder / file
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode().removesuffix("\n").split("\n")

    def file(self, stem: str) -> str | None:
        """Return the file called *stem*.jsonl or *stem*.jsonl.gz."""
        names = (f"{stem}.jsonl", f"{stem}.jsonl.gz")
        return next((name for name in names if (self.folder / name).exists()), None)

    @cached_property
    def logs(self) -> list[str]:
        """The broker logs."""
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith("broker-"))

    @cached_property
    def has_channel(self) -> bool:
        """True if it has the records of the channel, as a dump or as nodes."""
        nodes = (line.get("path", "") for line in self.objects("zookeeper"))
        return self.file("channel") is not None or any(path.startswith("/service_unit_state/") for path in nodes)

    @cached_property
    def speakers(self) -> dict[str, str]:
        """Which broker's each log is, by the manifest."""
        return read_manifest([self.folder / "manifest.yaml"], []).logs

    def objects(self, stem: str) -> list[Json]:
        """Return the lines of such a file as objects; none where there is no such file."""
        file = self.file(stem)
        return [json.loads(line) for line in self.lines(file)] if file is not None else []

    @contextmanager
    def with_altered(self, altered: Altered) -> Iterator[Path]:
        """Give a folder that holds this recording with one file altered; all others, if any, are links."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            for path in () if self.is_alone else self.folder.iterdir():
                if path.name != altered.file:
                    (folder / path.name).symlink_to(path.resolve())
            text = "\n".join(altered.lines) + "\n"
            target = folder / altered.file
            if target.suffix == ".gz":
                with gzip.open(target, "wt", compresslevel=1) as stream:
                    stream.write(text)
            else:
                target.write_text(text)
            yield folder


def printed(objects: Sequence[Json]) -> tuple[str, ...]:
    """Return objects as lines of JSON."""
    return tuple(json.dumps(one, separators=(",", ":")) for one in objects)
