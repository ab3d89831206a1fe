"""Blessing: counts are set in place and for a reason, verdicts for one of their own, and nothing by halves."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.family import COUNTS
from oneowner.checkers.catalogue.holding import fingerprint, in_fingerprints
from oneowner.checkers.ledger import bless
from oneowner.checkers.ledger.blessings import Word, digest_of, read_words, today
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import Rules
from tests.command_line import OCCASIONS, family_row, oneowner, pinned, refused, verdicts, write_ledger

REASON = "A lookup no longer waits"


class Desk:
    """A checkout of one's own with one family, and the output of blessing it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.file = place / "spec" / "channel" / "families" / "tiny.yaml"
        self.blessed = place / "spec" / "channel" / "blessed.yaml"

    def write(self, row: dict[str, Any]) -> None:
        write_ledger(self.place / "spec", row, is_blessed=False)

    def git(self, *arguments: str) -> None:
        name = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = os.environ | name | {"GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(["git", "-C", self.place, *arguments], check=True, capture_output=True, env=environment)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def bless(self, reason: str = REASON, *more: str) -> tuple[int, str]:
        found = oneowner("bless", "--reason", reason, *more)
        return found.code, found.said

    def blesses(self, *more: str) -> str:
        code, output = self.bless(REASON, *more)
        assert code == 0, output
        return output

    def refuses(self, *words: str, reason: str = REASON, more: Sequence[str] = ()) -> None:
        """Assert that a blessing exits with 2, says these words, and writes nothing."""
        before = self.written()
        code, output = self.bless(reason, *more)
        assert (code, self.written()) == (2, before), output
        assert [word for word in words if word not in output] == []

    def written(self) -> list[str]:
        return [path.read_text() for path in (self.file, self.blessed) if path.exists()]

    def words(self) -> dict[str, Word]:
        return read_words(self.blessed)["family"]

    def data(self) -> Any:
        return data_of(self.file.read_text())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, searched_once: None) -> Desk:
    made = Desk(tmp_path)
    monkeypatch.setattr(families, "SPEC", tmp_path / "spec")
    monkeypatch.setitem(RELEASES, "5.0.1", RELEASES["4.0.6"])
    monkeypatch.setenv("CC", "no-such-compiler")  # these models are searched sooner than compiled
    made.git("init", "-q")
    return made


def counts(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in COUNTS)


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines"])
def test_bless_without_a_reason_on_one_line_is_misuse(desk: Desk, reason: str) -> None:
    desk.write(family_row())
    desk.refuses("reason", reason=reason)


def test_bless_of_a_family_that_is_not_there_names_the_nearest(desk: Desk) -> None:
    desk.write(family_row())
    desk.refuses("did you mean tiny", more=["tinny"])


def test_bless_sets_the_counts_and_keeps_every_other_character(desk: Desk) -> None:
    right = pinned()
    desk.write(right)
    text = desk.file.read_text()
    wrong = text.replace(f"states: {right['states']}", "states:   7  # as we thought")
    assert wrong != text
    desk.file.write_text(f"# A comment.\n{wrong}\n# The end.")
    output = desk.blesses()
    expected = wrong.replace("states:   7  #", f"states:   {right['states']}  #")
    assert desk.file.read_text() == f"# A comment.\n{expected}\n# The end."
    assert (
        f"tiny: {right['states']} states, {right['transitions']} transitions, depth {right['depth']} (was 7 states"
        in output
    )


def test_bless_writes_the_last_reason_of_each_row(desk: Desk) -> None:
    own = {count: pinned()[count] for count in COUNTS}
    digest = digest_of((own["states"], own["transitions"], own["depth"]))
    desk.write(pinned(states=7, releases={"5.0.1": None}))
    desk.bless()
    assert desk.words() == dict.fromkeys(("tiny", "tiny@5.0.1"), Word(today(), REASON, digest))
    before = desk.blessed.read_text().splitlines()
    desk.write(pinned(depth=1, releases={"5.0.1": own}))
    desk.bless("Another one")
    assert desk.words() == {"tiny": Word(today(), "Another one", digest), "tiny@5.0.1": Word(today(), REASON, digest)}
    assert [line for line in desk.blessed.read_text().splitlines() if line not in before] == [
        f"  tiny: {{date: '{today()}', reason: Another one, counts: {digest}}}"
    ]


