"""Scenario files: they are read back as written, misspelt ones are refused with file and line."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.catalogue.families import bounds_under
from oneowner.checkers.catalogue.family import Family, bounds_with
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, read_scenario, write_scenario
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.system import initial_states
from oneowner.spec.channel.registry import PROPERTIES
from tests.channel import channel_families
from tests.command_line import QUICK, oneowner, refused
from tests.model.channel.strategies import choices, enabled, steadily

FAMILIES = sorted(channel_families().values(), key=lambda one: one.name)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=40)


CHANGES: list[dict[str, int]] = [{}, {"versions": 20}, {"brokers": 2, "units": 2, "versions": 20}]


def fits(family: Family, changes: dict[str, int]) -> bool:
    """Return whether the family can have these bounds: some behaviour is modelled for one unit alone."""
    try:
        bounds_with(family.bounds, changes)
    except Misuse:
        return False
    return True


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """A random walk through a family, with everything that a scenario may contain."""
    family = draw(st.sampled_from(FAMILIES))
    changes = draw(st.sampled_from([one for one in CHANGES if fits(family, one)]))
    faults = draw(st.sampled_from([(), ("no_version_check",), ("assign_before_close", "no_broker_check")]))
    bounds = bounds_under(bounds_with(family.bounds, changes), "4.0.6", faults)
    (state,) = initial_states(bounds)
    steps = []
    for choice in draw(choices(8)):
        options = enabled(state)
        if not options:
            break
        action, state = options[choice % len(options)]
        steps.append(action)
    law = draw(st.none() | st.sampled_from([law.name for law in PROPERTIES]))
    expect = Expectation(law, draw(st.sampled_from(Verdict)), draw(st.none() | st.integers(0, len(steps))))
    return Scenario(
        path=Path("walk.yaml"), family=family.name, steps=tuple(steps), bounds=bounds, title=draw(NAMES),
        story=draw(NAMES), settings=changes, faults=faults, expect=draw(st.sampled_from([None, expect])),
        loop=draw(st.none() | st.integers(1, len(steps))) if steps else None,
    )  # fmt: skip


def test_scenario_that_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("walks") / "walk.yaml"

    @settings(steadily, max_examples=10)
    @given(scenarios())
    def back_and_forth(scenario: Scenario) -> None:
        path.write_text(write_scenario(scenario), encoding="utf-8")
        again = read_scenario(path)
        assert replace(again, path=scenario.path, lines=()) == scenario
        assert write_scenario(again) == write_scenario(scenario)

    back_and_forth()


def test_scenario_knows_the_line_of_each_step() -> None:
    path = QUICK.with_suffix(".yaml")
    scenario = read_scenario(path)
    lines = path.read_text().splitlines()
    assert [lines[line - 1].strip("- ").partition("(")[0] for line in scenario.lines] == [
        action.name for action in scenario.steps
    ]


@pytest.mark.parametrize(
    "step",
    [
        "override(broker=1, destination=1)", "override(broker=1, unit=1, destination=1)",
        "override(destination=1, broker=1)", " override( broker = 1 ,destination=1 ) ",
    ],
)  # fmt: skip
def test_step_may_leave_out_what_has_one_value_and_name_the_rest_in_any_order(tmp_path: Path, step: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(f"family: expiry\nsteps:\n  - {step}\n")
    assert [str(action) for action in read_scenario(path).steps] == ["override(broker=1, unit=1, destination=1)"]


def test_step_must_name_its_unit_where_there_are_two(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("family: expiry\nset: {units: 2, versions: 20}\nsteps:\n  - override(broker=1, destination=1)\n")
    refused(oneowner("replay", path), f"{path}:4: ", "unit")


SCENARIO = """\
family: expiry
title: An edited one
set:
  unloads: 0
  assigns: 0
faults:
  - cleanup_without_health_check
expect:
  law: override-names-the-gone
  verdict: invalid
  step: 5
steps:
  - expire(broker=2)
  - reestablish(broker=2)
  - notice(observer=1, broker=2)
  - register(broker=2)
  - override(broker=1, destination=1)
