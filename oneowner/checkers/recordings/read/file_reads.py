"""The contents of one file of a log beside its lines: its coverage, its damage, the brokers that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from oneowner.checkers.recordings.read.lines import counted
from oneowner.checkers.recordings.read.log_lines import ChunkRead, Tail
from oneowner.checkers.recordings.read.logged_decisions import Decided, Decision
from oneowner.checkers.recordings.read.logged_placements import PlacementLine, placed
from oneowner.checkers.recordings.read.unread_logs import Contents

MOST_SHAPES = 10
"""Unknown shapes of a file that are listed."""
MOST_KEPT_SHAPES = 5_000


@dataclass(slots=True)
class Coverage:
    """The coverage of one file of a log."""

    path: str
    broker: str = ""
    lines: int = 0
    """Lines of the load balancer."""
    understood: int = 0
    others: int = 0
    """Lines of other classes of a broker that are understood."""
    shapes: Counter[str] = field(default_factory=Counter)
    """Those that no pattern matched, digits and names left out."""
    places: dict[str, int] = field(default_factory=dict)
    """The first line of each shape."""
    unread: str = ""
    """The reason that nothing in it is understood; empty if anything is."""
    notes: list[str] = field(default_factory=list)
    """The suppositions with which it was read."""

    def add(self, later: Coverage, before: int) -> None:
        """Add the coverage of the next part of the same file, *before* which there are so many lines."""
        self.lines += later.lines
        self.understood += later.understood
        self.others += later.others
        for shape, number in later.shapes.items():
            if shape in self.shapes or len(self.shapes) < MOST_KEPT_SHAPES:
                self.shapes[shape] += number
                self.places.setdefault(shape, before + later.places[shape])

    def unknown(self) -> list[tuple[str, int, str]]:
        """Return the most frequent unknown shapes: shape, number, an example."""
        ranked = sorted(self.shapes.items(), key=lambda item: (-item[1], item[0]))
        return [(shape, number, f"{self.path}:{self.places[shape]}") for shape, number in ranked[:MOST_SHAPES]]


@dataclass(slots=True)
class FileRead:
    """The information in one file beside its lines."""

    coverage: Coverage
    broken: dict[str, list[int]] = field(default_factory=dict)
    """Lines that cannot be trusted, by reason."""
    garbled: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    """For each pattern that refused lines, their number, the first of them, and the error in it."""
    speakers: Counter[str] = field(default_factory=Counter)
    spoke: dict[str, int] = field(default_factory=dict)
    """The first line of each broker that wrote lines of this file."""
    settled: str | None = None
    """The broker's id by the printed configuration."""
    first: int | None = None
    last: int | None = None
    """The times of the first and the last line of a known layout."""
    tail: Tail | None = None
    is_empty: bool = False
    has_heads: bool = False
    is_ours: bool = False
    """True if words of the load balancer came before any line of a known layout."""
    is_client: bool = False
    """True if a client of Pulsar wrote all of its lines."""
    is_of_unknown_day: bool = False
    """True if its lines print no date, and it is not known otherwise."""
    is_brokers: bool = False
    """True if any line that was understood is of a class that brokers alone have."""
    is_understood: bool = False
    """True if the table of patterns has any line of it."""
    first_line: str = ""
    named: set[str] = field(default_factory=set)
    """Ids of brokers in its lines, while none names the broker whose log it is."""
    chunks: list[ChunkRead] = field(default_factory=list)
    placement_lines: list[PlacementLine] = field(default_factory=list)
    """Lines about placements."""
    decisions: list[Decision] = field(default_factory=list)

    def heard(self, speakers: Counter[str], spoke: Mapping[str, int]) -> None:
        """Add the brokers of other lines of the file, and the first line of each."""
        first = {name: min(spoke.get(name, line), line) for name, line in {**spoke, **self.spoke}.items()}
        counts = self.speakers + speakers
        self.spoke = dict(sorted(first.items(), key=lambda told: told[1]))
        self.speakers = Counter({name: counts[name] for name in self.spoke})

    def decided(self, piece: int) -> Decided:
        """Return the decisions in the file, which is this *piece*."""
        return Decided(piece, placed(self.placement_lines), self.decisions)

    @property
    def is_foreign(self) -> bool:
        """True if no broker wrote it: no line of the load balancer, whatever the layout of its lines."""
        return not self.coverage.lines and not self.is_brokers and (self.has_heads or not self.is_ours)

    @property
    def why_unread(self) -> str:
        """The reason that none of its lines counts; empty if one does."""
        if self.is_empty or (self.is_understood and not self.is_foreign):
            return ""
        if (shapes := self.coverage.unknown()) and not self.is_foreign:
            lines = self.coverage.lines
            return f"none of its {lines:,} lines of the load balancer is understood; the first shape: {shapes[0][0]}"
        return self.contents.why_unread

    @property
    def contents(self) -> Contents:
        """Its lines, whatever they hold."""
        lines = sum(chunk.lines for chunk in self.chunks)
        return Contents(lines, self.first_line, self.has_heads, self.is_client, self.first, self.last)

    @property
    def damage(self) -> list[str]:
        """The damage of the file, by line."""
        path, found = self.coverage.path, [*counted(self.coverage.path, self.broken)]
        for pattern, (number, line, why) in self.garbled.items():
            words = f"{path}:{line}: {pattern} refused: {why}"
            found.append(f"{words} (and {number - 1} more of {pattern})" if number > 1 else words)
        return [*found, *([] if self.has_heads or self.is_empty else [f"{path}: {self.contents.why_unread}"])]

    def add(self, later: FileRead) -> None:
        """Add the next part of the same file, whose lines are numbered from its own first one."""
        before = sum(chunk.lines for chunk in self.chunks)
        for why, numbers in later.broken.items():
            self.broken.setdefault(why, []).extend(before + number for number in numbers)
        for pattern, (number, line, why) in later.garbled.items():
            known, at, first = self.garbled.get(pattern, (0, before + line, why))
            self.garbled[pattern] = known + number, at, first
        self.coverage.add(later.coverage, before)
        self.speakers.update(later.speakers)
        self.spoke = {broker: before + line for broker, line in later.spoke.items()} | self.spoke
        self.chunks += later.chunks
        self.placement_lines += [one._replace(number=before + one.number) for one in later.placement_lines]
        self.decisions += later.decisions
        self.settled = later.settled or self.settled
        self.first = later.first if self.first is None else self.first
        self.last = self.last if later.last is None else later.last
        self.tail = later.tail or self.tail
        self.is_empty = self.is_empty and later.is_empty
        self.has_heads = self.has_heads or later.has_heads
        self.is_understood = self.is_understood or later.is_understood
        self.is_brokers = self.is_brokers or later.is_brokers
        self.is_client = self.is_client and later.is_client
        self.named |= later.named
