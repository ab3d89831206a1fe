"""The Informal Trace Format (Apalache ADR-015): out and in again, from elsewhere, and damaged."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.scenarios.itf import read_itf, write_itf
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Scenario, read_scenario
from oneowner.model.kernel.system import initial_states
from tests.command_line import COUNTEREXAMPLES, QUICK, Outcome, oneowner, refused
from tests.model.channel.strategies import choices, enabled, steadily

EXAMPLES = sorted(COUNTEREXAMPLES.glob("*/*.itf.json"))
TRACE: dict[str, Any] = json.loads(QUICK.with_suffix(".itf.json").read_text())


def trace_file(folder: Path, trace: Any) -> Path:
    path = folder / "run.itf.json"
    path.write_text(trace if isinstance(trace, str) else json.dumps(trace))
    return path


def everywhere(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a JSON value with *change* applied to every part, the innermost first."""
    if isinstance(value, dict):
        value = {key: everywhere(part, change) for key, part in value.items()}
    elif isinstance(value, list):
        value = [everywhere(part, change) for part in value]
    return change(value)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_example_and_scenario_are_one_run(path: Path) -> None:
    scenario, again = read_scenario(path.with_suffix("").with_suffix(".yaml")), read_itf(path)
    assert (again.steps, again.bounds, again.loop) == (scenario.steps, scenario.bounds, scenario.loop)
    assert again.expect == scenario.expect
    assert oneowner("replay", path).code == 1


def test_examples_are_of_the_channel_of_another_system_and_a_lasso() -> None:
    assert len(EXAMPLES) == 3
    scenarios = [read_itf(path) for path in EXAMPLES]
    assert {one.bounds.system.name for one in scenarios} == {"channel", "elasticsearch"}
    assert [one.loop is not None for one in scenarios].count(True) == 1


def test_run_that_is_written_as_itf_is_read_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("walks") / "walk.itf.json"
    bounds = family_named("expiry").bounds

    @settings(steadily, max_examples=settings().max_examples // 3)
    @given(choices(10), st.booleans())
    def back_and_forth(walk: list[int], actions_told: bool) -> None:
        (state,) = initial_states(bounds)
        steps = []
        for choice in walk:
            options = enabled(state)
            action, state = options[choice % len(options)]
            steps.append(action)
        scenario = Scenario(Path("walk.yaml"), "expiry", tuple(steps), bounds)
        text = write_itf(replay(scenario))
        if not actions_told:
            text = json.dumps(without_actions(json.loads(text)))
        path.write_text(text)
        again = read_itf(path)
        assert replay(again).states == replay(scenario).states
        if actions_told:
            assert replace(again, path=scenario.path) == scenario
            assert write_itf(replay(again)) == text

    back_and_forth()


def without_actions(trace: Any) -> dict[str, Any]:
    """Return a trace as TLC or Apalache would write it: variables only."""
    states = [{k: v for k, v in state.items() if not k.startswith("mbt::")} for state in trace["states"]]
    return {**trace, "states": states, "vars": [name for name in trace["vars"] if not name.startswith("mbt::")]}


def test_trace_that_is_written_has_the_shape_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "out.itf.json"
    assert oneowner("replay", QUICK.with_suffix(".yaml"), "--itf", path).code == 1
    trace = json.loads(path.read_text())
    assert set(trace) <= {"#meta", "params", "vars", "states", "loop"}
    assert len(trace["states"]) == 6
    for index, state in enumerate(trace["states"]):
        assert state["#meta"]["index"] == index
        assert set(state) - {"#meta"} == set(trace["vars"])

    def no_bare_number(value: Any) -> Any:
        assert isinstance(value, (bool, str, list, dict)), value
        if isinstance(value, dict) and "#bigint" in value:
            assert set(value) == {"#bigint"}
            assert str(int(value["#bigint"])) == value["#bigint"]
        return value

    everywhere([{k: v for k, v in state.items() if k != "#meta"} for state in trace["states"]], no_bare_number)


FOREIGN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    # ADR-015 allows all of these
    "without actions": without_actions,
    "with plain integers": lambda trace: everywhere(
        trace, lambda value: int(value["#bigint"]) if isinstance(value, dict) and "#bigint" in value else value
    ),
    "with meta of its own": lambda trace: {**trace, "#meta": {**trace["#meta"], "description": "Created by Apalache"}},
    "with params": lambda trace: {**trace, "params": []},
    "without meta in states": lambda trace: {
        **trace, "states": [{k: v for k, v in state.items() if k != "#meta"} for state in trace["states"]]
    },
}  # fmt: skip


@pytest.mark.parametrize("case", FOREIGN)
def test_valid_trace_from_elsewhere_is_read(tmp_path: Path, case: str) -> None:
    path = trace_file(tmp_path, FOREIGN[case](copy.deepcopy(TRACE)))
    assert oneowner("replay", path).code == 1
    assert read_itf(path).steps == read_scenario(QUICK.with_suffix(".yaml")).steps


def test_trace_that_does_not_say_its_family_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    metas: list[dict[str, Any]] = [{}, {"#meta": {"source": "MC.tla"}}, {"#meta": None}, {"#meta": []}]
    for meta in metas:
        trace = {key: value for key, value in TRACE.items() if key != "#meta"} | meta
        path = trace_file(tmp_path, trace)
        refused(oneowner("replay", path), f"{path}:1: ", "#meta", "family")


def changed(*at: str | int, to: Any) -> dict[str, Any]:
    """Return the saved trace with one part replaced, or dropped if *to* is ``...``."""
    trace: Any = copy.deepcopy(TRACE)
    inner = trace
    for key in at[:-1]:
        inner = inner[key]
    if to is ...:
        del inner[at[-1]]
    else:
        inner[at[-1]] = to
    whole: dict[str, Any] = trace
    return whole


