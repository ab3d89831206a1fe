"""The fold against a naive oracle on random histories, for both storages."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.model.channel.rules import Storage
from tests.recordings.dumps import START, Json, message, range_of, silently, steadily, write
from tests.recordings.fold.oracle import MAX, MIN, STATES, next_version, refusing_rule

UNITS = tuple(f"tenant/ns/{range_of(text)}" for text in ("0-8", "0-4", "8-c"))
"""The second overlaps the first."""

SUCCESSORS = {
    None: ("Assigning", "Owned"), "Init": ("Assigning",), "Free": ("Assigning", "Init"),
    "Owned": ("Releasing", "Splitting"), "Assigning": ("Owned",), "Releasing": ("Assigning", "Free"),
    "Splitting": ("Deleted",), "Deleted": ("Init",),
}  # fmt: skip


class Move(NamedTuple):
    """One drawn message; one that *fits* imitates the held entry, so that long legal chains come up."""

    unit: int
    state: str
    step: int  # from the held version; 1 is the next
    destination: str | None
    source: str | None
    force: bool
    tombstone: bool
    fits: bool
    """True if state and brokers are those that a well-behaved broker would write next."""


brokers = st.sampled_from([None, "b1", "b2", "b3"])
moves = st.builds(
    Move,
    unit=st.integers(0, 2),
    state=st.sampled_from(STATES),
    step=st.sampled_from([1, 1, 1, 1, 1, 1, 0, -1, 2, 3]),
    destination=brokers,
    source=brokers,
    force=st.sampled_from([False, False, False, True]),
    tombstone=st.sampled_from([False] * 9 + [True]),
    fits=st.booleans(),
)


def record_of(move: Move, held: Json | None) -> Json | None:
    """Return the value of the message that a move stands for."""
    if move.tombstone:
        return None
    state, dst, src = move.state, move.destination, move.source
    if move.fits:
        following = SUCCESSORS[held["state"] if held else None]
        state = following[move.step % len(following)]
        was_dst, was_src = (held.get("dstBroker"), held.get("sourceBroker")) if held else (None, None)
        dst, src = {
            "Releasing": (dst if dst != was_dst else None, was_dst),
            "Splitting": (None, was_dst),
        }.get(state, (dst or "b1", None) if held is None or held["state"] in ("Free", "Init") else (was_dst, was_src))
    if not (dst or src) and state != "Free":
        dst = "b1"  # Pulsar cannot build a record without any broker
    held_version = held["versionId"] if held else 0
    version = next_version(held) if move.step == 1 else min(max(held_version + move.step, MIN), MAX)
    value: Json = {"state": state, "force": move.force, "timestamp": 0, "versionId": version}
    return {**value, **{name: name_of for name, name_of in (("dstBroker", dst), ("sourceBroker", src)) if name_of}}


def owner_by(held: Json | None) -> str | None:
    """The contract: the destination of Owned, the source of Splitting."""
    field = {"Owned": "dstBroker", "Splitting": "sourceBroker"}.get(held["state"]) if held else None
    return held.get(field) if held and field else None


class Story(NamedTuple):
    """A dump, and the oracle's judgement of it."""

    messages: list[Json]
    keys: set[str]
    refused: list[tuple[str, str]]
    gaps: list[str]
    erased: list[str]
    held: dict[str, Json | None]
    pairs: set[tuple[str, str, str | None]]


def story_of(drawn: list[Move], storage: str, start: int) -> Story:
    """Judge the drawn moves by the oracle, each against the entry held by then; versions begin after *start*."""
    told, sure = Story([], set(), [], [], [], {}, set()), dict[str, bool]()
    for number, move in enumerate(drawn):
        key, message_id = UNITS[move.unit], f"0:{number}"
        held = told.held.get(key)
        value = record_of(move, held)
        if value is not None and held is None and move.fits:
            value["versionId"] = start
        told.messages.append(message(message_id, key, value))
        told.keys.add(key)
        rule = refusing_rule(held, value, storage)
        told.pairs.add((held["state"] if held else "-", value["state"] if value else "-", rule))
        if rule is not None:
            told.refused.append((message_id, rule))
            continue
        is_sure = sure.get(key, False)  # a first record may have been refused by what came before the dump
        sure[key] = key in sure or value is None or value["versionId"] <= 1 or value["force"]
        if is_sure and held is not None and value is not None and value["versionId"] != next_version(held):
            told.gaps.append(message_id)
        is_active = held is not None and held["state"] in ("Assigning", "Owned", "Releasing", "Splitting")
        if is_sure and value is None and is_active:
            told.erased.append(message_id)
        told.held[key] = value
    return told


@pytest.mark.sample(1)
@pytest.mark.parametrize("stories", [100, pytest.param(250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("storage", ["system-topic", "metadata-store"])
def test_fold_accepts_and_refuses_as_a_naive_oracle(storage: str, stories: int, tmp_path: Path) -> None:
    pairs: set[tuple[str, str, str | None]] = set()

    @settings(steadily, max_examples=stories)
    @given(st.lists(moves, min_size=5, max_size=40), st.sampled_from([1, 1, 1, 7, MAX - 2, MIN]))
    def judge(drawn: list[Move], start: int) -> None:
        told = story_of(drawn, storage, start)
        pairs.update(told.pairs)
        file = write(tmp_path / "channel.jsonl", told.messages)
        found = silently("audit", file, storage=Storage(storage))
        assert found.refused == told.refused
        stats = found.json["stats"]
        assert (stats["events"], stats["accepted"]) == (len(drawn), len(drawn) - len(told.refused))
        assert [at for law, at in found.violations if law == "version-chain"] == told.gaps
        assert [at for law, at in found.violations if law == "tombstone-of-active"] == told.erased
        shown = silently("timeline", file, storage=Storage(storage), at=START + 1)
        assert shown.json["owners"] == {key: owner_by(told.held.get(key)) for key in told.keys}

    judge()
    rules = {rule for _, _, rule in pairs}
    assert rules >= {None, "version", "transition", "broker"}
    assert rules >= ({"first-version", "gap"} if storage == "metadata-store" else set())
    assert len({(before, after) for before, after, rule in pairs if rule is None}) > 20
