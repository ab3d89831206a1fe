"""A keeper and its processes, with small processes of the test's own in place of a cluster's."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.lab.cluster import named, start
from oneowner.checkers.lab.cluster.named import Broker, Named, answers_to, ask, every, file_of, read, take_down, write
from oneowner.checkers.lab.cluster.processes import DIE_WITH_PARENT
from oneowner.checkers.lab.cluster.start import COMMAND, Wanted
from oneowner.checkers.verdict import EngineError, Misuse
from tests.command_line import oneowner, refused

STUB = """
import sys, pathlib
from oneowner.checkers.lab.cluster import cluster, keeper
HOW = {how!r}

def up(self, told, seconds):
    for one in self.processes:
        one.command = [*one.command[:3], sys.executable, "-c", "import time; time.sleep(600)", str(self.folder) + "/"]
        one.start()
        told(one.name + " ready")
    if HOW == "fails":
        raise RuntimeError("bookie ended while it started: Address already in use")
    if HOW == "hangs":
        import time; time.sleep(600)

cluster.Cluster.up = up
keeper.registered = lambda admin, brokers: brokers
keeper.main()
"""


def command(how: str = "comes up") -> list[str]:
    """A keeper of stubs: the module's name is among its arguments, as in the real one's."""
    return [sys.executable, "-c", STUB.format(how=how), *COMMAND[1:]]


def request(tmp_path: Path) -> Wanted:
    (tmp_path / "pulsar" / "conf").mkdir(parents=True, exist_ok=True)
    (tmp_path / "pulsar" / "conf" / "broker.conf").write_text("")
    return Wanted(tmp_path / "home", "one", tmp_path / "pulsar", "4.0.6", brokers=2)


def eventually(is_so: Callable[[], bool], seconds: float = 30) -> bool:
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
    return is_so()


def ends_with_its_parent(process: int) -> bool:
    """Return whether ``setpriv`` has asked for the signal, and become the stub: real parts are ready much later."""
    return DIE_WITH_PARENT[0].encode() not in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Named]:
    found = start.start(request(tmp_path), lambda _: None, 60, command())
    assert eventually(lambda: all(map(ends_with_its_parent, found.processes.values())))
    yield found
    if found.kept:
        os.kill(found.keeper, signal.SIGKILL)
    assert eventually(lambda: not found.running())


def test_cluster_that_is_up_is_known_and_outlives_who_started_it(cluster: Named, tmp_path: Path) -> None:
    assert cluster.is_up
    assert cluster.kept
    assert sorted(cluster.running()) == ["bookie", "broker-1", "broker-2", "zookeeper"]
    assert every(tmp_path / "home") == [cluster]
    assert len({broker.relay for broker in cluster.brokers} | {cluster.zookeeper}) == 3
    assert file_of(tmp_path / "home", "one").stat().st_mode & 0o077 == 0


def open_in(pid: int) -> set[str]:
    """Return the open files of a process; one that it opens and closes meanwhile may be gone before it is looked at."""
    found = set()
    for place in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(os.readlink(place))
    return found


def test_cluster_holds_no_file_open_that_its_starter_had(cluster: Named) -> None:
    """`oneowner lab up | tee log` ends when the cluster is up."""
    ours = {os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)}
    for pid in (cluster.keeper, *cluster.processes.values()):
        assert not ours & open_in(pid) - {os.devnull}


def test_keeper_that_breaks_says_its_last_line(tmp_path: Path) -> None:
    broken = [sys.executable, "-c", "raise KeyError('name')", *COMMAND[1:]]
    with pytest.raises(EngineError, match="its keeper has ended: KeyError: 'name'"):
        start.start(request(tmp_path), lambda _: None, 60, broken)


def test_down_ends_every_process_and_removes_every_file(cluster: Named, tmp_path: Path) -> None:
    take_down(tmp_path / "home", cluster, lambda _: None)
    assert not cluster.kept
    assert not cluster.running()
    assert list((tmp_path / "home").iterdir()) == []


def test_second_cluster_of_a_name_is_refused(cluster: Named, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="exists; end it by: oneowner lab down --name one"):
        start.start(request(tmp_path), lambda _: None, 60, command())
    assert cluster.kept


def test_keeper_turns_relays_signals_brokers_and_starts_them_again(cluster: Named, tmp_path: Path) -> None:
    ask(cluster, do="relay", broker=2, passage="held")
    ask(cluster, do="signal", broker=1, signal="SIGSTOP")
    assert ask(cluster, do="state") == {"paused": ["broker-1"], "relays": ["open", "held"]}
    ask(cluster, do="start", broker=1)
    again = read(file_of(tmp_path / "home", "one"))
    assert again is not None
    assert again.processes["broker-1"] != cluster.processes["broker-1"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "relay", "broker": 3, "passage": "cut"}, "there is no broker 3; there are 2"),
        ({"do": "relay", "broker": 1, "passage": "ajar"}, "'ajar' is not a valid Passage"),
        ({"do": "dance", "broker": 1}, "no such request: dance"),
        ({"do": "state", "token": "guessed"}, "another token"),
    ],
)
def test_keeper_refuses_what_it_cannot_do_and_goes_on(cluster: Named, request_: dict[str, object], words: str) -> None:
    asked = replace(cluster, token=str(request_.get("token", cluster.token)))
    with pytest.raises(Misuse, match=words):
        ask(asked, 60, **{name: value for name, value in request_.items() if name != "token"})
    assert ask(cluster, do="state")["relays"] == ["open", "open"]


def test_killed_keeper_takes_all_with_it_and_down_removes_the_rest(cluster: Named, tmp_path: Path) -> None:
    os.kill(cluster.keeper, signal.SIGKILL)
    assert eventually(lambda: not cluster.running())
    assert every(tmp_path / "home") == [cluster]
    take_down(tmp_path / "home", cluster, lambda _: None)
    assert list((tmp_path / "home").iterdir()) == []


def test_start_that_fails_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"one does not come up: bookie ended .* Address already in use"):
        start.start(request(tmp_path), lambda _: None, 60, command("fails"))
    assert every(tmp_path / "home") == []
    assert (tmp_path / "home" / "one" / "log4j2.properties").exists(), "logs stay, to be read"


def test_start_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    seen: list[Named] = []

    def look(_: str) -> None:
        seen.extend(every(tmp_path / "home"))

    with pytest.raises(EngineError, match=r"it is not up after 4 s; .* --wait 8"):
        start.start(request(tmp_path), look, 4, command("hangs"))
    assert seen
    assert not seen[-1].running()
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("how", "keeper"), [(signal.SIGINT, "hangs"), (signal.SIGKILL, "hangs"), (signal.SIGKILL, "comes up")]
)
def test_interrupted_or_killed_start_leaves_nothing(tmp_path: Path, how: signal.Signals, keeper: str) -> None:
    request(tmp_path)
    script = (
        "import sys, pathlib; from oneowner.checkers.lab.cluster import start as s\n"
        f"home = pathlib.Path({str(tmp_path)!r})\n"
        "wanted = s.Wanted(home / 'home', 'one', home / 'pulsar', '4.0.6', brokers=2)\n"
        f"s.start(wanted, lambda _: None, 90, {command(keeper)!r}, stays=False)\n"
        "import time; time.sleep(90)"
    )
    who = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    home = tmp_path / "home"
    assert eventually(lambda: any(len(one.processes) == 4 for one in every(home)), 60)
    assert eventually(lambda: every(home)[0].is_up == (keeper == "comes up"))
    (seen,) = every(home)
    assert len(seen.running()) == 4
    who.send_signal(how)
    who.wait(30)
    assert eventually(lambda: not seen.running() and not seen.kept)
    assert eventually(lambda: list(home.iterdir()) == [])


def test_file_of_another_version_is_no_cluster(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps({"name": "old", "brokers": []}))
    (tmp_path / "torn.json").write_text("{")
    assert every(tmp_path) == []


def test_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    broker = Broker("127.0.0.1:1", 2, 3)
    one = Named("n", "4.0.6", "system-topic", "extensible", 1, 2, "t", "f", 3, brokers=[broker], processes={"a": 7})
    write(tmp_path, one)
    assert read(file_of(tmp_path, "n")) == one


def test_number_of_a_process_that_another_has_now_is_not_taken_for_it() -> None:
    assert not answers_to(os.getpid(), "a word that nobody says")
    with pytest.raises(Misuse, match="no cluster two is up; start it by: oneowner lab up --name two"):
        named.named(Path("nowhere"), "two")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pulsar", "latest"], "is no release of Pulsar; one reads 4.0.6"),
        (["--name", "A B"], "no name of a cluster"),
        (["--set", "x"], "--set x refused"),
    ],
)
def test_misuse_is_one_line(arguments: list[str], words: str) -> None:
    refused(oneowner("lab", "up", *arguments), words)


@pytest.mark.usefixtures("own_cache")
def test_no_memory_and_no_java_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    refused(oneowner("lab", "up"), "java is not on the path; install a Java runtime, 17 or later")
    monkeypatch.setattr(start, "free_memory", lambda: 1000 << 20)
    refused(oneowner("lab", "up"), "3 brokers need 3100 MB of memory, and 1000 MB are free")


@pytest.mark.usefixtures("own_cache")
def test_status_and_down_of_nothing() -> None:
    assert oneowner("lab", "status").out == "no cluster is up\n"
    assert oneowner("lab", "down").out == "lab: no such cluster\n"


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
def test_a_real_cluster_comes_up_and_goes(tmp_path: Path) -> None:
    up = oneowner("lab", "up", "--brokers", 1)
    assert up.code == 0, up.err
    assert oneowner("lab", "status").out == up.out
    assert "lab: up, Pulsar 4.0.6" in up.out
    assert oneowner("lab", "down").out == "lab: ended, nothing of it is left\n"
    assert list((tmp_path / "oneowner" / "lab").iterdir()) == []