BIG = {"#bigint": "9" * 5000}
BARE: dict[str, Any] = {**TRACE, "#meta": {k: v for k, v in TRACE["#meta"].items() if k != "expect"}}
DAMAGED: dict[str, tuple[Any, str]] = {
    # the trace, and a word that must be said
    "empty": ("", "an empty text"),
    "cut short": (json.dumps(TRACE)[:-40], "JSON"),
    "not an object": ([TRACE], "states"),
    "null": (None, "states"),
    "nested too deep": ("[" * 100_000, "JSON"),
    "no states": (changed("states", to=...), "states"),
    "states empty": (changed("states", to=[]), "states"),
    "states of numbers": (changed("states", to=[1, 2]), "state"),
    "no vars": (changed("vars", to=...), "vars"),
    "vars of a number": (changed("vars", to=7), "vars"),
    "variable missing in every state": (
        {**TRACE, "states": [{k: v for k, v in state.items() if k != "node"} for state in TRACE["states"]]}, "node",
    ),
    "variable missing in one state": (changed("states", 2, "node", to=...), "node"),
    "variable changed in one state": (changed("states", 2, "node", to=["present", "present"]), "node"),
    "variable of another type": (changed("states", 1, "leader", to="one"), "leader"),
    "first state not initial": ({**BARE, "states": TRACE["states"][1:]}, "state 0"),
    "step left out": ({**BARE, "states": [*TRACE["states"][:2], *TRACE["states"][3:]]}, "state 2"),
    "state left out without actions": (
        without_actions({**BARE, "states": [*TRACE["states"][:2], *TRACE["states"][3:]]}), "state 2",
    ),
    "unknown action": (changed("states", 1, "mbt::actionTaken", to="expires"), "expire"),
    "picks of a list": (changed("states", 1, "mbt::nondetPicks", to=[1]), "state 1"),
    "picks without a broker": (changed("states", 1, "mbt::nondetPicks", to={}), "broker"),
    "broker too high": (changed("states", 1, "mbt::nondetPicks", "broker", to={"#bigint": "3"}), "broker"),
    "broker of many digits": (changed("states", 1, "mbt::nondetPicks", "broker", to=BIG), "broker"),
    "broker of text": (changed("states", 1, "mbt::nondetPicks", "broker", to="two"), "state 1"),
    "unknown family": (changed("#meta", "family", to="expire"), "expiry"),
    "unknown fault": (changed("#meta", "faults", to=["no_health_check"]), "no_health_check"),
    "faults of text": (changed("#meta", "faults", to="cleanup_without_health_check"), "faults"),
    "unknown release": (changed("#meta", "release", to="nine"), "release"),
    "unknown bound": (changed("#meta", "set", to={"brokrs": "2"}), "brokers"),
    "bounds of a number": (changed("#meta", "set", to=7), "set"),
    "bound of many digits": (changed("#meta", "set", to={"unloads": "9" * 5000}), "unloads"),
    "unknown law": (changed("#meta", "expect", to={"law": "single-sever", "verdict": "valid"}), "single-server"),
    "unknown law that fails": (changed("#meta", "expect", "law", to="single-sever"), "single-server"),
    "unknown verdict": (changed("#meta", "expect", "verdict", to="broken"), "invalid"),
    "step beyond the end": (changed("#meta", "expect", "step", to=99), "from 0 to 5"),
    "step of text": (changed("#meta", "expect", "step", to="4"), "step"),
    "expect of a list": (changed("#meta", "expect", to=["single-server"]), "expect"),
    "loop beyond the end": ({**TRACE, "loop": 99}, "loop"),
    "loop below zero": ({**TRACE, "loop": -2}, "loop"),
    "loop of text": ({**TRACE, "loop": "first"}, "loop"),
    "loop of a boolean": ({**TRACE, "loop": True}, "loop"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_trace_is_refused_with_its_file(tmp_path: Path, case: str) -> None:
    trace, word = DAMAGED[case]
    path = trace_file(tmp_path, trace)
    found: Outcome = oneowner("replay", path)
    assert found.code in (2, 3), found.said  # never valid, never a reproduced counterexample
    assert str(path) in found.said
    assert word in found.said
    if found.code == 2:
        refused(found, path)


def test_trace_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.itf.json"
    path.write_bytes(b'{"states": ["caf\xe9"]}')
    refused(oneowner("replay", path), path)


def test_loop_that_the_trace_does_not_close_is_unknown(tmp_path: Path) -> None:
    found = oneowner("replay", trace_file(tmp_path, {**TRACE, "loop": 0}))
    assert found.code == 3
    assert "lead back" in found.out


def test_trace_of_a_refused_step_ends_before_it(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("family: expiry\nsteps: ['expire(broker=2)', 'close(broker=2, number=1)']\n")
    out = tmp_path / "run.itf.json"
    assert oneowner("replay", path, "--itf", out).code == 3
    assert len(json.loads(out.read_text())["states"]) == 2


@pytest.mark.parametrize("place", ["missing/run.itf.json", "file/run.itf.json"])
def test_itf_that_cannot_be_written_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    refused(oneowner("replay", QUICK.with_suffix(".yaml"), "--itf", tmp_path / place), tmp_path / place)


def test_itf_of_several_files_is_refused(tmp_path: Path) -> None:
    path = QUICK.with_suffix(".yaml")
    refused(oneowner("replay", path, path, "--itf", tmp_path / "run.itf.json"), "--itf")
