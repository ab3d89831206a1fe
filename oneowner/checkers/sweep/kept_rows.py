"""Finished rows in a folder, a file each, from which an interrupted sweep is continued."""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oneowner.checkers.sweep.task import Row, Task
from oneowner.checkers.verdict import EngineError


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder of rows, each under the digest of its task and of our source: another version does it anew."""

    folder: str
    version: str

    def path(self, task: Task) -> Path:
        digest = hashlib.sha256(f"{self.version} {task.text}".encode()).hexdigest()
        return Path(self.folder, f"{digest[:32]}.json")

    def find(self, task: Task) -> Row | None:
        """Return the row of a task that is done; one that cannot be read is not there."""
        try:
            row: Row = json.loads(self.path(task).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return (
            row if isinstance(row, dict) and all(row.get(name) == value for name, value in task.named.items()) else None
        )

    def keep(self, task: Task, row: Row) -> None:
        """Write the row of a task, all of it or nothing; that of one that failed is not kept."""
        if not row["done"]:
            return
        path = self.path(task)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(row, file)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise EngineError(f"{path}: cannot be written: {error.strerror}") from None
