"""The fold on columns equals the fold: on random histories cut anywhere, and on every recording."""

import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from inspect import getsource
from itertools import product
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.engines.compile.traceable import check_source
from oneowner.checkers.recordings.fold.blocks import Block, merge, read_chunk
from oneowner.checkers.recordings.fold.channel_law import (
    Answer,
    Broken,
    ChannelLaw,
    NamespaceLaw,
    OverlapLaw,
    SuccessionLaw,
)
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS, replaces
from oneowner.checkers.recordings.fold.column_fold import ColumnFold
from oneowner.checkers.recordings.fold.column_formulas import HIGHEST, LOOKS_FURTHER, Formula, FormulaNode, traced
from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.intervals import MOST, Intervals, mark_of
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.unit_memory import Unit, Units
from oneowner.checkers.recordings.read.coded_table import Codes
from oneowner.checkers.recordings.read.event_columns import CODES, STATES, TABLE, Columns
from oneowner.checkers.recordings.read.events import KEY, TIME, Children, Interval, Mark, Row, Tally
from oneowner.checkers.recordings.read.lines import FileKind, chunks_of
from oneowner.checkers.recordings.read.many_lines import LinesReader
from oneowner.model.channel.record import (
    FREE,
    MAX_VERSION,
    MIN_VERSION,
    NOTHING,
    Record,
    ServiceUnitState,
    next_version,
    owner,
)
from oneowner.model.channel.resolver import ownerless, refusal
from oneowner.model.channel.rules import Storage
from tests.recordings.dumps import REAL, START, dump, lines_of

RANGES = ("0-4", "4-8", "8-c", "c-f", "0-8", "0-2", "2-4")
WHOLE = RANGES[:4]
LIMIT = 120_000


def question(
    storage: Storage = Storage.SYSTEM_TOPIC, partial: bool = False, intervals: bool = False, unit: str | None = None
) -> Question:
    return Question(storage, False, in_flight_limit=LIMIT, partial=partial, intervals=intervals, unit=unit)


def unit(namespace: str, text: str) -> str:
    low, high = (end.ljust(8, "0") for end in text.split("-"))
    return f"t/{namespace}/0x{low}_0x{high}"


class Story:
    """A random history: mostly what brokers do, with everything odd now and then; *oddity* is how often."""

    def __init__(self, seed: int, oddity: float, ranges: Sequence[str]) -> None:
        self.rng = random.Random(seed)
        self.oddity, self.ranges = oddity, ranges
        self.held: dict[str, Record] = {}
        self.time = START

    def rows(self, count: int) -> Iterator[Row]:
        rng = self.rng
        for number in range(count):
            key = unit(rng.choice("abc"), rng.choice(self.ranges))
            held = self.held.get(key, Record(NOTHING))
            record = self.odd(held) if rng.random() < self.oddity else self.due(held)
            if refusal(held, record) is None and ownerless(held, record) is None:
                self.held[key] = record
            self.time += rng.choice((0, 1, 5, 40_000 if rng.random() < self.oddity else 1_000))
            time = self.time - 5_000 if rng.random() < self.oddity / 3 else self.time
            time = rng.choice((-(2**63), 2**63 - 1)) if rng.random() < self.oddity / 50 else time
            children = None
            if record.state == "Splitting" and rng.random() < 0.9:
                low, high = key.rpartition("/")[2].split("_")
                middle = f"0x{(int(low, 16) + int(high, 16)) // 2:08x}"
                children = (f"{low}_{middle}", f"{middle}_{high}" if rng.random() < 0.8 else "0xc0000000_0xf0000000")
            yield (
                0, number, -1, 0, 0, number + 1, f"0:{number}", time, key, *record[:5], children,
                rng.choice(("", "p1", "p2")), "",
            )  # fmt: skip

    def due(self, held: Record) -> Record:
        """Return the next record of a well-behaved broker."""
        version, one = next_version(held), self.broker()
        following = {
            "nothing": Record(ServiceUnitState.ASSIGNING, one, 0, False, version),
            "Init": Record(ServiceUnitState.ASSIGNING, one, 0, False, version),
            "Free": Record(ServiceUnitState.ASSIGNING, one, 0, False, version),
            "Assigning": held._replace(state=ServiceUnitState.OWNED, version=version),
            "Owned": Record(ServiceUnitState.RELEASING, 0, held.destination, False, version),
            "Releasing": held._replace(state=FREE, version=version),
            "Splitting": held._replace(state=ServiceUnitState.DELETED, version=version),
            "Deleted": Record(NOTHING),
        }[held.state.value]
        if held.state == "Releasing" and held.destination:
            return following._replace(state=ServiceUnitState.ASSIGNING)
        if held.state == "Owned" and self.rng.random() < 0.5 and one != held.destination:
            return following._replace(destination=one)
        if held.state == "Owned" and self.rng.random() < self.oddity:
            return following._replace(state=ServiceUnitState.SPLITTING, destination=0)
        if held.state == "Free" and self.rng.random() < 0.2:
            return Record(NOTHING)
        return following

    def odd(self, held: Record) -> Record:
        rng = self.rng
        state = rng.choice(STATES)
        if state == NOTHING:
            return Record(NOTHING)
        near = held.version + rng.choice((-2, -1, 0, 0, 1, 1, 1, 1, 2, 9))
        version = rng.choice((MAX_VERSION, MIN_VERSION, 1, HIGHEST)) if rng.random() < 0.02 else near
        version = min(max(version, MIN_VERSION), MAX_VERSION)
        return Record(state, self.broker(blank=True), self.broker(blank=True), rng.random() < 0.3, version)

    def broker(self, blank: bool = False) -> Any:
        return 0 if blank and self.rng.random() < 0.3 else f"b{self.rng.randrange(3)}"


