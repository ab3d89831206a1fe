"""Blessing: counts are set in place and for a reason, verdicts only by a decision, and nothing by halves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.ledger import bless as blessing
from oneowner.checkers.ledger import families
from oneowner.checkers.ledger.bless import main
from oneowner.checkers.ledger.checkout import changed_entries
from oneowner.checkers.ledger.family import COUNTS
from oneowner.checkers.ledger.history import blessed
from oneowner.model.channel.releases import RELEASES
from tests.command_line import family_row, pinned, write_ledger

REASON = "A lookup no longer waits"


class Desk:
    """A checkout of one's own with one family, and what blessing it says."""

    def __init__(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.place, self.capsys = place, capsys
        self.file = place / "spec" / "channel" / "families" / "tiny.yaml"
        self.history = place / "spec" / "channel" / "families" / "HISTORY.md"

    def write(self, row: dict[str, Any]) -> None:
        write_ledger(self.place / "spec", row, is_blessed=False)

    def git(self, *arguments: str) -> None:
        name = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = os.environ | name | {"GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(["git", "-C", self.place, *arguments], check=True, capture_output=True, env=environment)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def bless(self, reason: str = REASON, *names: str) -> tuple[int, str]:
        code = main(["--reason", reason, *names])
        said = self.capsys.readouterr()
        return code, said.out + said.err

    def data(self) -> Any:
        return yaml.safe_load(self.file.read_text())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    made = Desk(tmp_path, capsys)
    monkeypatch.setattr(families, "SPEC", tmp_path / "spec")
    monkeypatch.setattr(blessing, "MEASURED", tmp_path / "measured.md")
    monkeypatch.setitem(RELEASES, "master", RELEASES["4.0.6"])
    made.git("init", "-q")
    (tmp_path / "measured.md").write_text(
        "# Decisions\n\n- **Old.** In tiny, single-server and type-ok are what they are.\n"
    )
    made.commit()
    return made


def counts(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in COUNTS)


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines"])
def test_bless_without_a_reason_on_one_line_is_misuse(desk: Desk, reason: str) -> None:
    desk.write(family_row())
    before = desk.file.read_text()
    code, said = desk.bless(reason)
    assert (code, desk.file.read_text(), desk.history.exists()) == (2, before, False)
    assert "reason" in said


def test_bless_of_a_family_that_is_not_there_names_the_nearest(desk: Desk) -> None:
    desk.write(family_row())
    code, said = desk.bless(REASON, "tinny")
    assert code == 2
    assert "did you mean tiny" in said


def test_bless_sets_the_counts_and_keeps_every_other_character(desk: Desk) -> None:
    right = pinned()
    desk.write(right)
    text = desk.file.read_text()
    wrong = text.replace(f"states: {right['states']}", "states:   7  # as we thought")
    assert wrong != text
    desk.file.write_text(f"# A comment.\n{wrong}\n# The end.")
    code, said = desk.bless()
    assert code == 0
    expected = wrong.replace("states:   7  #", f"states:   {right['states']}  #")
    assert desk.file.read_text() == f"# A comment.\n{expected}\n# The end."
    assert (
        f"tiny: {right['states']} states, {right['transitions']} transitions, depth {right['depth']} (was 7 states"
        in said
    )


def test_bless_writes_the_reason_and_the_counts_into_the_history(desk: Desk) -> None:
    desk.write(pinned(states=7))
    desk.bless()
    first = desk.history.read_text()
    assert f"## {REASON}\n\n- tiny: " in first
    desk.write(pinned(depth=1))
    desk.bless("Another one")
    assert desk.history.read_text().startswith(first)
    assert blessed(desk.history.read_text()) == {"tiny": counts(pinned())}


def test_bless_of_what_is_as_blessed_changes_nothing(desk: Desk) -> None:
    desk.write(pinned())
    assert desk.bless()[0] == 0  # the history begins
    before = desk.file.read_text(), desk.history.read_text()
    code, said = desk.bless("Nothing at all")
    assert (code, desk.file.read_text(), desk.history.read_text()) == (0, *before)
    assert "0 changes in 1 families" in said


@pytest.mark.parametrize("blank", [{"states": 0, "transitions": 0, "depth": 0}, dict.fromkeys(COUNTS),
                                   dict.fromkeys(COUNTS, ...)])  # fmt: skip
def test_bless_counts_a_new_family_for_the_first_time(desk: Desk, blank: dict[str, Any]) -> None:
    desk.write(family_row(**blank))
    code, said = desk.bless()
    assert code == 0
    assert counts(desk.data()) == counts(pinned())
    assert "(first pinned)" in said


def test_bless_refuses_to_change_a_verdict_that_nobody_decided(desk: Desk) -> None:
    # The old entry names family and law too, but it is as old as the commit before the last.
    desk.write(pinned(laws=pinned()["laws"] | {"single-server": "invalid"}, states=7))
    desk.commit()
    before = desk.file.read_text()
    code, said = desk.bless()
    assert (code, desk.file.read_text(), desk.history.exists()) == (2, before, False)
    assert "refused: tiny: single-server is valid (was invalid)" in said
    assert "measured.md" in said


@pytest.mark.parametrize("is_committed", [True, False])
def test_bless_changes_a_verdict_that_a_new_entry_decides(desk: Desk, is_committed: bool) -> None:
    desk.write(pinned(laws=pinned()["laws"] | {"single-server": "invalid"}))
    desk.commit()
    with (desk.place / "measured.md").open("a") as stream:
        stream.write("- **New.** In `tiny`,\n  `single-server` holds after all.\n")
    if is_committed:
        desk.commit()
    code, said = desk.bless()
    assert code == 0
    assert desk.data()["laws"]["single-server"] == "valid"
    assert "single-server is valid (was invalid)" in said
    assert "single-server is valid (was invalid)" in desk.history.read_text()


@pytest.mark.parametrize("entry", ["- In tiny-too, single-server holds.", "- In tiny, single-server-always holds.",
                                   "In tiny, single-server holds."])  # fmt: skip
def test_bless_is_not_satisfied_by_an_entry_about_something_else(desk: Desk, entry: str) -> None:
    desk.write(pinned(laws=pinned()["laws"] | {"single-server": "invalid"}))
    desk.commit()
    with (desk.place / "measured.md").open("a") as stream:
        stream.write(f"{entry}\n")
    assert desk.bless()[0] == 2


def test_bless_sees_a_verdict_that_was_changed_by_hand(desk: Desk) -> None:
    desk.write(pinned(laws=pinned()["laws"] | {"type-ok": "unknown"}))
    desk.commit()
    desk.write(pinned())
    code, said = desk.bless()
    assert code == 2
    assert "refused: tiny: type-ok is valid (was unknown)" in said


def test_bless_refuses_to_leave_a_witness_out_that_nobody_decided(desk: Desk) -> None:
    desk.write(pinned(witnesses=["transfer-ends", "override-wins"]))
    desk.commit()
    code, said = desk.bless()
    assert code == 2
    assert "refused: tiny: witness override-wins is not reached" in said
    desk.write(pinned())  # by hand
    assert desk.bless()[0] == 2
    desk.write(pinned(witnesses=["transfer-ends", "override-wins"]))
    with (desk.place / "measured.md").open("a") as stream:
        stream.write("- In tiny nobody overrides: override-wins is left out.\n")
    assert desk.bless()[0] == 0
    assert desk.data()["witnesses"] == ["transfer-ends"]


def test_bless_leaves_a_row_out_only_if_somebody_decided_it(desk: Desk) -> None:
    own = {count: pinned()[count] for count in COUNTS}
    desk.write(pinned(releases={"master": own}))
    assert desk.bless()[0] == 0
    desk.commit()
    desk.write(pinned())  # the row is gone
    told = desk.history.read_text()
    code, said = desk.bless()
    assert (code, desk.history.read_text()) == (2, told)
    assert "refused: tiny@master: left out" in said
    with (desk.place / "measured.md").open("a") as stream:
        stream.write("- tiny@master is left out: it has the graph of tiny.\n")
    assert desk.bless()[0] == 0
    assert set(blessed(desk.history.read_text())) == {"tiny"}


def test_bless_leaves_the_row_of_a_new_law_that_has_an_occasion_to_its_author(desk: Desk) -> None:
    row = pinned()
    del row["laws"]["one-owner"]
    desk.write(row)
    before = desk.file.read_text()
    code, said = desk.bless()
    assert (code, desk.file.read_text()) == (2, before)
    assert "one-owner has no row, and is valid" in said


def test_bless_of_a_graph_that_is_not_whole_is_unknown_and_writes_nothing(desk: Desk) -> None:
    bounds = pinned()["bounds"] | {"versions": 4}
    desk.write(pinned(bounds=bounds, states=7))
    before = desk.file.read_text()
    code, said = desk.bless()
    assert (code, desk.file.read_text()) == (3, before)
    assert "unknown: tiny: not all states were visited" in said


def test_bless_counts_every_release_that_a_family_pins(desk: Desk) -> None:
    desk.write(pinned(releases={"master": None}))
    code, said = desk.bless()
    assert code == 0
    assert counts(desk.data()["releases"]["master"]) == counts(pinned())
    assert "tiny@master: " in said


def test_bless_refuses_a_file_that_the_ledger_cannot_read(desk: Desk) -> None:
    desk.write(pinned(profile="quick"))
    code, said = desk.bless()
    assert code == 2
    assert f"{desk.file}:" in said


def test_changed_entries_outside_a_checkout_are_none(tmp_path: Path) -> None:
    path = tmp_path / "measured.md"
    path.write_text("- one\n")
    assert changed_entries(path) == []


def test_shallow_clone_does_not_know_what_came_with_its_commit(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", str(tmp_path / "whole"), *who, *arguments], check=True, capture_output=True)

    path = tmp_path / "whole" / "measured.md"
    path.parent.mkdir()
    git("init")
    for text in ("- one\n", "- one\n- two\n"):
        path.write_text(text)
        git("add", ".")
        git("commit", "-m", "x")
    whole, shallow = f"file://{path.parent}", tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", whole, str(shallow)], check=True, capture_output=True)
    assert changed_entries(path) == ["two"]
    assert changed_entries(shallow / "measured.md") == []
    (shallow / "measured.md").write_text("- one\n- two\n- three\n")
    assert changed_entries(shallow / "measured.md") == ["three"]
