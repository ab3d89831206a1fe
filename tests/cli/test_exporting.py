"""The verb ``export``: the files that it writes, and its refusals."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.engines.explore import breadth_first
from oneowner.checkers.engines.explore.native import Native, explore
from oneowner.checkers.engines.explore.state_graph import state_graph
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.report.graph_export import as_dot, plain
from oneowner.checkers.scenarios.itf import read_itf
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.model.kernel.law import LawKind, StepLaw
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import QUICK, oneowner, refused


def test_export_of_a_family_says_what_it_wrote_and_how_to_run_it(tmp_path: Path) -> None:
    found = oneowner("export", "pip-192", "--to", "tla", "--out", tmp_path / "new")
    assert found.code == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "pip_192.cfg", "pip_192.tla", "pip_192_named.cfg", "pip_192_named.tla",
    ]  # fmt: skip
    assert "java -Xss64m -cp tla2tools.jar tlc2.TLC" in found.out  # its own stack is too small for large families


def test_export_as_promela_says_how_to_run_it(tmp_path: Path) -> None:
    found = oneowner("export", "pip-192", "--to", "promela", "--out", tmp_path)
    assert found.code == 0
    assert (tmp_path / "pip-192.pml").exists()
    assert "spin -o2 -o3 -a pip-192.pml && cc " in found.out


SMALL = ("transfer-metadata-store", "--set", "brokers=2", "--set", "unloads=0", "--set", "transfers=1")
BOUNDS = replace(families()["transfer-metadata-store"].bounds, brokers=2, unloads=0, transfers=1)


def graph(tmp_path: Path, *more: str, code: int = 0) -> dict[str, Any]:
    assert oneowner("export", *SMALL, *more, "--to", "json", "--out", tmp_path).code == code
    written: dict[str, Any] = json.loads((tmp_path / "transfer-metadata-store.json").read_text())
    GRAPH.validate(written)
    return written


GRAPH = Draft202012Validator(json.loads((PACKAGE / "checkers" / "report" / "graph.schema.json").read_text()))


def test_graph_has_the_states_and_steps_of_the_native_search_in_its_order(tmp_path: Path) -> None:
    found, native = graph(tmp_path), explore(BOUNDS, PROPERTIES)
    states, edges = found["states"], found["edges"]
    assert (len(states), len(edges), states[-1]["depth"]) == (native.distinct, native.transitions, native.depth)
    assert sum(state["terminal"] for state in states) == native.terminal > 0
    assert found["complete"]
    by_number = {0: initial_states(BOUNDS)[0]}
    first = {cell: plain(value) for cell, value in by_number[0].cells()}
    assert found["cells"] == first
    for edge in edges:  # a state is found before its steps are taken, and numbers grow as states are found
        steps = [
            one for one in actions(BOUNDS) if (one.name, dict(one.arguments)) == (edge["action"], edge["arguments"])
        ]
        after = step(by_number[edge["from"]], steps[0])
        assert edge["to"] <= len(by_number)
        assert by_number.setdefault(edge["to"], after) == after
        cells = {cell: plain(value) for cell, value in after.cells()}
        assert states[edge["to"]]["changes"] == {cell: cells[cell] for cell in cells if cells[cell] != first[cell]}


def test_graph_marks_the_states_that_break_a_law(tmp_path: Path) -> None:
    assert not any(state["broken"] for state in graph(tmp_path)["states"])
    found = graph(tmp_path, "--fault", "assign_before_close")
    assert {law for state in found["states"] for law in state["broken"]} == {"single-writer", "single-writer-always"}


def test_graph_of_a_rule_is_that_of_the_fault_that_turns_it(tmp_path: Path) -> None:
    by_rule = graph(tmp_path, "--rule", "close_before_assign=false")
    assert by_rule["rules"] == {"close_before_assign": "false"}
    by_fault = graph(tmp_path, "--fault", "assign_before_close")
    assert by_rule["edges"] == by_fault["edges"]
    assert by_rule["edges"] != graph(tmp_path)["edges"]


def test_graph_marks_the_steps_that_break_a_law() -> None:
    law = StepLaw(
        "no-close",
        "Nobody closes.",
        "this test",
        lambda *_: True,
        lambda _, a, __: a.name != "close",
        kind=LawKind.PROTOCOL,
    )
    found = state_graph(BOUNDS, [law], 1000)
    assert {edge.broken for edge in found.edges if edge.action.name == "close"} == {("no-close",)}
    assert {edge.broken for edge in found.edges if edge.action.name != "close"} == {()}
    assert not any(node.broken for node in found.nodes)
    assert as_dot(found, "a test").count("no-close") == sum(edge.action.name == "close" for edge in found.edges)


def test_graph_with_steps_beyond_its_bounds_is_not_complete_and_unknown(tmp_path: Path) -> None:
    found = graph(tmp_path, "--set", "versions=4", code=3)
    assert not found["complete"]
    assert "the bound versions is used up" in found["reasons"][0]
    beyond = [state for state in found["states"] if state["beyond"]]
    assert {tuple(state["beyond"]) for state in beyond} == {("versions",)}
    assert not any(state["terminal"] for state in beyond)


def test_graph_that_is_interrupted_is_not_complete_and_ends_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Native, "_check_step", interrupted)
    found = state_graph(BOUNDS, PROPERTIES, 1000)
    assert (found.stopped, [node.is_terminal for node in found.nodes]) == ("interrupted", [False])


def test_graph_that_takes_long_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()  # each look at the clock takes one
    monkeypatch.setattr(breadth_first, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    found = oneowner("export", *SMALL, "--to", "json", "--out", tmp_path, "--progress")
    lines = found.err.splitlines()
    assert all(
        re.match(r"transfer-metadata-store: [\d,]+ distinct, [\d,]+ transitions, depth ", line) for line in lines
    )
    assert len(lines) > 1
    assert found.out == f"wrote {tmp_path / 'transfer-metadata-store.json'}\n"


def test_picture_has_every_state_and_step(tmp_path: Path) -> None:
    found = graph(tmp_path, "--fault", "assign_before_close")
    command = oneowner("export", *SMALL, "--fault", "assign_before_close", "--to", "dot", "--out", tmp_path)
    assert "dot -Tsvg transfer-metadata-store.dot" in command.out
    text = (tmp_path / "transfer-metadata-store.dot").read_text()
    assert "outbox[1]: Releasing(2, from 1) v3" in text
    assert not re.search(r"<\w+\.\w+:|Sequence\(|\w\(\w+=\w+\.", text)
    assert len(re.findall(r"^\d+ \[", text, re.MULTILINE)) == len(found["states"])
    assert len(re.findall(r"^\d+ -> \d+ \[", text, re.MULTILINE)) == len(found["edges"])
    marks = {"lightblue": 1, "peripheries": 1, "tomato": 1}
    assert {mark: text.count(mark) for mark in marks} == marks


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_picture(tmp_path: Path) -> None:
    oneowner("export", *SMALL, "--to", "dot", "--out", tmp_path)
    command = ["dot", "-Tsvg", "transfer-metadata-store.dot"]
    drawn = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert drawn.stderr == ""
    assert drawn.stdout.count('class="node"') == len(state_graph(BOUNDS, (), 1000).nodes)


def test_export_of_a_scenario_is_the_same_run_as_a_trace(tmp_path: Path) -> None:
    path = QUICK.with_suffix(".yaml")
    assert oneowner("export", path, "--to", "itf", "--out", tmp_path).code == 0
    trace = read_itf(tmp_path / f"{QUICK.name}.itf.json")
    assert [str(step) for step in trace.steps] == [str(step) for step in read_scenario(path).steps]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("transfr", "--to", "tla"), "no such family: transfr; did you mean transfer?"),
        (("transfer", "--to", "tla", "--fault", "none"), "no such fault: none"),
        (("transfer", "--to", "tla", "--set", "brokers=0"), "bound refused: brokers=0"),
        (("nowhere.yaml", "--to", "itf"), "nowhere.yaml"),
        pytest.param(
            ("expiry", "--to", "dot"), "expiry has more than 2,000 states, too many for dot", marks=pytest.mark.slow
        ),
        ((*SMALL, "--to", "dot", "--max-states", "12"), "has more than 12 states, too many for dot"),
        ((*SMALL, "--to", "json", "--max-states", "12"), "has more than 12 states, too many for json"),
        ((*SMALL, "--to", "promela", "--max-states", "12"), "--max-states requires dot or json"),
        (
            (QUICK.with_suffix(".yaml"), "--to", "itf", "--fault", "no_version_check"),
            "require a family",
        ),
        ((QUICK.with_suffix(".yaml"), "--to", "itf", "--release", "3.0.4"), "require a family"),
        ((QUICK.with_suffix(".yaml"), "--to", "itf", "--rule", "health_check=false"), "require a family"),
        (
            (*SMALL, "--to", "tla", "--rule", "helth_check=false"),
            "no such rule: helth_check; did you mean health_check",
        ),
    ],
)
def test_export_refuses_what_is_not_there(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    refused(oneowner("export", *arguments, "--out", tmp_path), words)


def test_export_of_a_scenario_that_stops_is_unknown_and_says_where(tmp_path: Path) -> None:
    text = QUICK.with_suffix(".yaml").read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.startswith("  - "))
    (tmp_path / "s.yaml").write_text(text.replace(first, "\n".join([first] * 3), 1), encoding="utf-8")
    found = oneowner("export", tmp_path / "s.yaml", "--to", "itf", "--out", tmp_path)
    assert found.code == 3
    assert "incomplete: " in found.out