def outcome(fold: Fold) -> tuple[Any, ...]:
    """Return the whole output and memory of a fold, in an order of its own."""
    tally = fold.finish()
    counts = [getattr(tally, field.name) for field in fields(Tally)]
    counts = [sorted(count) if isinstance(count, list) else count for count in counts]
    units = {
        key: (
            unit.held, unit.written, unit.entered, unit.created, unit.children, unit.freed, unit.split_away,
            [getattr(unit.moves, name) for name in unit.moves.__slots__],
        )
        for key, unit in fold.units.by_key.items()
    }  # fmt: skip
    published = {name: namespace.publishers for name, namespace in fold.units.namespaces.items()}
    return sorted(map(repr, fold.out)), counts, units, published, sorted(fold.intervals)


SIZES = (1, 3, 20, 100, 500)


def cut(columns: Columns, rng: random.Random, sizes: Sequence[int]) -> Iterator[Columns]:
    at = 0
    while at < len(columns.table):
        size = rng.choice(sizes)
        yield columns.part(slice(at, at + size))
        at += size


def assert_same(
    rows: list[Row],
    asked: Question,
    rng: random.Random,
    laws: tuple[ChannelLaw, ...] = CHANNEL_LAWS,
    sizes: Sequence[int] = SIZES,
) -> dict[str, int]:
    """Return how often each law was broken."""
    by_row, by_column = Fold(asked, laws), ColumnFold(asked, laws=laws)
    by_row.take(rows)
    ended: dict[str, list[Interval]] = {}
    for some in cut(Columns.of(rows), rng, sizes):
        by_column.take_columns(some, few=0)
        for piece in by_column.ended():
            (whose,) = piece.units
            ended.setdefault(whose, []).extend(pickle.loads(pickle.dumps(piece, 5)).rows())
    *columns, unfinished = outcome(by_column)
    *expected, lasted = outcome(by_row)
    assert columns == expected
    for one in unfinished:
        ended.setdefault(one.unit, []).append(one)
    assert [one for _, some in sorted(ended.items()) for one in some] == lasted
    if asked.intervals:
        assert lasted
    return by_row.tally.violations


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(one, marks=pytest.mark.slow) for one in range(12, 24))])
@pytest.mark.parametrize(
    ("oddity", "ranges"), [(0.0, WHOLE), (0.02, WHOLE), (0.02, RANGES), (0.3, WHOLE), (0.6, RANGES)]
)
def test_random_histories_are_folded_as_event_by_event(seed: int, oddity: float, ranges: Sequence[str]) -> None:
    rows = list(Story(seed, oddity, ranges).rows(800))
    storage = list(Storage)[seed % 2]
    assert_same(rows, question(storage, partial=seed % 3 == 0, intervals=seed % 4 > 0), random.Random(seed))
    if not seed:
        assert_same(rows, question(storage, intervals=True, unit=rows[0][KEY]), random.Random(seed))


