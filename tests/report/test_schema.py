"""The published JSON Schema describes what every verb writes, and refuses everything that is missing or mistyped."""

import copy
from collections.abc import Iterator
from functools import cache, reduce
from operator import getitem
from typing import Any

import pytest

from tests.command_line import QUICK, REAL, SCHEMA, VALIDATOR, items_of, oneowner

COMMON = ("tool", "version", "schema", "verb", "verdict", "reasons", "stats", "laws", "findings", "refusals")
STATS = ("events", "units", "accepted", "refused", "states", "transitions", "depth", "seconds")
LAW = ("law", "status", "expected", "verdict", "exercised")
FINDING = ("law", "severity", "unit", "at", "brokers", "why", "held", "proposed", "guard", "repair")
REFUSAL = ("unit", "messageId", "rule", "why")
INTERVAL = ("unit", "broker", "state", "from", "to")
ROW = ("kind", "name", "expected", "verdict", "ok", "seconds")
"""The keys of the contract, copied by hand."""

DOCUMENTS: dict[str, tuple[str, ...]] = {
    "explore": ("explore", "expiry", "--fault", "cleanup_without_health_check"),
    "explore without a counterexample": ("explore", "expiry", "--max-states", "20"),
    "explore by walks": ("explore", "expiry", "--walks", "3", "--engine", "native"),
    "replay": ("replay", str(QUICK.with_suffix(".yaml"))),
    "list": ("list",),
    "audit": ("audit", str(REAL / "split"), "--engine", "inline"),
    "audit of a metadata store": ("audit", str(REAL / "metadata-store"), "--engine", "inline"),
    "timeline": ("timeline", str(REAL / "split"), "--engine", "inline"),
    "timeline at a time": ("timeline", str(REAL / "split"), "--engine", "inline", "--at", "2026-01-01"),
}
OWN = {
    "explore": ("counterexample", "actions", "witnesses"), "timeline": ("intervals",), "list": ("list",),
    "audit": ("incidents",), "replay": (), "gate": ("rows",),
}  # fmt: skip

LEDGER: dict[str, Any] = {
    "family": "expiry", "release": "5.0.1", "profile": "nightly",
    "bounds": {"storage": "metadata-store", "brokers": 3}, "states": 1, "transitions": 1, "depth": 0,
    "laws": {"valid": 1, "invalid": 1, "unknown": 0},
    "unexpected": ["type-ok"], "witnesses": {"reached": 1, "of": 2}, "engines": {"c": 1},
}  # fmt: skip
"""Fields that a row of a family adds to the contract."""

GATE: dict[str, Any] = {
    "tool": "oneowner", "version": "0.1.0", "schema": 1, "verb": "gate", "verdict": "valid", "reasons": [],
    "stats": dict.fromkeys(STATS, 0), "laws": [], "findings": [], "refusals": [],
    "rows": [{"kind": "family", "name": "expiry", "expected": "valid", "verdict": "valid", "ok": True, "seconds": 1.5},
             {"kind": "family", "name": "expiry@5.0.1", "expected": "valid", "verdict": "invalid", "ok": False,
              "seconds": 1, "ledger": LEDGER}],
}  # fmt: skip
"""As the contract writes it; the gate's real output is checked in test_gate."""


each_document = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(f"document {name}")) for name in (*DOCUMENTS, "gate")]
)
"""All tests of a document in one worker, so that it is made once."""


@cache
def document(name: str) -> Any:
    return GATE if name == "gate" else oneowner(*DOCUMENTS[name], "--json", "-").json


def short(name: str) -> Any:
    """A copy of a document whose lists of rows hold few, so that every part can be damaged in turn."""
    few = {key: value[:3] if isinstance(value, list) else value for key, value in document(name).items()}
    return copy.deepcopy(few)


