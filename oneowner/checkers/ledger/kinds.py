"""All kinds of the gate's checks: their rows, and the check of one. Pins can be blessed."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from oneowner.checkers.catalogue.families import families, faults, ledger_rows, unreadable
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.compaction_logs.log_rows import ledger
from oneowner.checkers.extras import need
from oneowner.checkers.ledger import family_pins, gate_rows, recording_pins
from oneowner.checkers.ledger.classes_rows import check_classes, classes_rows
from oneowner.checkers.ledger.conformance_pins import CONFORMANCE
from oneowner.checkers.ledger.decision_pins import DECISIONS, decision_rows
from oneowner.checkers.ledger.family_pins import FAMILIES
from oneowner.checkers.ledger.gate_rows import counterexamples
from oneowner.checkers.ledger.log_pins import LOGS
from oneowner.checkers.ledger.pinned import Kind, Outcome
from oneowner.checkers.ledger.recording_pins import RECORDINGS, recordings
from oneowner.checkers.ledger.refinement_rows import REFINED, is_small
from oneowner.spec.systems import lemmas

Rows = Iterable[tuple[str, float]]
"""Names of rows, each with a guess of its seconds."""


def family_rows(profile: str) -> Iterator[tuple[str, float]]:
    """Yield the rows of families, those that were blessed and are gone, and files that cannot be read."""
    yield from of_profile(ledger_rows(), profile, lambda row: 3 + row.states / 30_000)
    yield from ((name, 0.1) for name in family_pins.left_out(ledger_rows()))
    yield from ((name, 0.1) for name in unreadable())


def of_profile(rows: dict[str, Any], profile: str, seconds: Callable[[Any], float]) -> Rows:
    """Return the rows whose own profile is this one, or one that it includes."""
    included = PROFILES[: PROFILES.index(profile) + 1]
    return [(name, seconds(row)) for name, row in rows.items() if row.profile in included]


def since(least: str, rows: Callable[[], Rows]) -> Callable[[str], Rows]:
    """Return a function that finds rows for all profiles from *least* on."""
    return lambda profile: rows() if PROFILES.index(profile) >= PROFILES.index(least) else ()


def shallow_rows() -> Rows:
    """Return the faults whose counterexample bounded model checking can find."""
    need("prove", "the nightly gate")
    from oneowner.checkers.ledger.bounded_faults import shallow_faults  # z3 takes long to load

    return [(fault.name, 15) for fault in shallow_faults()]


def refined_rows() -> Rows:
    """Return the families that are walked through their refinements."""
    there = [one for one in families().values() if is_small(one) and one.system.refinements]
    return [(one.full_name, one.states / 2_000) for one in there]


def _alike(check: Callable[[str], Outcome]) -> Callable[[str, str], Outcome]:
    """Return a function that checks a row alike in all profiles."""
    return lambda name, _: check(name)


KINDS = {
    kind.name: kind
    for kind in (
        Kind("family", "families", family_rows, family_pins.check, FAMILIES),
        Kind("logs", "logs", lambda profile: of_profile(ledger(), profile, lambda row: row.count / 30_000),
             LOGS.check, LOGS),
        Kind("decision", "decisions",
             lambda profile: of_profile(decision_rows(), profile, lambda row: 0.1 + row.inputs / 20_000),
             DECISIONS.check, DECISIONS),
        Kind("lemma", "lemmas",
             since("pr", lambda: [(lemma.name, 0.2 if lemma.step is None else 3) for lemma, _ in lemmas().values()]),
             _alike(gate_rows.check_lemma)),
        Kind("counterexample", "counterexamples", lambda _: [(name, 0.1) for name in counterexamples()],
             _alike(gate_rows.check_counterexample)),
        Kind("run", "recordings", lambda _: [(path.name, 0.2) for path in recordings()],
             recording_pins.check, RECORDINGS, word="recording"),
        Kind("engine", "Spark", since("pr", lambda: [("every run on Spark", 20)]), _alike(gate_rows.check_engine)),
        Kind("classes", "real classes", classes_rows, _alike(check_classes)),
        Kind("fault", "faults", since("nightly", lambda: [(name, 10) for name in faults()]),
             _alike(gate_rows.check_fault)),
        Kind("releases", "faults by release", since("nightly", lambda: [(name, 10) for name in defects()]),
             _alike(gate_rows.check_releases)),
        Kind("bounded", "faults by z3", since("nightly", shallow_rows), _alike(gate_rows.check_bounded)),
        Kind("conform", "recordings as runs of the model",
             since("nightly", lambda: [(path.name, 2) for path in recordings()]),
             CONFORMANCE.check, CONFORMANCE, word="conformance"),
        Kind("refinement", "refinements", since("nightly", refined_rows), REFINED.check, REFINED),
    )
}  # fmt: skip
"""By name, in the order of the table."""

BLESSED = {kind.word or kind.name: kind for kind in KINDS.values() if kind.pins is not None}
"""The kinds that can be blessed, by the word for each."""
