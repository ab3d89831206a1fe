"""Gates in a Java program of the test's own, asked as those of a broker; and rules that a release has no method for."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.drive.real_event import Point
from oneowner.checkers.lab.gates.agent import HELPERS, RULES, check, methods, unmatched
from oneowner.checkers.lab.gates.client import Gates
from oneowner.checkers.verdict import EngineError, Misuse

PROGRAM = """
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

public class Program {
    long age = 5;
    CompletableFuture<String> put(String key, String value) {
        CompletableFuture<Object> sent = new oneowner.Gates().later(
            "append", key + " " + value, new Object[] {this, key, value}, Program.class, "put");
        if (sent != null) return sent.thenApply(String::valueOf);
        System.out.println("put " + key + " " + value);
        return CompletableFuture.completedFuture("kept");
    }
    void read(String text) {
        oneowner.Gates gates = new oneowner.Gates();
        gates.passes("consume", text);
        System.out.println("read " + text);
        gates.passed();
    }
    void monitor() throws Exception {
        oneowner.Gates gates = new oneowner.Gates();
        if (!gates.monitor(this)) return;
        System.out.println("monitor " + age);
        gates.monitored(this);
    }
    public static void main(String[] arguments) throws Exception {
        Program program = new Program();
        program.put("start", "0");
        try (var in = new java.util.Scanner(System.in)) {
            while (in.hasNextLine()) {
                String[] words = in.nextLine().split(" ");
                switch (words[0]) {
                    case "put" -> program.put(words[1], words[2]).thenAccept(v -> System.out.println("answer " + v));
                    case "read" -> new Thread(() -> program.read(words[1])).start();
                    case "monitor" -> program.monitor();
                    case "select" -> new oneowner.Gates().after("select", words[1],
                        CompletableFuture.completedFuture(Optional.of("own"))).thenAccept(System.out::println);
                }
            }
        }
    }
}
"""


class Running:
    """The program, its gates, and its output."""

    def __init__(self, folder: Path, classes: Path) -> None:
        (port,) = free_ports(1)
        self.trace = folder / "trace.jsonl"
        options = [f"-Doneowner.port={port}", f"-Doneowner.trace={self.trace}", "-cp", str(classes)]
        self.process = subprocess.Popen(
            ["java", *options, "Program"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.gates = Gates(port)
        assert self.says() == "put start 0"

    def do(self, words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(words + "\n")

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def events(self) -> list[tuple[str, str]]:
        return [(row["point"], row["event"]) for row in map(json.loads, self.trace.read_text().splitlines())]


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("javac") is None:
        pytest.skip("no JDK")
    folder = tmp_path_factory.mktemp("classes")
    (folder / "Program.java").write_text(PROGRAM)
    subprocess.run(["javac", "-d", folder, *HELPERS, folder / "Program.java"], check=True)
    return folder


@pytest.fixture
def running(tmp_path: Path, classes: Path) -> Iterator[Running]:
    made = Running(tmp_path, classes)
    yield made
    made.process.kill()
    made.process.communicate()


def test_deferred_call_is_made_when_it_is_let_go_and_traced(running: Running) -> None:
    running.gates.hold("append", "^held ")
    running.do("put free 1")
    assert [running.says(), running.says()] == ["put free 1", "answer kept"]
    running.do("put held 2")
    held = running.gates.waits("append", "held", 10)
    assert held is not None
    assert held.text == "held 2"
    assert running.gates.held() == [("append", "held 2")]
    assert running.gates.let_go(held, seconds=10) == ""
    assert [running.says(), running.says()] == ["put held 2", "answer kept"]
    assert running.events()[-3:] == [("append", "arrives"), ("append", "goes"), ("append", "ends")]


def test_held_thread_waits_and_nothing_waits_where_nothing_came(running: Running) -> None:
    running.gates.hold("consume", "")
    assert running.gates.waits("consume", "", 0.2) is None
    running.do("read one")
    held = running.gates.waits("consume", "one", 10)
    assert held is not None
    running.gates.let_go(held, seconds=10)
    assert running.says() == "read one"


def test_selection_is_answered_held_or_left_as_it_is(running: Running) -> None:
    running.do("select unit")
    assert running.says() == "Optional[own]"
    running.gates.answer("select", "unit", "other")
    running.do("select unit")
    assert running.says() == "Optional[other]"
    running.gates.answer("select", "unit", "nobody")
    running.do("select unit")
    assert running.says() == "Optional.empty"
    running.gates.answer("select", "unit", "")
    running.gates.hold("select", "")
    running.do("select unit")
    held = running.gates.waits("select", "unit", 10)
    assert held is not None
    running.gates.let_go(held, "third", 10)
    assert running.says() == "Optional[third]"


def test_monitor_runs_only_as_asked_and_then_everything_is_too_old(running: Running) -> None:
    running.do("monitor")
    assert running.says() == "monitor 5"
    running.gates.hold("monitor", "")
    running.do("monitor")
    running.gates.monitor("age")
    running.do("monitor")
    assert running.says() == "monitor -1"
    running.do("monitor")
    running.gates.open("monitor")
    running.do("monitor")
    assert running.says() == "monitor 3600000"


def test_what_is_not_understood_is_refused(running: Running) -> None:
    with pytest.raises(EngineError, match="is refused"):
        running.gates.ask("dance")
    with pytest.raises(EngineError, match="is refused"):
        running.gates.ask("go", 99, "")


def test_nobody_at_the_port_is_said() -> None:
    (port,) = free_ports(1)
    with pytest.raises(EngineError, match=f"port {port} does not answer hold"):
        Gates(port).hold("append", "")


def javap(lacking: str = "") -> str:
    """Return javap's output for a release that has every method but one."""
    return "".join(
        f"public class {name} {{\n" + "".join(f"  void {method}(int);\n" for method in of if method != lacking)
        for name, of in methods().items()
    )


def test_rule_without_its_method_is_found() -> None:
    assert not unmatched(javap(), methods())
    (lacking,) = unmatched(javap("doCleanup"), methods()).values()
    assert lacking == {"doCleanup"}
    assert len(unmatched("", methods())) == len(methods()) == 9


def test_release_without_the_classes_is_refused(tmp_path: Path) -> None:
    if shutil.which("javap") is None:
        pytest.skip("no JDK")
    (tmp_path / "lib").mkdir()
    with pytest.raises(Misuse, match=r"gates: a rule does not match .* has no method"):
        check(tmp_path)


def test_every_point_has_a_rule() -> None:
    rules, helper = (path.read_text(encoding="utf-8") for path in (RULES, HELPERS[0]))
    in_helper = {point for point in Point if f'"{point}"' not in rules}
    assert in_helper == {Point.MONITOR, Point.DIVIDED, Point.CLEAN_UP}
    assert all(f'"{point}"' in helper for point in in_helper)
    assert all(call in rules for call in ("!monitor($0)", "cleanUp($1, $2", '"boundaries"'))
