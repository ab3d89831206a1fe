"""Common parts of these tests: the command line in this process, a ledger of one's own, small bounds."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from oneowner.checkers.catalogue.holding import in_fingerprints
from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.unexpected import BUG
from oneowner.checkers.engines.explore.exploration import Exploration
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger.blessings import FILE, Word, digest_of, text_of
from oneowner.checkers.places import PACKAGE, TOP
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES

SCHEMA: dict[str, Any] = json.loads((PACKAGE / "checkers" / "report" / "result.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)

COUNTEREXAMPLES = TOP / "traces" / "counterexamples"
REAL = TOP / "traces" / "real"
RUN = "split"
"""The recorded run that the checkout of one's own holds."""
QUICK = COUNTEREXAMPLES / "cleanup_without_health_check" / "override-names-the-gone"
"""The shortest saved counterexample, without its suffix: four steps of two brokers."""

BOUNDS = {"storage": "metadata-store", "brokers": 2, "owner": 1, "unloads": 1, "transfers": 1, "versions": 12}
TINY = Bounds(brokers=2, owner=1, storage=Storage.METADATA_STORE, unloads=1, transfers=1, versions=12)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The output of a process."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def said(self) -> str:
        return self.out + self.err


def each_fourth(paths: list[Path]) -> list[Any]:
    """Every fourth saved counterexample, by its folder's name; the others are slow, for make gate replays them all."""
    return [
        pytest.param(path, id=path.parent.name, marks=[pytest.mark.slow] * (at % 4 > 0))
        for at, path in enumerate(paths)
    ]


def oneowner(*arguments: object) -> Outcome:
    """Run the command line in this process; a bug fails the test by itself."""
    found = CliRunner().invoke(main, list(map(str, arguments)), prog_name="oneowner", catch_exceptions=False)
    assert BUG not in found.stderr, found.stderr
    return Outcome(found.exit_code, found.stdout, found.stderr)


def refused(outcome: Outcome, *words: object) -> None:
    """Assert misuse: exit code 2 and one line on standard error, with these words in it."""
    assert outcome.code == 2, outcome.said
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1, outcome.err
    for word in words:
        assert str(word) in outcome.err


def family_row(**changes: Any) -> dict[str, Any]:
    """Return the row of a family of two brokers, as the ledger writes it; a change to ``...`` drops the key."""
    row = {
        "family": "tiny",
        "title": "One unit, one transfer, one unload",
        "profile": "smoke",
        "bounds": BOUNDS,
        "holds": in_fingerprints(OCCASIONS),
        "witnesses": ["transfer-ends"],
        "states": 1,
        "transitions": 1,
        "depth": 1,
    } | changes
    return {key: value for key, value in row.items() if value is not ...}


FAULT: dict[str, Any] = {
    "fault": "early",
    "title": "Assigned too early",
    "record": "models.H1",
    "upstream": "PIP-192",
    "releases": "the text",
    "breaks": "models.S22",
    "law": "single-writer",
    "family": "tiny",
    "rules": {"close_before_assign": False},
    "steps": 6,
    "scenario": "traces/counterexamples/early/single-writer.yaml",
}
"""A fault of that family."""

OCCASIONS = tuple(
    """
    type-ok append-only view-is-prefix-fold version-chain legal-step unique-winner accepted-is-cas one-owner
    serve-implies-view serve-implies-view-always single-server single-server-always single-writer single-writer-always
    publishes-arrive channel-goes-on commands-are-served clients-are-served owed-is-begun close-is-followed-up
    publishes-by-rule roles-change-by-their-steps topics-change-by-rule
    quiescent-agreement quiescent-agreement-always transfer-handshake same-tables registry-owner own-registration-known
    view-is-prefix-fold-always one-owner-always
    """.split()
)
"""The laws that have an occasion in that family; others are of faults, lookups, splits, compactions and the like."""


def verdicts(others: Mapping[str, object], held: Iterable[str] = OCCASIONS) -> dict[str, Any]:
    """Return a row's pins of the laws that are *held*, and of *others*: the laws that hold are counted."""
    every = {**dict.fromkeys(held, "valid"), **others}
    valid = [law for law, verdict in every.items() if verdict == "valid"]
    return {
        "holds": in_fingerprints(valid),
        "laws": {law: verdict for law, verdict in every.items() if verdict != "valid"},
    }


def write_ledger(spec: Path, *rows: dict[str, Any], faults: Any = (), is_blessed: bool = True) -> Path:
    """Write families, when they were blessed if they are, and faults as the folder *spec* has them; return it."""
    home = spec / "channel"
    (home / "families").mkdir(parents=True, exist_ok=True)
    if is_blessed:
        words = {name: word_on(counts) for row in rows for name, counts in counts_of(row)}
        (home / FILE).write_text(text_of({"family": words}))
    for row in rows:
        (home / "families" / f"{row['family']}.yaml").write_text(yaml.safe_dump(row, sort_keys=False))
    (home / "faults.yaml").write_text(yaml.safe_dump(list(faults), sort_keys=False))
    (home / "variants.yaml").write_text("[]\n")
    return spec


def word_on(counts: tuple[int, int, int]) -> Word:
    return Word("2026-11-28", "As written", digest_of(counts))


def counts_of(row: Any) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield the name of every row that a family pins, and its counts, if they are numbers."""
    own = row if isinstance(row, dict) else {}
    releases = own.get("releases")
    name = f"{own.get('family')}@{own['release']}" if "release" in own else str(own.get("family"))
    parts = {name: own} | {
        f"{own['family']}@{release}": {**own, **part}
        for release, part in (releases.items() if isinstance(releases, dict) else ())
        if isinstance(part, dict)
    }
    for named, part in parts.items():
        states, transitions, depth = (part.get(count) for count in ("states", "transitions", "depth"))
        if isinstance(states, int) and isinstance(transitions, int) and isinstance(depth, int):
            yield named, (states, transitions, depth)


def items_of(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every key of every object in a JSON document."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield (*at, key)
            yield from items_of(part, (*at, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from items_of(part, (*at, number))


def pinned(**changes: Any) -> dict[str, Any]:
    """A family of 82 states, pinned as a search finds it (test_search counts the same by brute force)."""
    found = _counted()
    row = family_row(states=found.distinct, transitions=found.transitions, depth=found.depth)
    return row | changes


@cache
def _counted() -> Exploration:
    return explore(TINY, PROPERTIES, WITNESSES)


def saved_in(tree: Path) -> Path:
    """Return the counterexample of a checkout of one's own."""
    return tree / "traces" / "counterexamples" / QUICK.parent.name / f"{QUICK.name}.yaml"


def edit_expectation(tree: Path, **changes: Any) -> None:
    """Change what its recorded run is expected to show; a change to ``...`` drops the key."""
    path = tree / "traces" / "real" / RUN / "expectation.yaml"
    data = data_of(path.read_text()) | changes
    path.write_text(yaml.safe_dump({k: v for k, v in data.items() if v is not ...}, sort_keys=False))
