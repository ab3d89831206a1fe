"""
A process that does tasks: a line of JSON in, a line of JSON out, until its input ends.

It runs beside a worker of Spark, which keeps it from one task to the next: what was imported, traced and compiled
serves for all. Were it to die, for want of memory, the task is unknown and the worker lives.
"""

import json
import os
import sys
import time
from threading import Thread

from oneowner.checkers.sweep.task import done, failed, task_of


def serve() -> None:
    """Run the tasks of standard input; standard output receives only rows."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        task = task_of(line)
        try:
            row = done(task)
        except Exception as error:  # a bug is a row too, and the next task is done
            row = failed(task, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        answers.write(json.dumps(row) + "\n")
        answers.flush()


def _end_with(parent: int) -> None:
    """End this process when its worker has died: the row is no longer needed, and a search may take hours."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    serve()
