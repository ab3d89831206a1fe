"""Long work in a process of its own: Ctrl-C, termination, and the progress line on a real terminal."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

COMPILER = {"cc", "cc1", "as", "collect2", "ld"}
COMMAND = (sys.executable, "-m", "oneowner")


def wait_for(child: subprocess.Popen[str], words: str) -> None:
    """Read the standard error of *child* until *words* come."""
    assert child.stderr is not None
    for line in child.stderr:
        if words in line:
            return
    pytest.fail(f"it ended without: {words}")


LONG = ("explore", "failure", "--set", "crashes=2", "--set", "transfers=2", "--set", "unloads=2", "--progress")


@pytest.fixture(params=["native", "python", "c"])
def exploring(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    with started(*LONG, "--engine", request.param) as child:
        wait_for(child, "states/s")
        yield child
        child.kill()


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_interrupted_search_is_unknown_and_says_what_it_saw(exploring: subprocess.Popen[str]) -> None:
    exploring.send_signal(signal.SIGINT)
    out, _ = exploring.communicate(timeout=30)
    assert exploring.returncode == 3
    assert "not all states were visited: interrupted" in out
    assert out.splitlines()[-1].endswith("unknown")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_gate_ends_at_once_and_leaves_no_process(sent: signal.Signals, code: int) -> None:
    with started("gate", "--profile", "smoke", "--progress") as child:
        wait_for(child, "done")
        workers = children_of(child.pid)
        child.send_signal(sent)
        _, error = child.communicate(timeout=20)
    assert child.returncode == code
    assert "Traceback" not in error
    assert_gone(workers, 10)


def test_interrupted_proof_prints_no_traceback_of_a_worker_that_had_not_begun() -> None:
    # Ctrl-C goes to the whole group of processes, as on a terminal.
    with subprocess.Popen(
        [*COMMAND, "prove"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        deadline = time.monotonic() + 60
        while len(below(child.pid)) < 3 and time.monotonic() < deadline:  # one tracks resources
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        _, error = child.communicate(timeout=30)
    assert (child.returncode, error) == (130, "interrupted: no verdict\n")


@pytest.mark.parametrize("verb", [("gate", "--profile", "smoke"), ("faults", "--recompute")])
def test_processes_of_a_command_that_was_killed_end_within_seconds(verb: tuple[str, ...]) -> None:
    with started(*verb, "--progress") as child:
        wait_for(child, "done")
        processes = below(child.pid)
        child.kill()
    assert len(processes) > 1
    assert_gone(processes, 5)


def test_compiled_search_of_a_command_that_was_killed_ends_within_seconds() -> None:
    with started(*LONG, "--engine", "c") as child:
        wait_for(child, "states/s")
        searches = below(child.pid)
        child.kill()
    assert searches
    assert_gone(searches, 5)


def assert_gone(processes: list[str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < deadline, "processes live on"
        time.sleep(0.1)


def below(process: int | str) -> list[str]:
    """Its children, theirs, and so on; no compilers, which end with their file."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = [child for child in children if Path(f"/proc/{child}/comm").read_text().strip() not in COMPILER]
    return [*own, *(one for child in own for one in below(child))]


def children_of(process: int) -> list[str]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    assert found
    return found


def test_progress_is_gone_from_the_terminal_before_the_result_is_printed() -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "explore", "expiry", "--engine", "native"], stdout=follower, stderr=follower
    ) as child:
        os.close(follower)
        shown = b""
        while data := read(leader):
            shown += data
    assert child.returncode == 0
    screen = shown.decode().replace("\r\n", "\n")
    assert "MiB\r\x1b[K" in screen, "there was progress, and it was wiped out"
    after = re.sub(r"\x1b\[[0-9;]*m", "", screen.rpartition("\r\x1b[K")[2])
    assert after.startswith("engine: native")
    assert after.rstrip().endswith("valid")


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other side is closed
        return b""
