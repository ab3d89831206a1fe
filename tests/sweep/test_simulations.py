"""Simulated runs as tasks: every combination is one, its row is what simulate measures, and no verdict comes of it."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from oneowner.checkers.simulation.run import simulate
from oneowner.checkers.simulation.traces import Sizes, generated
from oneowner.checkers.sweep.axes import Axes, axes_in, settings_of
from oneowner.checkers.sweep.simulation_axes import Simulations
from oneowner.checkers.sweep.sweep import result_of
from oneowner.checkers.sweep.task import Task, done, task_of
from tests.command_line import VALIDATOR, oneowner, refused

GRACE = "loadBalancerSheddingGracePeriodMinutes"
FILE = f"""
simulate: [step, hot-bundle]
shedders: [threshold, transfer]
conf: {{{GRACE}: [5, 30], lowerBoundarySheddingEnabled: true}}
brokers: [4, 6]
bundles: 30
cycles: 10
seeds: 1..2
"""
RUN = Task("simulate", release="4.0.6", seed=1, trace="hot-bundle", shedder="uniform", brokers=6, bundles=30, cycles=5)
INLINE = (
    "sweep", "--simulate", "hot-bundle", "--shedder", "uniform", "--brokers", "6", "--bundles", "30", "--cycles",
    "5", "--engine", "inline",
)  # fmt: skip
HEADER = "cycle,bundle,bytes,messages\n"


def test_file_says_what_options_say(tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(FILE)
    found = axes_in(tmp_path / "sweep.yaml")
    conf = settings_of([f"{GRACE}=5,30", "lowerBoundarySheddingEnabled=true"], "--conf")
    asked = Simulations(["step", "hot-bundle"], ["threshold", "transfer"], conf, [4, 6], [30], [10])
    assert (found.simulated, list(found.seeds)) == (asked, [1, 2])
    tasks = found.tasks()
    assert len(tasks) == len(set(tasks)) == 2 * 2 * 2 * 2 * 2
    words = f"step threshold@4.0.6 {GRACE}=5 lowerBoundarySheddingEnabled=true brokers=4 bundles=30 cycles=10 seed 1"
    assert str(tasks[0]) == words
    assert [task_of(task.text) for task in tasks] == tasks


def test_row_is_what_simulate_measures() -> None:
    row = done(RUN)
    run = simulate(generated("hot-bundle", Sizes(6, 30, 5, 1)), "uniform", "4.0.6", {}, 1)
    assert run.moves
    assert row["verdict"] == "measured"
    found = [row[name] for name in ("moves", "bound", "last", "first_spread", "spread")]
    assert found == [run.moves, run.fewest, run.rounds, run.points[0].spread, run.points[-1].spread]
    assert row["most"] == max(point.most for point in run.points)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shedder": "uniform", "release": "2.9.5"}, "uniform is not modelled for 2.9.5"),
        ({"max_seconds": 0.0}, "given up after cycle 0"),
        ({"trace": "loads.csv", "file": "/nowhere/loads.csv", "digest": "0"}, "No such file"),
    ],
)
def test_run_that_fails_is_unknown_with_its_reason(changes: dict[str, str], words: str) -> None:
    task = task_of(json.dumps(json.loads(RUN.text) | changes))
    row = done(task)
    assert (row["verdict"], row["done"]) == ("unknown", False)
    assert words in row["reasons"][0]
    assert result_of([RUN, task], [done(RUN), row], 0.0).exit_code == 3


def test_measured_run_changes_no_verdict() -> None:
    bad = Task("explore", "expiry", faults=("cleanup_without_health_check",))
    for tasks, code in (([RUN], 0), ([RUN, bad], 1)):
        found = result_of(tasks, [done(task) for task in tasks], 0.0)
        assert found.exit_code == code
        assert "1 runs were measured: no law is judged" in found.reasons


def test_recorded_trace_is_read_where_it_lies_and_known_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    file.write_text(f"{HEADER}0,t/n/a,100,1\n0,t/n/b,50,1\n")
    (task,) = Axes(simulated=Simulations([str(file)], ["overload"], bundles=[10, 20])).tasks()
    row = done(task)
    assert (row["verdict"], row["bundles"]) == ("measured", 0)
    file.write_text(f"{HEADER}0,t/n/a,100,1\n0,t/n/b,51,1\n")
    assert "another file by now" in done(task)["reasons"][0]
    (again,) = Axes(simulated=Simulations([str(file)], ["overload"])).tasks()
    assert again.digest != task.digest


def test_verb_writes_rows_and_a_page_and_the_same_bytes_again(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = oneowner(*INLINE, "--seeds", "1..2", "--out", tmp_path / "one", "--json", "-", "--html", page)
    VALIDATOR.validate(found.json)
    assert (found.code, found.json["verdict"]) == (0, "valid")
    assert [row["seed"] for row in found.json["tasks"]] == [1, 2]
    table = pq.read_table(tmp_path / "one" / "sweep.parquet").to_pylist()
    assert [(row["trace"], row["shedder"], row["verdict"]) for row in table] == [
        ("hot-bundle", "uniform", "measured")
    ] * 2
    assert table[0]["moves"] == done(RUN)["moves"]
    assert "measured, not judged" in page.read_text()
    assert f'<td class="number">{table[0]["moves"]}</td>' in page.read_text()
    assert '<th scope="col" class="axis">seed</th>' in page.read_text()  # the only axis on which they differ
    assert "shedder <b>uniform</b>" in page.read_text()
    printed = oneowner(*INLINE, "--seeds", "1..2", "--out", tmp_path / "other")
    assert "2 measured" in printed.out
    assert "valid" not in printed.out
    assert (tmp_path / "one" / "sweep.parquet").read_bytes() == (tmp_path / "other" / "sweep.parquet").read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--simulate", "step"), "name a shedder"),
        (("--simulate", "stp", "--shedder", "avg"), "no such trace: stp"),
        (("--simulate", "missing.csv", "--shedder", "avg"), "No such file"),
        (("--simulate", "step", "--shedder", "treshold"), "threshold"),
        (("--simulate", "step", "--shedder", "avg", "--release", "9"), "no such release"),
        (("--simulate", "step", "--shedder", "avg", "--conf", "loadBalancerAvgShedderLowTreshold=1"), "LowThreshold"),
        (("--simulate", "step", "--shedder", "avg", "--conf", "loadBalancerAvgShedderLowThreshold=1,x"), "is a number"),
        (("--simulate", "step", "--shedder", "avg", "--conf", "loadBalancerAvgShedderLowThreshold"), "--conf refused"),
        (("--shedder", "avg"), "--simulate TRACE"),
        (("--family", "expiry", "--brokers", "3"), "--simulate TRACE"),
        (("--simulate", "step", "--shedder", "avg", "--set", "brokers=2"), "--family"),
        (("--simulate", "step", "--shedder", "avg", "--fault", "no_version_check"), "--family"),
        (("--kills", "--simulate", "step", "--shedder", "avg"), "--kills"),
    ],
)
def test_options_that_no_run_could_have_are_refused(options: tuple[str, ...], words: str) -> None:
    refused(oneowner("sweep", *options), words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("simulate: [step]\nshedder: [avg]", ":2: no such key: shedder"),
        ("simulate: [step]\nshedders: [avg]\ncycles: 0", ":3: cycles refused"),
        ("simulate: step\nshedders: [avg]", ":1: "),
    ],
)
def test_file_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "sweep.yaml").write_text(text + "\n")
    refused(oneowner("sweep", tmp_path / "sweep.yaml"), "sweep.yaml", words)