def test_bless_of_what_is_as_blessed_changes_nothing(desk: Desk) -> None:
    desk.write(pinned())
    assert desk.bless()[0] == 0  # it has a line now
    before = desk.file.read_text(), desk.blessed.read_text()
    code, output = desk.bless("Nothing at all")
    assert (code, desk.file.read_text(), desk.blessed.read_text()) == (0, *before)
    assert "0 changes in 1 families" in output


@pytest.mark.parametrize("blank", [{"states": 0, "transitions": 0, "depth": 0}, dict.fromkeys(COUNTS),
                                   dict.fromkeys(COUNTS, ...)])  # fmt: skip
def test_bless_counts_a_new_family_for_the_first_time(desk: Desk, blank: dict[str, Any]) -> None:
    desk.write(family_row(**blank))
    assert "(first pinned)" in desk.blesses()
    assert counts(desk.data()) == counts(pinned())


WRONG = {"single-server": "invalid"}
"""The ledger's pin, though every engine finds the law valid."""


def wrong(**changes: Any) -> dict[str, Any]:
    return pinned(**verdicts(WRONG), **changes)


@pytest.mark.parametrize("reasons", [{}, {"single-server": "It is old."}, {"type-ok": "It is new, of another law."}])
def test_bless_refuses_to_change_a_verdict_without_a_new_reason(desk: Desk, reasons: dict[str, str]) -> None:
    desk.write(wrong(states=7, reason={"single-server": "It is old."}))
    desk.commit()
    desk.write(wrong(states=7, reason=reasons))
    desk.refuses(
        "refused: tiny: single-server is valid (was invalid)",
        "--because 'single-server=why it is so'",
        f"or a new line in {desk.file}: reason: {{single-server: ...}}",
    )


@pytest.mark.parametrize("is_old", [True, False])
def test_bless_changes_a_verdict_whose_row_has_a_new_reason(desk: Desk, is_old: bool) -> None:
    desk.write(wrong(**({"reason": {"single-server": "It is old."}} if is_old else {})))
    desk.commit()
    desk.write(wrong(reason={"single-server": "It holds after all."}))
    assert "single-server is valid (was invalid)" in desk.blesses()
    assert (desk.data()["holds"], "laws" in desk.data()) == (pinned()["holds"], False)
    assert desk.words()["tiny"].reason == REASON


def test_bless_writes_the_reason_that_it_is_given_into_the_row(desk: Desk) -> None:
    desk.write(wrong())
    output = desk.blesses("--because", "single-server=It holds: after all")
    assert (desk.data()["holds"], "laws" in desk.data()) == (pinned()["holds"], False)
    assert desk.data()["reason"] == {"single-server": "It holds: after all"}
    assert families.families()["tiny"].reasons == {"single-server": "It holds: after all"}
    assert "single-server is valid (was invalid): It holds: after all" in output


@pytest.mark.parametrize(("because", "words"), [("single-server", "is LAW=TEXT"), ("single-server=", "on one line"),
                                                ("type-ok=why", "no verdict on it changes")])  # fmt: skip
def test_bless_refuses_a_reason_that_is_about_nothing(desk: Desk, because: str, words: str) -> None:
    desk.write(pinned(states=7))
    desk.refuses(words, more=["--because", because])


@pytest.mark.parametrize(("reasons", "words"), [({"no-law": "x"}, "no such key: no-law"),
                                                ({"type-ok": "two\nlines"}, "one line"),
                                                ({"type-ok": " "}, "one line"), ("why", "a mapping")])  # fmt: skip
def test_reason_of_a_row_is_one_line_about_a_law_or_witness(desk: Desk, reasons: Any, words: str) -> None:
    desk.write(pinned(reason=reasons))
    desk.refuses(words, f"{desk.file}:")


def test_bless_sees_a_verdict_that_was_changed_by_hand(desk: Desk) -> None:
    desk.write(pinned(**verdicts({"type-ok": "unknown"})))
    desk.commit()
    desk.write(pinned())
    desk.refuses("refused: tiny: type-ok is valid (was unknown)")


