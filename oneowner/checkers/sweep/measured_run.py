"""``measured`` follows a cluster through a trace of load with one shedder, and returns the columns of its row."""

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.simulation import conf as keys
from oneowner.checkers.simulation.run import LACKS, RELEASES, simulate
from oneowner.checkers.simulation.traces import GENERATORS, Sizes, Trace, generated, recorded
from oneowner.checkers.verdict import EngineError, Misuse

MEASURED: Final = "measured"
"""The verdict column of a row without laws, which is neither valid nor invalid."""


class Loads(NamedTuple):
    """The trace of a simulated run."""

    trace: str
    """The name of a generator, or a CSV file as it was named."""
    file: str = ""
    """The absolute path of the file: a worker runs in another folder."""
    digest: str = ""
    """A digest of the file, so that rows of another one are not reused."""

    @property
    def is_recorded(self) -> bool:
        return bool(self.file)

    def read(self, sizes: Sizes) -> Trace:
        """Return the trace; raise Misuse if the file is not the one that was asked about."""
        if not self.is_recorded:
            return generated(self.trace, sizes)
        if digest_of(Path(self.file)) != self.digest:
            raise Misuse(f"{self.trace}: it is another file by now, or on this machine")
        return recorded(Path(self.file), sizes)


def loads_of(trace: str) -> Loads:
    """Return the trace of a name; raise Misuse for an unknown name or an invalid file."""
    if trace in GENERATORS:
        return Loads(trace)
    path = Path(trace)
    if path.suffix != ".csv" and not path.exists():
        generated(trace, Sizes())  # which says what there is
    recorded(path, Sizes())
    return Loads(trace, str(path.absolute()), digest_of(path))


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; raise Misuse if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror or error}") from None


def measured(
    loads: Loads, shedder: str, release: str, conf: Mapping[str, str], sizes: Sizes, max_seconds: float | None
) -> dict[str, Any]:
    """Return the result of a run; raise Misuse for an impossible run, EngineError after too long."""
    release = judged_release(release, RELEASES[shedder], shedder, LACKS[shedder]).name
    keys.check(conf, RELEASES)
    end = None if max_seconds is None else time.monotonic() + max_seconds

    def look(cycle: int, leader: Any) -> None:
        if end is not None and time.monotonic() > end:
            raise EngineError(f"given up after cycle {cycle}: more than {max_seconds:g} seconds")

    try:
        run = simulate(loads.read(sizes), shedder, release, conf, sizes.seed, look)
    except ValueError as error:
        raise Misuse(str(error)) from None
    first, last = run.points[0], run.points[-1]
    return {
        "moves": run.moves,
        "bound": run.fewest,
        "returns": sum(point.returns for point in run.points),
        "last": run.rounds,
        "first_spread": first.spread,
        "spread": last.spread,
        "most": max(point.most for point in run.points),
    }