"""

TYPOS: dict[str, tuple[str, str, int, str]] = {
    # what stands there, what is typed instead, the line, a word that helps
    "unknown key": ("title:", "titel:", 2, "title"),
    "key of a number": ("title:", "7:", 2, "title"),
    "no family": ("family: expiry\n", "", 1, "family"),
    "no steps": (SCENARIO[SCENARIO.index("steps:") :], "", 1, "steps"),
    "unknown family": ("family: expiry", "family: expiri", 1, "expiry"),
    "family of a list": ("family: expiry", "family: [expiry]", 1, "expiry"),
    "no release": ("title: An edited one", "release: 4.0.x", 2, "4.0.7"),
    "release that is older than all": (
        "title: An edited one",
        "release: 2.9.0",
        2,
        "the oldest known release is 3.0.0",
    ),
    "unknown bound": ("unloads: 0", "unlods: 0", 4, "unloads"),
    "bound of text": ("unloads: 0", "unloads: none", 4, "unloads"),
    "bound of a number": ("unloads: 0", "7: 0", 4, "list bounds"),
    "bound below zero": ("assigns: 0", "assigns: -1", 5, "assigns"),
    "set of text": ("set:\n  unloads: 0\n  assigns: 0", "set: unloads\n\n", 3, "set"),
    "set of a list": ("  unloads: 0\n  assigns: 0", "  - unloads\n", 3, "set"),
    "unknown storage": ("title: An edited one", "storage: metadatastore", 2, "metadata-store"),
    "unknown fault": ("cleanup_without", "clean_up_without", 7, "cleanup_without_health_check"),
    "faults of text": ("faults:\n  - cleanup_without_health_check", "faults: cleanup\n", 6, "faults"),
    "unknown law": ("override-names-the-gone", "override-names-gone", 9, "override-names-the-gone"),
    "law of a list": ("law: override-names-the-gone", "law: [single-server]", 9, "law"),
    "law of a mapping": ("law: override-names-the-gone", "law: {single-server: 1}", 9, "law"),
    "unknown key in expect": ("verdict: invalid", "verdic: invalid", 10, "verdict"),
    "unknown verdict": ("verdict: invalid", "verdict: broken", 10, "invalid"),
    "expect of a list": ("  law: override-names-the-gone\n  verdict: invalid\n  step: 5", "  - law\n\n\n", 8, "expect"),
    "step beyond the end": ("step: 5", "step: 6", 11, "5"),
    "step below zero": ("step: 5", "step: -1", 11, "5"),
    "step of text": ("step: 5", "step: last", 11, "5"),
    "unknown action": ("expire(", "expires(", 13, "expire"),
    "action that these bounds lack": ("expire(broker=2)", "crash(broker=2)", 13, "crash"),
    "unknown parameter": ("observer=1", "observr=1", 15, "observer"),
    "missing parameter": ("notice(observer=1, broker=2)", "notice(observer=1)", 15, "broker"),
    "no parameters": ("notice(observer=1, broker=2)", "notice", 15, "observer"),
    "broker of zero": ("register(broker=2)", "register(broker=0)", 16, "1, 2"),
    "broker too high": ("register(broker=2)", "register(broker=3)", 16, "1, 2"),
    "broker below zero": ("register(broker=2)", "register(broker=-1)", 16, "broker=-1"),
    "broker of text": ("register(broker=2)", "register(broker=two)", 16, "broker=two"),
    "broker of many digits": ("register(broker=2)", f"register(broker={'9' * 5000})", 16, "broker"),
    "parameter twice": ("register(broker=2)", "register(broker=2, broker=1)", 16, "broker"),
    "trailing comma": ("register(broker=2)", "register(broker=2,)", 16, "register"),
    "parenthesis left open": ("register(broker=2)", "register(broker=2", 16, "register"),
    "step of a number": ("register(broker=2)", "7", 16, "7"),
    "step of nothing": ("  - register(broker=2)", "  -", 16, "action"),
    "step of a mapping": ("register(broker=2)", "register: {broker: 2}", 16, "register"),
    "steps of text": (SCENARIO[SCENARIO.index("steps:") :], "steps: expire(broker=2)\n", 12, "steps"),
    "steps of a mapping": (SCENARIO[SCENARIO.index("steps:") :], "steps: {expire: 2}\n", 12, "steps"),
    "key twice": ("title: An edited one", "family: assignment", 2, "family"),
    "key in expect twice": ("verdict: invalid", "law: override-names-the-gone", 10, "law"),
    "loop of zero": ("title: An edited one", "loop: 0", 2, "6"),
    "loop beyond the end": ("title: An edited one", "loop: 7", 2, "6"),
    "loop of text": ("title: An edited one", "loop: first", 2, "loop"),
    "tab": ("  unloads", "\tunloads", 4, "YAML"),
    "quote left open": ("An edited one", "'An edited one", 0, "YAML"),
    "bracket left open": ("An edited one", "[An edited one", 0, "YAML"),
}


@pytest.mark.parametrize("case", TYPOS)
def test_scenario_with_a_typo_is_refused_with_file_and_line(tmp_path: Path, case: str) -> None:
    old, new, line, word = TYPOS[case]
    assert SCENARIO.count(old) == 1
    path = tmp_path / "edited.yaml"
    path.write_text(SCENARIO.replace(old, new))
    refused(oneowner("replay", path), f"{path}:{line or ''}", word)
    if line:
        assert f"{path}:{line}: " in oneowner("replay", path).err


def test_scenario_without_a_typo_is_reproduced(tmp_path: Path) -> None:
    path = tmp_path / "edited.yaml"
    path.write_text(SCENARIO)
    assert oneowner("replay", path).code == 1


@pytest.mark.parametrize("text", ["# nothing\n", "- family: expiry\n", "expiry\n", "7\n"])
def test_scenario_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "edited.yaml"
    path.write_text(text)
    refused(oneowner("replay", path), f"{path}:1: ", "family", "steps")


@pytest.mark.parametrize("name", ["missing.yaml", "missing.itf.json"])
def test_scenario_that_is_missing_is_refused(tmp_path: Path, name: str) -> None:
    refused(oneowner("replay", tmp_path / name), tmp_path / name, "o such file")


def test_scenario_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "edited.yaml"
    path.write_bytes(b"family: expiry\ntitle: caf\xe9\nsteps: []\n")
    refused(oneowner("replay", path), f"{path}:2: ", "UTF-8")
