"""Receivers of findings: a terminal, a file of JSON lines, and a command of the user."""

import json
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final

from oneowner.checkers.collect.admin import now
from oneowner.checkers.collect.channel_reader import cut_torn
from oneowner.checkers.recordings.live.channel_watch import LiveFinding
from oneowner.checkers.verdict import Misuse

STDOUT: Final = "-"
LASTS: Final = 10.0
"""The timeout of a command, in seconds; later findings wait for it."""
BEGIN: Final = b'{"id": '
"""The beginning of a line for a finding."""
TAIL: Final = 1 << 22
"""Bytes at the end of a file that are searched for a finding that may be there already."""


def as_json(found: LiveFinding) -> dict[str, Any]:
    """Return a finding as a line of JSON: that of an audit with its name, its cluster, and the time of the report."""
    return {"id": found.name, "cluster": found.cluster, "told": now(), **found.finding}


class Terminal:
    """A line or two a finding, as an audit prints it."""

    def __init__(self, show: Callable[[Mapping[str, Any]], None], with_cluster: bool) -> None:
        self._show, self._with_cluster = show, with_cluster
        self._lock = threading.Lock()

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        """Print it."""
        shown = found.finding
        if self._with_cluster:
            shown = {**shown, "at": {**shown["at"], "file": f"{found.cluster} {shown['at']['file']}"}}
        with self._lock:
            self._show(shown)


class JsonLines:
    """A file to which each finding is added once; ``-`` is standard output, which cannot be read back."""

    def __init__(self, path: str) -> None:
        """:raises Misuse: the file cannot be written."""
        is_asked = path != STDOUT and (not Path(path).exists() or Path(path).is_file())
        self._path = Path(path) if is_asked else None
        """None: a pipe or a device."""
        self._lock = threading.Lock()
        try:
            if self._path is not None and self._path.exists():
                with self._path.open("rb") as there:
                    if not BEGIN.startswith(there.read(len(BEGIN))):  # not ours: its torn end must stay
                        raise Misuse(f"--json-lines {path}: it holds no findings; name another file, or a new one")
                cut_torn(self._path)
            self._file: IO[str] = sys.stdout
            if path != STDOUT:
                self._file = Path(path).open("a", encoding="utf-8")  # noqa: SIM115  # as long as the watch
        except OSError as error:
            raise Misuse(f"--json-lines {path}: cannot be written: {error.strerror}") from None

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        """Write it, unless it is a repetition and is there already."""
        with self._lock:
            if not (is_again and self._has(found)):
                print(json.dumps(as_json(found)), file=self._file, flush=True)

    def _has(self, found: LiveFinding) -> bool:
        if self._path is None:
            return False
        with self._path.open("rb") as file:
            file.seek(max(0, self._path.stat().st_size - TAIL))
            lines = file.read().splitlines()[-100_000:]
        wanted = f'{{"id": {json.dumps(found.name)}, "cluster": {json.dumps(found.cluster)}, '.encode()
        return any(line.startswith(wanted) for line in lines)


class Command:
    """A program that is run for each finding, with the finding as JSON on its standard input; no shell is involved."""

    def __init__(self, command: str, complain: Callable[[str], None]) -> None:
        """:raises Misuse: there is no such program."""
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise Misuse(f"--on-finding refused: {command}: {str(error).lower()}") from None
        if not self._words or shutil.which(self._words[0]) is None:
            raise Misuse(f"--on-finding refused: {command}: no such program; name one, and its arguments")
        self._complain = complain
        self._lock = threading.Lock()

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        """Run it, and wait until it ends."""
        with self._lock:
            try:
                ended = subprocess.run(
                    self._words, input=json.dumps(as_json(found)).encode() + b"\n", stdout=subprocess.DEVNULL,
                    timeout=LASTS, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                self._complain(f"--on-finding: {' '.join(str(error).split())[:200]}")
                return
            if ended.returncode:
                self._complain(f"--on-finding: {self._words[0]} ended with {ended.returncode} for {found.name}")


class Least:
    """A sink that receives only findings of sufficient severity."""

    def __init__(self, severities: tuple[str, ...], sink: Any) -> None:
        self._severities, self._sink = severities, sink

    def tell(self, found: LiveFinding, is_again: bool) -> None:
        """Pass the finding on."""
        if found.finding["severity"] in self._severities:
            self._sink.tell(found, is_again)
