"""Work that is spread over processes may be of a module, or of the program that was started."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
from functools import partial

from oneowner.checkers.parallel import in_parallel


def more(by, number):
    return number + by


if __name__ == "__main__":
    print(in_parallel(partial(more, 2), [3, 4]))
"""


def test_work_may_be_of_the_program_that_was_started(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    called = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert (called.stdout, called.stderr) == ("{3: 5, 4: 6}\n", "")