def test_bless_refuses_to_leave_a_witness_out_without_a_reason(desk: Desk) -> None:
    both = ["transfer-ends", "override-wins"]
    desk.write(pinned(witnesses=both))
    desk.commit()
    desk.refuses("refused: tiny: override-wins is gone (was reached)")
    desk.write(pinned())  # by hand
    desk.refuses()
    desk.write(pinned(reason={"override-wins": "Nobody overrides."}))
    assert desk.bless()[0] == 0
    desk.write(pinned(witnesses=both))
    assert desk.bless(REASON, "--because", "override-wins=Nobody overrides.")[0] == 0
    assert desk.data()["witnesses"] == ["transfer-ends"]
    assert desk.data()["reason"] == {"override-wins": "Nobody overrides."}


def test_bless_leaves_a_row_out_only_for_a_reason(desk: Desk) -> None:
    own = {count: pinned()[count] for count in COUNTS}
    desk.write(pinned(releases={"5.0.1": own}))
    assert desk.bless()[0] == 0
    desk.commit()
    desk.write(pinned())  # the row is gone
    desk.refuses("refused: tiny@5.0.1: left out")
    left_out = "tiny@5.0.1: left out: It has the graph of tiny."
    assert left_out in desk.blesses("--because", "tiny@5.0.1=It has the graph of tiny.")
    assert set(desk.words()) == {"tiny"}


def test_verdict_of_a_family_that_changes_is_that_of_its_releases_too(desk: Desk) -> None:
    desk.write(wrong(releases={"5.0.1": None}))
    output = desk.blesses("--because", "single-server=It holds after all")
    assert "tiny: single-server is valid (was invalid)" in output
    assert "tiny@5.0.1: single-server is valid (was invalid)" in output
    assert desk.data()["releases"]["5.0.1"] == {count: pinned()[count] for count in COUNTS}


def test_bless_proposes_the_rows_of_a_new_law_and_writes_them_with_the_one_reason(desk: Desk) -> None:
    row = pinned(releases={"5.0.1": {count: pinned()[count] for count in COUNTS}})
    row["holds"] = in_fingerprints(law for law in OCCASIONS if law not in ("one-owner", "type-ok"))
    desk.write(row)
    before = desk.file.read_text()
    found = oneowner("bless", "tiny")
    assert (found.code, desk.file.read_text(), desk.blessed.exists()) == (2, before, False)
    proposed = "tiny: new rows, valid: type-ok, one-owner\n"
    assert found.out.count("new rows") == found.out.count(proposed) == 1  # its release has the same
    assert "oneowner bless family tiny --reason" in found.err
    assert proposed in desk.blesses()
    assert desk.data() == row | {"holds": pinned()["holds"]}  # one line of the file
    assert desk.words()["tiny"].reason == REASON


def test_bless_forgets_a_law_that_is_no_longer_declared_for_a_reason(desk: Desk) -> None:
    desk.write(pinned(holds=in_fingerprints([*OCCASIONS, "no-such-law"])))
    mark = fingerprint("no-such-law")
    desk.refuses(f"refused: tiny: {mark} is gone (was valid)")
    assert desk.bless(REASON, "--because", f"{mark}=no-such-law has another name")[0] == 0
    assert desk.data() == pinned()


def test_bless_takes_a_law_out_of_those_that_hold_for_a_reason(desk: Desk) -> None:
    desk.write(pinned(holds=in_fingerprints([*OCCASIONS, "one-elected"])))
    desk.refuses("refused: tiny: one-elected is unknown (was valid)")
    assert desk.bless(REASON, "--because", "one-elected=Nobody is elected")[0] == 0
    assert desk.data() == pinned(laws={"one-elected": "unknown"}, reason={"one-elected": "Nobody is elected"})
    assert oneowner("explore", "tiny").code == 0


FAULTY = Rules(close_before_assign=False)
"""A release in which a law that should hold is broken."""


def test_bless_leaves_a_first_verdict_that_a_law_should_hold_and_fails_to_its_author(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RELEASES, "5.0.1", FAULTY)
    desk.write(family_row(**DRAFT, release="5.0.1"))
    desk.refuses(
        "refused: tiny@5.0.1: single-writer is invalid (had no row)",
        f"its row in {desk.file}: single-writer: invalid",
    )
    because = [words for law in FAILING for words in ("--because", f"{law}=It assigns too early")]
    assert desk.bless(REASON, *because)[0] == 0
    assert desk.data()["laws"]["single-writer"] == "invalid"
    assert "\nlaws:\n  " in desk.file.read_text()  # a row a line


