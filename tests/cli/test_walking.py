"""The verb ``explore --walks``: never valid, the coverage, refusals, Ctrl-C."""

import re
import signal
import subprocess
import sys

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.model.kernel.system import actions
from oneowner.spec.channel.registry import PROPERTIES
from tests.command_line import VALIDATOR, oneowner, refused

WALKS = ("explore", "expiry", "--walks", 200)


def test_walks_without_a_violation_are_unknown_and_say_what_was_covered() -> None:
    found = oneowner("explore", "lock_manager/stop", "--walks", 200, "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert found.json["reasons"] == ["not all states were visited: 200 random walks of at most 200 steps"]
    assert {row["verdict"] for row in found.json["laws"]} == {"unknown"}
    VALIDATOR.validate(found.json)
    walks = found.json["walks"]
    assert (walks["walks"], walks["depth"], walks["seed"]) == (200, 200, 1)
    assert sum(found.json["actions"].values()) == walks["steps"] == found.json["stats"]["transitions"]
    assert walks["violations"] == {}
    assert found.json["counterexample"] is None


def test_table_of_coverage_has_a_row_for_every_action() -> None:
    out = oneowner(*WALKS).out
    for name in {action.name for action in actions(families()["expiry"].bounds)}:
        assert re.search(rf"^{name} +[\d,]+ +\d+ of \d+$", out, re.MULTILINE)
    assert "every action was taken" in out


def test_actions_that_were_never_taken_are_named() -> None:
    out = oneowner("explore", "expiry", "--walks", 3, "--depth", 1).out
    (never,) = re.findall(r"^never taken: (.*)$", out, re.MULTILINE)
    assert {"append", "consume", "open", "override"} <= set(never.split(", "))
    taken = re.findall(r"^(\w+) +1 +1 of 1$", out, re.MULTILINE)
    assert not set(never.split(", ")) & set(taken)


def test_walk_to_a_documented_violation_is_shown_and_still_unknown() -> None:
    found = oneowner(*WALKS, "--seed", 3)
    assert found.code == 3
    assert re.search(r"walk \d+ broke single-server-always after \d+ steps, of which 6 are needed:", found.out)
    assert "fails in Pulsar, as documented; a counterexample:" in found.out


def test_walk_to_a_violation_says_how_long_it_was_and_is() -> None:
    found = oneowner(*WALKS, "--fault", "cleanup_without_health_check", "--law", "override-names-the-gone")
    assert found.code == 1
    assert re.search(r"walk \d+ broke override-names-the-gone after \d+ steps, (of which|none of which)", found.out)


def test_walks_may_check_one_law_alone() -> None:
    asked = ("explore", "expiry", "--walks", 20, "--engine", "native", "--law", "single-server")
    found = oneowner(*asked, "--json", "-")
    assert [row["law"] for row in found.json["laws"]] == ["single-server"]
    assert [law.name for law in PROPERTIES] != ["single-server"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--depth", 5), ["--depth", "--walks"]),
        (("--seed", 5), ["--seed", "--walks"]),
        (("--walks", 5, "--max-states", 9), ["--max-states"]),
        (("--walks", 5, "--max-memory", "1G"), ["--max-memory"]),
        (("--walks", 5, "--minimise", "perturbations"), ["--minimise"]),
        (("--walks", 5, "--max-time", "soon"), ["soon"]),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[object, ...], words: list[str]) -> None:
    refused(oneowner("explore", "expiry", *arguments), *words)


@pytest.mark.parametrize("arguments", [("--walks", 0), ("--walks", "x"), ("--walks", 1, "--depth", 0),
                                       ("--walks", 1, "--seed", -1)])  # fmt: skip
def test_numbers_out_of_range_are_misuse(arguments: tuple[object, ...]) -> None:
    assert oneowner("explore", "expiry", *arguments).code == 2


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ["native", "c"])
def test_interrupted_walks_are_unknown_and_say_what_they_saw(engine: str) -> None:
    command = (sys.executable, "-m", "oneowner", "explore", "expiry", "--walks", "1000000000", "--progress", "--engine")
    with subprocess.Popen([*command, engine], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        assert any("steps/s" in line for line in child.stderr)  # on a busy machine it first tells how it gets ready
        child.send_signal(signal.SIGINT)
        out, error = child.communicate(timeout=30)
    assert child.returncode == 3
    assert "Traceback" not in error
    assert re.search(r"[\d,]+ random walks of at most 200 steps, of 1,000,000,000 asked for; interrupted", out)
    assert out.splitlines()[-1].endswith("unknown")


def test_walks_have_no_symmetry() -> None:
    refused(oneowner("explore", "transfer", "--walks", "5", "--symmetry"), "--symmetry goes without --walks")
