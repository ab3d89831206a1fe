"""
The clusters as a source of Spark Structured Streaming: an offset is the place in each, with its time.

A row is a cluster's next lines. The time is part of the offset, so that a repeated batch has the same time, and the
same findings.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from oneowner.checkers.collect.admin import now
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import MOST
from oneowner.checkers.watch.sources import Batch, Place, Source
from oneowner.checkers.watch.watching import source_of

FORMAT: Final = "oneowner-channels"
SCHEMA: Final = "cluster string, lines binary, clock long, is_at_end boolean, is_over boolean, is_up boolean"
WAIT: Final = 0.05
"""The maximum delay of the others by one cluster, in seconds."""
EVERY: Final = 2_000
"""Milliseconds after which the time advances without records."""

Offset = dict[str, Any]


class Row(NamedTuple):
    """Some lines of a cluster; ``clock`` is 0 if the time is unknown."""

    cluster: str
    lines: bytes
    clock: int
    is_at_end: bool
    is_over: bool
    is_up: bool


class ChannelsReader(SimpleDataSourceStreamReader):
    """Continues reading all clusters, each behind its place."""

    def __init__(self, clusters: Sequence[Cluster], speed: float | None) -> None:
        self._clusters = {cluster.name: cluster for cluster in clusters}
        self._speed = speed
        self._open: dict[str, tuple[str, Source]] = {}
        """The source, and the place behind which it is continued."""
        self._told: dict[str, int] = {}

    def initialOffset(self) -> Offset:  # noqa: N802 - as Spark calls it
        """Return the beginning of all channels."""
        return {name: {"place": "", "clock": 0, "over": False, "up": True} for name in self._clusters}

    def read(self, start: Offset) -> tuple[Iterator[Row], Offset]:
        """Return the lines behind *start*, and their end."""
        rows: list[Row] = []
        end: Offset = {}
        for name in self._clusters:
            begun = start[name]
            end[name] = begun
            if begun["over"]:
                continue
            source = self._source(name, begun["place"])
            batch = source.read(MOST, WAIT)
            place = json.dumps(batch.place)
            is_due = batch.is_at_end and now() - self._told.get(name, 0) >= EVERY
            if not (batch.lines or is_due or source.is_over or source.is_up != begun["up"]):
                continue
            if batch.is_at_end:
                self._told[name] = now()
            self._open[name] = place, source
            end[name] = {
                "place": place, "clock": batch.clock if batch.is_at_end else 0, "over": source.is_over,
                "up": source.is_up,
            }  # fmt: skip
            rows.append(_row(name, batch.lines, end[name]))
        return iter(rows), end

    def readBetweenOffsets(  # noqa: N802 - as Spark calls it
        self, start: Offset, end: Offset
    ) -> Iterator[Row]:
        """Return the lines between two offsets, as they were read the first time."""
        rows: list[Row] = []
        for name, cluster in self._clusters.items():
            if start[name] == end[name]:
                continue
            source = source_of(cluster, _place(start[name]["place"]))
            lines = list(_until(source, start[name]["place"], end[name]["place"]))
            source.close()
            rows.append(_row(name, lines, end[name]))
        return iter(rows)

    def _source(self, name: str, place: str) -> Source:
        """Return the source of a cluster behind a place; reuse an open source at that place."""
        if name in self._open:
            known, source = self._open[name]
            if known == place:
                return source
            source.close()
        source = source_of(self._clusters[name], _place(place), self._speed)
        self._open[name] = place, source
        return source


def _row(name: str, lines: Sequence[bytes], end: Offset) -> Row:
    return Row(name, b"".join(lines), end["clock"], bool(end["clock"]), end["over"], end["up"])


def _place(text: str) -> Place | None:
    found: Place | None = json.loads(text) if text else None
    return found or None


def _until(source: Source, start: str, end: str) -> Iterator[bytes]:
    """Yield the lines up to a place, one by one."""
    wanted, reached = _where(end), _where(start)
    while reached != wanted:
        batch: Batch = source.read(1, 1.0)
        yield from batch.lines
        reached = _where(json.dumps(batch.place))
        if not batch.lines and source.is_over:
            break


def _where(place: str) -> Place:
    """Return a place without its time."""
    return {key: value for key, value in (json.loads(place) if place else {}).items() if key != "clock"}


def channels(clusters: Sequence[Cluster], speed: float | None) -> type[DataSource]:
    """Return the source of these clusters; credentials are in its code, not in options, which a plan shows."""

    class Channels(DataSource):
        @classmethod
        def name(cls) -> str:
            return FORMAT

        def schema(self) -> str:
            return SCHEMA

        def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: N802
            return ChannelsReader(clusters, speed)

    return Channels