def test_verdict_is_not_new_because_its_row_was_taken_out_since_the_commit(desk: Desk) -> None:
    desk.write(wrong())
    desk.commit()
    desk.write(wrong() | {"laws": {}})
    desk.refuses("refused: tiny: single-server is valid (was invalid)")


DRAFT: dict[str, Any] = dict.fromkeys(("profile", "holds", "witnesses", *COUNTS), ...)
"""A family's omissions that nobody has counted yet."""
FAILING = ("close-is-followed-up", "single-writer", "single-writer-always", "transfer-handshake")


@pytest.mark.parametrize("is_named", [True, False])
def test_bless_completes_a_family_that_has_its_title_and_bounds_alone(desk: Desk, is_named: bool) -> None:
    desk.write(family_row(**DRAFT, **({} if is_named else {"family": "tiny"})))
    text = desk.file.read_text()
    if not is_named:
        desk.file.write_text(text := text.replace("family: tiny\n", "# A scratch.\n") + "laws: {}\n")
    assert "tiny: new rows, valid: " in desk.blesses()
    data = desk.data()
    assert counts(data) == counts(pinned())
    assert (data["holds"], "laws" in data) == (pinned()["holds"], False)
    assert data["witnesses"] == ["unload-ends", "transfer-ends", "version-refuses"]
    assert (data["family"], data["profile"]) == ("tiny", "pr")
    assert desk.words()["tiny"].reason == REASON
    assert desk.bless()[0] == 0


def test_family_without_a_title_is_explored_and_not_pinned(desk: Desk) -> None:
    desk.write(family_row(**DRAFT, title=...))
    assert oneowner("explore", "tiny").code == 0
    before = desk.file.read_text()
    refused(oneowner("bless", "tiny", "--reason", REASON), f"{desk.file}: the key title is missing")
    assert desk.file.read_text() == before


def test_bless_of_a_graph_that_is_not_whole_is_unknown_and_writes_nothing(desk: Desk) -> None:
    bounds = pinned()["bounds"] | {"versions": 4}
    desk.write(pinned(bounds=bounds, states=7))
    before = desk.file.read_text()
    code, output = desk.bless()
    assert (code, desk.file.read_text()) == (3, before)
    assert "unknown: tiny: not all states were visited" in output


def test_bless_counts_every_release_that_a_family_pins(desk: Desk) -> None:
    desk.write(pinned(releases={"5.0.1": None}))
    assert "tiny@5.0.1: " in desk.blesses()
    assert counts(desk.data()["releases"]["5.0.1"]) == counts(pinned())


def test_bless_refuses_a_file_that_the_ledger_cannot_read(desk: Desk) -> None:
    desk.write(pinned(profile="quick"))
    desk.refuses(f"{desk.file}:")


def test_bless_of_all_leaves_out_a_file_that_cannot_be_read_and_names_it(desk: Desk) -> None:
    desk.write(pinned(states=7))
    bad = desk.file.with_name("bad.yaml")
    bad.write_text("bounds: {brokres: 2}\n")
    found = oneowner("bless", "--reason", REASON)
    refused(found, f"{bad}:1: no such bound: brokres")
    assert counts(desk.data()) == counts(pinned())
    assert oneowner("bless", "tiny", "--reason", REASON).code == 0
    refused(oneowner("bless", "bad", "--reason", REASON), f"{bad}:1: no such bound: brokres")


def test_row_of_a_family_that_cannot_be_explored_is_not_taken_for_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(pinned(states=7))
    assert desk.bless()[0] == 0

    def refuse(*given: object) -> None:
        raise Misuse("spec/laws.py:7: <lambda> is no function of a module that is traced")

    monkeypatch.setattr(bless, "plan", refuse)
    found = oneowner("bless", "--reason", REASON)
    refused(found, "spec/laws.py:7: <lambda>")
    assert "left out" not in found.out


def test_bless_tells_how_far_it_is_from_the_first_second(desk: Desk) -> None:
    desk.write(pinned())
    found = oneowner("bless", "tiny", "--progress")
    assert found.err.splitlines()[0] == "tiny (1 of 1): tiny"
    desk.file.with_name("other.yaml").write_text(desk.file.read_text().replace("family: tiny", "family: other"))
    assert (
        "2 files are found anew, one after the other: minutes; --progress says how far it is" in oneowner("bless").out
    )
