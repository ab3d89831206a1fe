"""``statements`` has a sentence for every law, note and check: the rules of a SARIF file."""

import re
from collections.abc import Iterator
from functools import cache

from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.model.kernel.law import Declaration
from oneowner.spec.channel.registry import LOG_LAWS
from oneowner.spec.systems import decisions, lemmas, systems

ISSUES = "https://github.com/apache/pulsar/issues/"

NOTES = {
    "began-truncated": "A dump begins with the first record of every unit.",
    "clock-skew": "Publish times of one unit do not go back.",
    "message-order": "Every message occurs once, in the order of the topic.",
    "node-chain": "A ZooKeeper history holds every write to a node.",
    "ping-pong": "A unit does not go back and forth between two owners.",
    "publisher-discipline": "A producer publishes for one broker alone.",
    "readable-input": "Every line of a file can be read.",
    "run-of-the-model": "The recording of a unit is a run of the model.",
    "as-pinned": "A check has the pinned result.",
    "as-the-model": "Real classes show the state of the model after each step.",
}


@cache
def statements() -> dict[str, str]:
    """Return the sentence of every rule by its id; laws of real runs come before those of the model."""
    known = NOTES | audit_laws()
    for law in declared_laws():
        known.setdefault(law.name, law.statement)
    for lemma, _ in lemmas().values():
        known.setdefault(lemma.name, lemma.statement)
    return known


def declared_laws() -> Iterator[Declaration]:
    """Yield every law of states, steps, runs, decisions, logs and recordings: the one registry of all of them."""
    for system in systems().values():
        yield from (*system.laws, *system.liveness)
    yield from {law.name: law for decision in decisions().values() for law in decision.laws}.values()
    yield from LOG_LAWS
    yield from RECORDING_LAWS


def audit_laws() -> dict[str, str]:
    """Return the laws that an audit judges, with their sentences."""
    return {law.name: law.statement for law in RECORDING_LAWS}


def issue_of(upstream: str) -> str | None:
    """
    Return the address of the first upstream issue that is named.

    >>> issue_of("looks like #25379, fixed in 4.0.7")
    'https://github.com/apache/pulsar/issues/25379'
    """
    match = re.search(r"#(\d+)", upstream)
    return f"{ISSUES}{match.group(1)}" if match else None