def test_intervals_of_plain_units_never_become_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(Story(1, 0.0, WHOLE).rows(800))
    fold = ColumnFold(question(intervals=True))
    monkeypatch.setattr(Fold, "take", lambda *_: pytest.fail("event by event"))
    fold.take_columns(Columns.of(rows), few=0)
    pieces = [*fold.ended()]
    assert sum(len(piece.table) for piece in pieces) > 500
    assert [piece.units for piece in pieces] == sorted([key] for key in fold.units.by_key)
    assert [*fold.ended()] == []


IDS = "7:8", "7:8:-1", "7:8:0", "7:8:2:3", "7:8:2:-1", "07:8", "7:8:03", "zxid:7", "7:9", "7:8:2:3:4", "(7,8)"


def test_message_ids_of_every_form_are_kept() -> None:
    row = crafted("0-4 Owned(1) v1")[0]
    at = Mark("0:9", 5)
    for text in IDS:
        batch = int(text.split(":")[3]) if text.count(":") == 3 else -1
        ids = Codes("")
        mark = mark_of((7, 8, batch, *row[3:6], text, *row[7:]), ids)
        whole = Intervals.of([Interval(row[KEY], (7, 8, batch), "b1", "Owned", at, at)])
        whole.table["since"], whole.table["until"] = mark, mark
        (one,) = replace(whole, ids=ids.names).rows()
        assert one.since == one.until == Mark(text, row[TIME])
        assert (len(ids) == 1) == (text in IDS[:5])


def test_pieces_are_of_one_unit_each_in_order_and_none_is_long() -> None:
    at = Mark("0:9", 5)
    units = {"b": 2 * MOST + 1, "c": 1, "a": MOST}
    some = [Interval(unit, (0, n, -1), "b1", "Owned", at, at) for unit, count in units.items() for n in range(count)]
    random.Random(1).shuffle(some)
    pieces = [*Intervals.of(some).by_unit()]
    assert [(piece.units, len(piece.table)) for piece in pieces] == [
        (["a"], MOST), (["b"], MOST), (["b"], MOST), (["b"], 1), (["c"], 1)
    ]  # fmt: skip
    assert [row for piece in pieces for row in piece.rows()] == sorted(some, key=lambda one: (one.unit, one.position))


@given(st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 3, st.integers(0, 300)), min_size=1))
def test_narrow_tables_become_as_wide_as_they_were(rows: list[tuple[int, int, int, int]]) -> None:
    table = np.zeros(len(rows), TABLE)
    for at, (entry, time, version, line) in enumerate(rows):
        table[["entry", "time", "version", "line", "key"]][at] = (entry, time, version, line, line % 7)
    table["force"] = table["key"] > 3
    table["partition"] = -1
    packed = Columns(table, [], [], [], []).pack()
    assert (Columns.unpacked(packed).table == table).all()
    _, columns, _ = pickle.loads(packed)
    _, _, lines = columns[(TABLE.names or ()).index("line")]
    assert len(lines) <= 2 * len(table)


def crafted(*lines: str) -> list[Row]:
    columns = LinesReader(0, 0).columns(b"".join(lines_of(dump(*lines))), 1)
    assert columns is not None
    return columns.rows()