def each_kind_of(found: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every key, but of rows of a list only where the one before has no such key, or another type."""
    seen: set[object] = set()
    for at in items_of(found):
        kind = tuple(0 if isinstance(step, int) else step for step in at), type(reduce(getitem, at, found))
        if kind not in seen:
            yield at
        seen.add(kind)


def test_schema_is_a_schema_of_its_draft() -> None:
    VALIDATOR.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.slow
@each_document
def test_json_of_every_verb_validates(name: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(document(name))] == []


@each_document
def test_json_of_every_verb_has_the_keys_of_the_contract_in_order(name: str) -> None:
    found = document(name)
    own = OWN[found["verb"]]
    assert tuple(found)[: len(COMMON)] == COMMON
    assert set(own) <= set(found)
    assert tuple(found["stats"]) == STATS
    for key, keys in (("laws", LAW), ("findings", FINDING), ("refusals", REFUSAL), ("intervals", INTERVAL),
                      ("rows", ROW)):  # fmt: skip
        for row in found.get(key, []):
            assert tuple(row)[: len(keys)] == keys


@each_document
def test_json_without_a_required_key_is_refused(name: str) -> None:
    found = short(name)
    required = {*COMMON, *OWN[found["verb"]], *STATS, *LAW, *FINDING, *REFUSAL, *INTERVAL, *ROW}
    required |= {"messageId", "time", "file", "line"}
    free = {"actions", "witnesses", "refused", "violations", "owners", "held", "proposed", "bounds"}
    for at in each_kind_of(found):
        if at[-1] not in required or (len(at) > 1 and free & set(at[:-1])):
            continue
        damaged = copy.deepcopy(found)
        inner = damaged
        for key in at[:-1]:
            inner = inner[key]
        del inner[at[-1]]
        assert not VALIDATOR.is_valid(damaged), at


@pytest.mark.sample(2)
@each_document
def test_json_with_a_mistyped_key_is_refused(name: str) -> None:
    found = short(name)
    for at in each_kind_of(found):
        wrongs: list[Any] = [{"no": ["such thing"]}, 1.5, "", None, []]
        for wrong in wrongs:
            damaged = copy.deepcopy(found)
            inner = damaged
            for key in at[:-1]:
                inner = inner[key]
            right = inner[at[-1]]
            if same_type(right, wrong) or at[-1] == "seconds" or may_be(at, wrong):
                continue
            inner[at[-1]] = wrong
            assert not VALIDATOR.is_valid(damaged), (at, wrong)


def same_type(right: Any, wrong: Any) -> bool:
    return isinstance(wrong, type(right)) and not isinstance(right, dict)


NULLABLE = {
    "unit", "messageId", "time", "held", "proposed", "counterexample", "scenario", "broker", "to", "source",
    "since", "until", "possibleUntil",
}  # fmt: skip


def may_be(at: tuple[str | int, ...], wrong: Any) -> bool:
    """True if the contract allows another type here."""
    if "owners" in at and len(at) > 1:
        return wrong is None or isinstance(wrong, str)
    if at[-1] in NULLABLE or (at[0] == "incidents" and at[-1] == "from"):
        return wrong is None or isinstance(wrong, str)
    return False


@pytest.mark.parametrize(
    ("at", "wrong"),
    [
        (("tool",), "onowner"), (("schema",), 2), (("schema",), "1"), (("verdict",), "Valid"), (("verdict",), "green"),
        (("verb",), "explor"), (("laws", 0, "law"), "Single Server"), (("laws", 0, "status"), "holding"),
        (("laws", 0, "exercised"), -1), (("stats", "states"), -1), (("stats", "states"), 1.5),
        (("stats", "statess"), 1), (("findings", 0, "severity"), "error"), (("findings", 0, "wy"), "x"),
        (("findings", 0, "at", "line"), -1), (("reasons",), [1]),
    ],
)  # fmt: skip
def test_json_with_a_word_that_the_contract_lacks_is_refused(at: tuple[str | int, ...], wrong: Any) -> None:
    damaged = copy.deepcopy(document("replay"))
    inner = damaged
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = wrong
    assert not VALIDATOR.is_valid(damaged)
