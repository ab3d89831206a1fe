"""The ledger reader: a correct ledger is read, every typo is refused with file and line."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.catalogue import families
from oneowner.checkers.catalogue.families import faults
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.ledger.blessings import read_words, text_of
from oneowner.checkers.ledger.gate import Task, check
from oneowner.checkers.ledger.kills import fault_matrix
from oneowner.checkers.ledger.kinds import KINDS
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from tests.command_line import FAULT, TINY, family_row, oneowner, refused, verdicts, word_on, write_ledger


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(families, "SPEC", write_ledger(tmp_path / "spec", family_row(), faults=[FAULT]))
    return tmp_path / "spec"


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start))


def test_ledger_reads_a_family_as_it_is_written(spec: Path) -> None:
    (family,) = families.families().values()
    assert family.name == "tiny"
    assert family.bounds == TINY
    assert family.bounds.storage is Storage.METADATA_STORE
    assert family.laws["single-server"] is Verdict.VALID
    assert family.laws["override-names-the-gone"] is Verdict.UNKNOWN
    assert family.witnesses == ("transfer-ends",)


def test_ledger_reads_a_fault_as_it_is_written(spec: Path) -> None:
    (fault,) = faults().values()
    assert (fault.name, fault.law, fault.family, fault.steps) == ("early", "single-writer", "tiny", 6)
    assert dict(fault.rules) == {"close_before_assign": False}


ROWS: dict[str, tuple[dict[str, Any], str, str]] = {
    # what is changed, the start of the line that is wrong, a word of the complaint
    "unknown key": ({"stats": 3}, "stats", "stats"),
    "missing key": ({"depth": ...}, "", "depth"),
    "missing holds": ({"holds": ...}, "", "holds"),
    "unknown bound": ({"bounds": {"brokers": 2, "unlods": 1}}, "unlods", "unloads"),
    "bound of text": ({"bounds": {"brokers": "two"}}, "brokers", "brokers"),
    "bound below zero": ({"bounds": {"brokers": 2, "unloads": -1}}, "unloads", "unloads"),
    "no brokers": ({"bounds": {"brokers": 0}}, "brokers", "brokers"),
    "bound of a fraction": ({"bounds": {"brokers": 1.5}}, "brokers", "brokers"),
    "bound of a boolean": ({"bounds": {"brokers": True}}, "brokers", "brokers"),
    "unknown storage": ({"bounds": {"storage": "metadata-stor"}}, "storage", "metadata-store"),
    "bounds that do not fit": ({"bounds": {"brokers": 2, "owner": 3}}, "bounds", "owner"),
    "bounds as a list": ({"bounds": ["brokers"]}, "bounds", "bounds"),
    "bounds of nothing": ({"bounds": None}, "bounds", "bounds"),
    "unknown law": ({"laws": {"single-sever": "invalid"}}, "single-sever", "single-sever"),
    "unknown verdict": (verdicts({"type-ok": "green"}), "type-ok", "valid"),
    "verdict of a number": (verdicts({"type-ok": 1}), "type-ok", "valid"),
    "laws as a list": ({"laws": ["type-ok"]}, "laws", "laws"),
    "law that is counted too": ({"laws": {"type-ok": "invalid"}}, "type-ok", "type-ok"),
    "law that holds and is listed": ({**verdicts({}, ()), "laws": {"type-ok": "valid"}}, "type-ok", "holds"),
    "holds of too many": ({"holds": "2 laws, abc"}, "holds", "oneowner bless"),
    "holds of a fingerprint twice": ({"holds": "2 laws, abcabc"}, "holds", "oneowner bless"),
    "holds of a list": ({"holds": ["abc"]}, "holds", "holds"),
    "unknown witness": ({"witnesses": ["transfer-ends", "unload-end"]}, "- unload-end", "unload-ends"),
    "witnesses as text": ({"witnesses": "transfer-ends"}, "witnesses", "witnesses"),
    "witnesses of nothing": ({"witnesses": None}, "witnesses", "witnesses"),
    "witness of a mapping": ({"witnesses": [{"transfer-ends": 1}]}, "- transfer-ends", "witness"),
    "unknown profile": ({"profile": "smok"}, "profile", "smoke"),
    "profile of a list": ({"profile": ["smoke"]}, "profile", "smoke"),
    "states of text": ({"states": "many"}, "states", "states"),
    "states below zero": ({"states": -1}, "states", "states"),
    "states of a boolean": ({"states": True}, "states", "states"),
    "transitions of nothing": ({"transitions": None}, "transitions", "transitions"),
    "depth of a fraction": ({"depth": 1.5}, "depth", "depth"),
    "depth below zero": ({"depth": -3}, "depth", "depth"),
}


@pytest.mark.parametrize("case", ROWS)
def test_family_with_a_typo_is_refused_with_file_and_line(spec: Path, case: str) -> None:
    change, at, word = ROWS[case]
    write_ledger(spec, family_row(**change))
    path = spec / "channel" / "families" / "tiny.yaml"
    text = path.read_text()
    line = line_of(text, at) if at else 1
    refused(oneowner("list", "families"), f"{path}:{line}: ", word)


TEXTS: dict[str, tuple[str, int | None]] = {
    # the file, and the line that is to be named
    "empty": ("", 1),
    "only a comment": ("# to be written\n", 1),
    "a list": ("- family: tiny\n", 1),
    "a word": ("tiny\n", 1),
    "syntax": ("family: tiny\ntitle: [open\n", None),
    "tab": ("family: tiny\n\ttitle: x\n", 2),
    "a key twice": (yaml.safe_dump(family_row(), sort_keys=False) + "depth: 2\n", None),
    "a law twice": (
        yaml.safe_dump(family_row(), sort_keys=False) + "laws:\n  type-ok: invalid\n  type-ok: invalid\n",
        None,
    ),
    "a key that is a number": (yaml.safe_dump(family_row(), sort_keys=False) + "7: 2\n", None),
    "two documents": ("family: tiny\n---\nfamily: tiny\n", None),
    "control character": ("family: tiny\ntitle: \x07\n", 2),
    "an object": ("family: tiny\ntitle: !!python/object:os.system x\n", 2),
    "endless": ("family: &a [*a]\n", None),
}


@pytest.mark.parametrize("case", TEXTS)
def test_family_file_that_is_damaged_is_refused_with_file_and_line(spec: Path, case: str) -> None:
    text, line = TEXTS[case]
    path = spec / "channel" / "families" / "tiny.yaml"
    path.write_text(text)
    refused(oneowner("list", "families"), f"{path}:{line or ''}")


BAD = {
    "a typo": ("bounds: {brokres: 2}\n", "bad.yaml:1: no such bound: brokres"),
    "damaged": ("title: [open\n", "bad.yaml:"),
    "another name": (yaml.safe_dump(family_row(family="good")), "family refused: good"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", BAD)
def test_family_file_that_cannot_be_read_stops_nothing_but_itself(spec: Path, case: str) -> None:
    text, words = BAD[case]
    (spec / "channel" / "families" / "bad.yaml").write_text(text)
    blessed = read_words(spec / "channel" / "blessed.yaml")["family"] | {"bad": word_on((7, 9, 2))}
    (spec / "channel" / "blessed.yaml").write_text(text_of({"family": blessed}))
    assert list(families.families()) == ["tiny"]
    listed = oneowner("list", "families")
    refused(listed, words)
    assert "One unit, one transfer, one unload" in listed.out
    refused(oneowner("explore", "bad"), words)
    assert oneowner("list", "faults").code == 0
    assert oneowner("explore", "tiny", "--fault", "early", "--engine", "native").code == 1
    rows = {name: check(Task("family", name, 1)) for name, _ in KINDS["family"].rows("smoke")}
    assert list(rows) == ["tiny", "bad"]
    assert (rows["bad"].ok, rows["bad"].says) == (False, Verdict.UNKNOWN)
    assert words in rows["bad"].reasons[0]


def test_faults_of_a_family_that_cannot_be_read_are_unknown_and_the_others_are_killed(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ledger(spec, family_row(), faults=[FAULT, FAULT | {"fault": "other", "family": "bad"}])
    (spec / "channel" / "families" / "bad.yaml").write_text(BAD["a typo"][0])
    (spec / "channel" / "hypotheses.yaml").write_text("[]\n")
    monkeypatch.setattr(fault_matrix, "in_parallel", lambda work, items, _: {item: work(item) for item in items})
    found = oneowner("faults", "early", "--recompute", "--json", "-")
    assert (found.code, found.json["reasons"]) == (0, [])
    found = oneowner("faults", "--recompute", "--json", "-")
    assert (found.code, found.json["verdict"]) == (3, "unknown")
    assert {row["name"]: row["verdict"] for row in found.json["faults"]} == {"early": "killed", "other": "unknown"}
    assert any(BAD["a typo"][1] in reason for reason in found.json["reasons"])


def test_family_file_that_is_not_utf8_is_refused_with_its_line(spec: Path) -> None:
    path = spec / "channel" / "families" / "tiny.yaml"
    path.write_bytes(b"family: tiny\ntitle: caf\xe9\n")
    refused(oneowner("list", "families"), f"{path}:2: ", "UTF-8")


def test_two_files_of_one_family_are_refused(spec: Path) -> None:
    row = yaml.safe_dump(family_row(states=7), sort_keys=False)
    (spec / "channel" / "families" / "again.yaml").write_text(row)
    refused(oneowner("list", "families"), spec / "channel" / "families", "tiny")


def test_ledger_without_a_family_is_refused(spec: Path) -> None:
    (spec / "channel" / "families" / "tiny.yaml").unlink()
    refused(oneowner("list", "families"), spec / "channel" / "families")


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown key": ({"lawn": "x"}, "lawn", "lawn"),
    "missing key": ({"law": ...}, "- fault", "law"),
    "unknown law": ({"law": "single-sever"}, "law", "single-server"),
    "unknown family": ({"family": "tinny"}, "family", "tiny"),
    "unknown rule": ({"rules": {"close_before_asign": False}}, "close_before_asign", "close_before_asign"),
    "rules as a list": ({"rules": ["close_before_assign"]}, "rules", "rules"),
    "rules of nothing": ({"rules": None}, "rules", "rules"),
    "rule of text": ({"rules": {"close_before_assign": "no way"}}, "close_before_assign", "close_before_assign"),
    "steps below zero": ({"steps": -1}, "steps", "steps"),
    "steps of text": ({"steps": "six"}, "steps", "steps"),
    "scenario of nothing": ({"scenario": None}, "scenario", "scenario"),
    "fault of a number": ({"fault": 7}, "- fault", "fault"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_fault_with_a_typo_is_refused_with_file_and_line(spec: Path, case: str) -> None:
    change, at, word = FAULTS[case]
    row = {key: value for key, value in (FAULT | change).items() if value is not ...}
    write_ledger(spec, family_row(), faults=[FAULT | {"fault": "first"}, row])
    path = spec / "channel" / "faults.yaml"
    lines = path.read_text().splitlines()
    second = 1 + max(number for number, line in enumerate(lines) if line.startswith("- "))
    line = second - 1 + line_of("\n".join(lines[second - 1 :]), at)
    refused(oneowner("list", "faults"), f"{path}:{line}: ", word)


@pytest.mark.parametrize("text", ["", "fault: early\n", "early\n", "- early\n", "- [open\n", "-\n"])
def test_fault_catalogue_that_is_no_list_of_faults_is_refused(spec: Path, text: str) -> None:
    (spec / "channel" / "faults.yaml").write_text(text)
    refused(oneowner("list", "faults"), f"{spec / 'channel' / 'faults.yaml'}:")


def test_two_faults_of_one_name_are_refused(spec: Path) -> None:
    write_ledger(spec, family_row(), faults=[FAULT, FAULT | {"steps": 7}])
    refused(oneowner("list", "faults"), f"{spec / 'channel' / 'faults.yaml'}:", "early")


def test_fault_catalogue_that_is_missing_is_refused(spec: Path) -> None:
    (spec / "channel" / "faults.yaml").unlink()
    refused(oneowner("list", "faults"), spec / "channel" / "faults.yaml")


@pytest.mark.parametrize("value", ["-1", "1.5", "", " ", "two", "100", "1e1", "²", "٣", "0x2", "9" * 5000])
def test_bound_that_is_no_small_number_is_refused(value: str) -> None:
    with pytest.raises(Misuse, match="unloads"):
        bounds_with(Bounds(), {"unloads": value})


def test_suggestion_names_the_nearest_or_the_verb_that_lists_all() -> None:
    refused(oneowner("explore", "transfr"), "transfr", "did you mean transfer", "oneowner list families lists all")
    refused(oneowner("explore", "shut"), "did you mean shutdown or shutdown-race or shutdown-roles?")
    found = oneowner("explore", "zzzz")
    refused(found, "no such family: zzzz; oneowner list families lists all\n")
