"""The swept axes: every combination is a task, in a fixed order."""

from pathlib import Path

import pytest

from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.sweep import axes
from oneowner.checkers.sweep.axes import Axes, axes_in, seeds_of, settings_of
from oneowner.checkers.sweep.task import task_of
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner, refused

FILE = """
families: [transfer, failure]
releases: [3.0.4, 4.0.6]
faults: [none, no_version_check+assign_before_close]
set: {brokers: [2, 3], unloads: 1}
rules: {health_check: [true, false]}
max-states: 1000
max-time: 10s
"""


def test_file_says_what_options_say(tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(FILE)
    found = axes_in(tmp_path / "sweep.yaml")
    assert found == Axes(
        ["transfer", "failure"],
        ["3.0.4", "4.0.6"],
        ["none", "no_version_check+assign_before_close"],
        settings_of(["brokers=2,3", "unloads=1"]),
        settings_of(["health_check=true,false"], "--rule"),
        laws=[],
        max_states=1000,
        max_seconds=10.0,
    )
    tasks = found.tasks()
    assert len(tasks) == len(set(tasks)) == 2 * 2 * 2 * 2 * 2
    assert str(tasks[0]) == "transfer@3.0.4 brokers=2 unloads=1 health_check=true"
    assert tasks[4].faults == ("no_version_check", "assign_before_close")
    assert [task_of(task.text) for task in tasks] == tasks


def test_walks_have_a_task_for_each_seed() -> None:
    tasks = Axes(["shedding"], walks=10, depth=50, seeds=seeds_of("1..3")).tasks()
    assert [(task.kind, task.seed, task.depth) for task in tasks] == [("walks", seed, 50) for seed in (1, 2, 3)]


def test_kill_matrix_has_a_task_for_each_fault() -> None:
    tasks = Axes(kills=True).tasks()
    assert len(tasks) > 50
    assert {task.kind for task in tasks} == {"kill"}
    (one,) = Axes(kills=True, faults=["no_version_check"]).tasks()
    assert one.family


def test_bugs_by_release_have_a_task_for_each_bug_and_prediction(tmp_path: Path) -> None:
    tasks = Axes(by_release=True).tasks()
    assert [task.faults for task in tasks] == [(name,) for name in defects()]
    assert {task.kind for task in tasks} == {"releases"}
    both = Axes(kills=True, by_release=True, faults=["no_version_check"]).tasks()
    assert [(task.kind, task.faults) for task in both] == [
        (kind, ("no_version_check",)) for kind in ("kill", "releases")
    ]
    path = tmp_path / "sweep.yaml"
    path.write_text("by-release: true\nfaults: [split_crash_overlaps]\n", encoding="utf-8")  # a prediction
    assert [task.faults for task in axes_in(path).tasks()] == [("split_crash_overlaps",)]
    path.write_text("by-release: true\nfaults: [no_such]\n", encoding="utf-8")
    with pytest.raises(Misuse, match=r"sweep.yaml:2: no such fault or prediction: no_such"):
        axes_in(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("familys: [transfer]", ":1: no such key: familys"),
        ("families: [transfer]\nwalks: 0", ":2: walks refused"),
        ("families: [transfer]\nset: {brokers: [[2]]}", ":2: "),
        ("families: [transfer]\nseeds: 8..1\nwalks: 3", ":2: seeds refused: 8..1"),
        ("families: [transfer]\nmax-time: soon", ":2: "),
        ("families:\n- transfer\n- transfr", ":3: no such family: transfr"),
        ("families: [transfer]\nfaults: [none, no_version_chek]", ":2: no such fault: no_version_chek"),
        ("families: [transfer]\nset:\n  brokers: [2, two]", ":3: bound refused: brokers=two"),
        ("families: [transfer]\nrules:\n  version_chek: false", ":3: no such rule: version_chek"),
        ("families: [transfer]\nrules:\n  version_check: [true, no one]", ":3: no such value of version_check: no one"),
        ("families: [transfer]\nwalks: 3\nseeds: [-1]", ":3: "),
    ],
)
def test_file_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "sweep.yaml").write_text(text + "\n")
    refused(oneowner("sweep", tmp_path / "sweep.yaml"), "sweep.yaml", words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "nothing to sweep"),
        (("--family", "transfr"), "transfer"),
        (("--family", "transfer", "--release", "9"), "no such release"),
        (("--family", "transfer", "--fault", "no_version_chek"), "no_version_check"),
        (("--family", "transfer", "--law", "single-sever"), "single-server"),
        (("--family", "transfer", "--set", "brokrs=2"), "brokers"),
        (("--family", "transfer", "--set", "brokers=2,"), "--set refused"),
        (("--family", "transfer", "--rule", "version_chek=false"), "no such rule: version_chek"),
        (("--family", "transfer", "--rule", "version_check=2"), "no such value of version_check: 2"),
        (("--family", "transfer", "--rule", "version_check"), "--rule refused"),
        (("--kills", "--rule", "version_check=false"), "--kills"),
        (("--simulate", "step", "--rule", "version_check=false"), "rules, laws"),
        (("--family", "transfer", "--seeds", "1..2"), "--walks"),
        (("--family", "transfer", "--walks", "1", "--seeds", "1..99999999999"), "100,000 are the most"),
        (("--family", "transfer", "--walks", "1", "--seeds", "99999999999999999999"), "seeds refused"),
        (("--family", "transfer", "--engine", "inline", "--master", "local"), "--master requires --engine spark"),
        (
            ("--family", "transfer", "--engine", "inline", "--out", "/dev/null/x"),
            "--out /dev/null/x: cannot be written",
        ),
        (("--kills", "--family", "transfer"), "--kills"),
        (("--by-release", "--release", "4.0.6"), "--by-release"),
        (("--by-release", "--fault", "no_such"), "no such fault or prediction: no_such"),
    ],
)
def test_options_that_no_task_could_have_are_refused(options: tuple[str, ...], words: str) -> None:
    refused(oneowner("sweep", *options), words)


def test_too_many_tasks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(axes, "MOST", 100)
    with pytest.raises(Misuse, match="100 are the most"):
        Axes(["transfer", "failure"], walks=1, seeds=range(60)).tasks()
    many = {name: ["1", "2"] * 10 for name in ("unloads", "transfers", "crashes")}
    with pytest.raises(Misuse, match="100 are the most"):  # nobody counts thousands of millions first
        Axes(["transfer"], walks=1, settings=many, seeds=range(60_000)).tasks()


def test_task_that_axes_name_twice_is_done_once() -> None:
    assert len(Axes(["expiry", "expiry"], settings={"brokers": ["2", "2"]}).tasks()) == 1
