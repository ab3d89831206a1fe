"""
The state with which a watch is continued: one file, written atomically.

It belongs to one cluster, and to one version of the fold: another version could misread its memory.
"""

import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from oneowner.checkers.recordings.live.packed_fold import Packed, version
from oneowner.checkers.verdict import Misuse

FORMAT: Final = 1
STATE: Final = "state.json"
ANEW: Final = "use another --checkpoint, or remove this one; findings are then reported again"


class State(NamedTuple):
    """The state of a watch."""

    batch: int
    """The number of times that the state was written."""
    place: dict[str, Any]
    """The place in the source, which is continued behind it."""
    watch: Packed


class Checkpoint:
    """The folder of one cluster; only one watch holds it at a time."""

    def __init__(self, folder: Path, cluster: str) -> None:
        """
        Lock the folder; create it if it does not exist.

        :raises Misuse: it cannot be written, or another watch has it.
        """
        self.folder, self.cluster = folder, cluster
        self._lock = taken(folder)

    def read(self) -> State | None:
        """
        Return the saved state of the watch; None: it begins.

        :raises Misuse: the state is of another cluster, or of another version of the fold, or damaged.
        """
        path = self.folder / STATE
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            state = State(found["batch"], found["place"], found["watch"])
            is_ours = found["format"] == FORMAT and found["fold"] == version()
            cluster = str(found["cluster"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Misuse(f"{path}: no checkpoint of a watch: {error}; {ANEW}") from None
        if cluster != self.cluster:
            raise Misuse(f"{path}: a checkpoint of {cluster}, not of {self.cluster}; {ANEW}")
        if not is_ours:
            raise Misuse(f"{path}: a checkpoint of another version of the fold; {ANEW}")
        return state

    def write(self, state: State) -> None:
        """Replace the previous state atomically."""
        found = {"format": FORMAT, "fold": version(), "cluster": self.cluster, **state._asdict()}
        begun = self.folder / f"{STATE}.begun"
        with begun.open("w", encoding="utf-8") as file:
            file.write(json.dumps(found, separators=(",", ":")))
            file.flush()
            os.fsync(file.fileno())
        begun.replace(self.folder / STATE)

    def close(self) -> None:
        """Release the folder."""
        self._lock.close()


def taken(folder: Path) -> IO[str]:
    """
    Create a folder, and lock it for this process until the returned file is closed.

    :raises Misuse: it cannot be written, or another watch has it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w", encoding="utf-8")
    except OSError as error:
        raise Misuse(f"--checkpoint {folder}: cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise Misuse(f"--checkpoint {folder}: another watch has it; end that one first") from None
    return lock
