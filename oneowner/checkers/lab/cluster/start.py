"""Starts a named cluster: a keeper is started, and stays once all of the cluster answers."""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.lab.cluster import keeper
from oneowner.checkers.lab.cluster.named import Named, file_of, forget, named, read
from oneowner.checkers.memory import free_memory
from oneowner.checkers.verdict import EngineError, Misuse

FAST: Final[Mapping[str, object]] = {
    "metadataStoreSessionTimeoutMillis": 10_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 5,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 5_000,
    "loadBalancerReportUpdateMaxIntervalMinutes": 1,
    "namespaceBundleUnloadingTimeoutMs": 10_000,
}
"""Short timers. A session of 10 s is the least that is stable where all processes share a machine."""
MB_OF_BROKER, MB_OF_REST = 800, 700
"""Memory that a broker takes, and ZooKeeper and a bookie together, with some room."""
HELD: Final[list[subprocess.Popen[str]]] = []
"""Keepers that end with this process: their input ends with it."""
ENDED: Final = "its keeper has ended"
COMMAND: Final = (sys.executable, "-m", keeper.__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The description of a cluster."""

    home: Path
    """The folder of all clusters."""
    name: str
    pulsar: Path
    """The folder of a release."""
    release: str
    brokers: int = 3
    storage: str = "system-topic"
    load_manager: str = "extensible"
    settings: Mapping[str, object] = field(default_factory=dict)
    """Of every broker, over those of the storage and the load manager."""
    gates: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the gates for `Cluster`."""
    ports: Sequence[int] = ()
    """The port of each broker's gates."""

    def line(self, seconds: float) -> str:
        """Return it in the keeper's form, with the timeout for each part to be ready."""
        data = {
            **asdict(self),
            "seconds": seconds,
            "home": str(self.home.resolve()),
            "pulsar": str(self.pulsar.resolve()),
        }
        return json.dumps(data) + "\n"


def check(wanted: Wanted) -> None:
    """Raise Misuse if a cluster of that name exists, or memory is short; remove the remains of a dead keeper."""
    path = file_of(wanted.home, wanted.name)
    there = read(path)
    if there is not None and (there.kept or there.running()):
        raise Misuse(f"lab: cluster {wanted.name} exists; end it by: oneowner lab down --name {wanted.name}")
    if path.exists() or (wanted.home / wanted.name).exists():
        forget(wanted.home, wanted.name)
    need, free = wanted.brokers * MB_OF_BROKER + MB_OF_REST, free_memory()
    if free is not None and free >> 20 < need:
        raise Misuse(f"lab: {wanted.brokers} brokers need {need} MB of memory, and {free >> 20} MB are free; try fewer")


def start(
    wanted: Wanted,
    told: Callable[[str], None],
    seconds: float = 300,
    command: Sequence[str] = COMMAND,
    stays: bool = True,
) -> Named:
    """
    Start a cluster and return its record; if anything fails, nothing is left running.

    :param stays: if true, it outlives this process; otherwise it ends with this process, even on a crash.
    :param seconds: the timeout.
    :raises Misuse: see `check`.
    :raises EngineError: it does not start, or not in time.
    """
    check(wanted)
    # Its stderr is not ours: a reader of ours until its end would wait for the end of the cluster.
    errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed below
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1,
        start_new_session=True,
    )  # fmt: skip
    late = threading.Timer(seconds, process.terminate)
    is_up = False
    try:
        late.start()
        _say(process, wanted.line(seconds))
        failed = _follow(process, told)
        if failed == ENDED:
            process.wait()
            errors.seek(0)
            failed = ": ".join([ENDED, *errors.read().splitlines()[-1:]])
        if failed:
            in_time = f"it is not up after {seconds:.0f} s; a busy machine needs more: --wait {2 * seconds:.0f}"
            raise EngineError(
                f"lab: cluster {wanted.name} does not come up: {in_time if late.finished.is_set() else failed}"
            )
        found = named(wanted.home, wanted.name)
        is_up = True
        if stays:
            _say(process, keeper.KEEP)
        return found
    finally:  # without the word ``keep`` the end of its input ends the keeper
        late.cancel()
        errors.close()
        with suppress(BrokenPipeError):
            if not is_up:
                process.communicate()
            elif stays:
                _let_go(process)
            else:
                HELD.append(process)


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # its output shows its end
        process.stdin.write(line)
        process.stdin.flush()


def _let_go(process: subprocess.Popen[str]) -> None:
    """Close both ends: the keeper lives on by itself."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    process.returncode = 0  # it is not waited for


def _follow(process: subprocess.Popen[str], told: Callable[[str], None]) -> str:
    """Report the keeper's progress until the cluster is up; return the reason if it fails."""
    assert process.stdout is not None
    for line in process.stdout:
        said = json.loads(line)
        if "told" in said:
            told(said["told"])
        elif "failed" in said:
            return str(said["failed"])
        else:
            return ""
    return ENDED