CRAFTED = {
    "in flight since before the batch": crafted(
        "0-4 Assigning(1) v1 @0", "4-8 Assigning(1) v1 @0",
        "0-4 Owned(1) v2 @500", "4-8 Assigning(2) v2 forced @501", "4-8 Owned(2) v3 @502",
    ),
    "back to its former owner just in time, and too late": crafted(
        "0-4 Owned(1) v1 @0", "0-4 Owned(2) v2 forced @10", "0-4 Owned(1) v3 forced @70",
        "0-4 Owned(2) v4 forced @130.001", "0-4 Owned(1) v5 forced @190.001",
    ),
    "owned by its owner once more": crafted("0-4 Owned(1) v1", "0-4 Owned(1) v2 forced", "0-4 Owned(2) v3 forced"),
    "times that do not fit": [
        (*row[:7], time, *row[8:])
        for row, time in zip(
            crafted(
                "0-4 Owned(1) v1", "0-4 Owned(2) v2 forced", "0-4 Releasing(1, from 2) v3",
                "0-4 Assigning(1, from 2) v4", "0-4 Owned(1, from 2) v5",
            ),
            (0, -(2**63), START, START, START),
            strict=True,
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_histories_are_folded_as_event_by_event_wherever_they_are_cut(name: str) -> None:
    rows = CRAFTED[name]
    by_row = Fold(question())
    by_row.take(rows)
    expected = outcome(by_row)
    for at in range(len(rows)):
        fold = ColumnFold(question())
        for part in (rows[:at], rows[at:]):
            if part:
                fold.take_columns(Columns.of(part), few=0)
        assert outcome(fold) == expected, at


def test_skewed_namespace_is_folded_as_event_by_event() -> None:
    """One namespace has most of the records, and a unit of it is split: the others are plain all the same."""
    story = Story(7, 0.01, WHOLE)
    rows = list(story.rows(4_000))
    skewed = [(*row[:8], row[8].replace("t/b/", "t/a/"), *row[9:]) for row in rows]
    assert sum(row[8].startswith("t/a/") for row in skewed) > 0.6 * len(skewed)
    assert_same(skewed, question(), random.Random(7))


def test_most_of_a_calm_history_is_plain_and_little_of_a_wild_one(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    take = Fold.take

    def noting(self: Fold, rows: list[Row]) -> None:
        taken.append(len(rows))
        take(self, rows)

    monkeypatch.setattr(Fold, "take", noting)
    shares = []
    for oddity in (0.001, 0.6):
        rows = list(Story(1, oddity, WHOLE).rows(4_000))
        fold = ColumnFold(question())
        taken.clear()
        for at in range(0, 4_000, 200):
            fold.take_columns(Columns.of(rows).part(slice(at, at + 200)), few=0)
        shares.append(sum(taken) / len(rows))
    assert shares[0] < 0.5 < shares[1]


def keeps_a_broker(held: Record, record: Record) -> bool:
    return record.force or record.version < 4 or held.destination == record.destination or held.source == record.source


def forced_by_name(held: Record, record: Record) -> bool:
    return {"b0": True}.get(str(record.destination), record.version < 9)


def is_owned_by_more_than_two(units: Units, unit: Unit, record: Record, children: Children) -> Answer:
    owners = [owner(other.held) for other in units.by_key.values() if other.namespace is unit.namespace]
    return Broken(f"{len(set(owners))} owners", "two") if len({*owners, owner(record)}) > 3 else None


def at_record(unit: Unit, record: Record) -> Broken:
    return Broken(f"{record} after {unit.held}", "another record")


def beside_record(unit: Unit, record: Record, other: Unit) -> Broken | None:
    return Broken(f"{record} beside {other.held}", "later") if other.held.destination == record.destination else None


NEW = "new-law", "A law that columns have never heard of.", "this test"
ADDED: dict[str, ChannelLaw] = {
    "of successions": SuccessionLaw(*NEW, when=replaces, holds=keeps_a_broker, tell=at_record),
    "of successions, that cannot be traced": SuccessionLaw(
        *NEW, states=frozenset((ServiceUnitState.OWNED,)), holds=forced_by_name, tell=at_record
    ),
    "of states by their text": SuccessionLaw(
        *NEW, when=lambda unit, record: record.state == "Owned", holds=forced_by_name, tell=at_record
    ),
    "of what columns do not know of a unit": SuccessionLaw(
        *NEW, when=lambda unit, record: unit.created and unit.key < "t/b/0x4", holds=keeps_a_broker, tell=at_record
    ),
    "of overlaps": OverlapLaw(
        *NEW, states=frozenset((ServiceUnitState.ASSIGNING,)), can_matter=lambda held: held.state == "Assigning",
        tell=beside_record,
    ),
    "of namespaces": NamespaceLaw(
        *NEW, states=frozenset((ServiceUnitState.OWNED,)), when=lambda unit, record: record.version % 2 == 1,
        judge=is_owned_by_more_than_two,
    ),
    "of namespaces, at some records": NamespaceLaw(
        *NEW, when=lambda unit, record: record.version == 3, judge=is_owned_by_more_than_two
    ),
}  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ADDED)
def test_added_law_is_judged_on_columns_as_event_by_event(name: str) -> None:
    laws, broken = (*CHANNEL_LAWS, ADDED[name]), 0
    for seed, ranges in product(range(4), (WHOLE, RANGES)):
        rows = list(Story(seed, 0.05, ranges).rows(600))
        broken += assert_same(rows, question(), random.Random(seed), laws, (1, 3, 6, 100))["new-law"]
    assert broken > 5


FURTHER = Formula((FormulaNode("constant", (), LOOKS_FURTHER),))
"""The report of a law that columns cannot follow: all its records are for the fold."""


def test_columns_follow_every_law_but_that_of_the_ranges_of_a_split() -> None:
    assert [law.law for law in traced(Storage.SYSTEM_TOPIC).laws if law.said == FURTHER] == ["split-tiles"]
    followed = {name for name, law in ADDED.items() if traced(Storage.SYSTEM_TOPIC, (law,)).laws[0].said != FURTHER}
    assert followed == {"of successions", "of overlaps", "of namespaces, at some records"}


def test_conditions_of_laws_ask_nothing_that_a_symbolic_value_answers_wrongly() -> None:
    """As everything that is traced: ``is`` and ``isinstance`` would be wrong in silence."""
    conditions: list[Callable[..., bool]] = [law.when for law in CHANNEL_LAWS]
    conditions += [law.holds for law in CHANNEL_LAWS if isinstance(law, SuccessionLaw)]
    for condition in conditions:
        assert check_source(dedent(getsource(condition)), condition.__name__) == []


RECORDED = sorted({file.parent for file in REAL.glob("*/channel*.jsonl*")})


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_recordings_are_folded_as_event_by_event(folder: Any) -> None:
    blocks = [
        part
        for number, file in enumerate(sorted(folder.glob("channel*.jsonl*")))
        for chunk in chunks_of(0, number, str(file), FileKind.CHANNEL)
        for part in read_chunk(chunk, buckets=1)
        if isinstance(part, Block)
    ]
    rows = [row for columns in merge(sorted(blocks, key=lambda block: block.first)) for row in columns.rows()]
    assert rows
    for seed in range(3):
        assert_same(rows, question(), random.Random(seed))


@pytest.mark.parametrize("storage", Storage)
def test_traced_resolver_refuses_what_the_resolver_refuses(storage: Storage) -> None:
    """All pairs of states and forces, with all ways in which three brokers and nobody can be named twice."""
    versions = [(1, 2), (2, 2), (3, 1), (1, 3), (0, 1), (0, 2), (-1, 0), (HIGHEST - 1, HIGHEST), (HIGHEST, -HIGHEST)]
    rng = random.Random(0)
    pairs = []
    for old, new, force, (before, after) in product(STATES, STATES, (False, True), versions):
        for _ in range(40):
            a, b, c, d = (rng.randrange(4) for _ in range(4))
            pairs.append((Record(old, a, b, rng.random() < 0.5, before), Record(new, c, d, force, after)))

    def columns(side: int) -> list[Any]:
        states, *others = zip(*(pair[side] for pair in pairs), strict=True)
        return [np.array([CODES[state] for state in states]), *map(np.array, others)]

    expected = [(refusal(*pair, storage) or ownerless(*pair, storage)) is not None for pair in pairs]
    formula: Formula = pickle.loads(pickle.dumps(traced(storage).refused))
    assert formula.of([*columns(0), *columns(1)].__getitem__, len(pairs)).tolist() == expected
    assert 0.1 < np.mean(expected) < 0.99


def test_columns_give_back_the_rows() -> None:
    rows = [(*row[:6], f"0:{number}:-1:3" if number % 2 else "00:7", *row[7:16], "setData 4")
            for number, row in enumerate(Story(3, 0.5, RANGES).rows(60))]  # fmt: skip
    columns = Columns.of(rows)
    assert columns.rows() == rows
    some = np.array([5, 17, 2])
    assert columns.rows(some) == columns.part(some).rows() == [rows[at] for at in some]
