"""
Every law of the scene is put to one scene; their answers become rows, findings and doubts.

A law that lacks an input is unknown for itself and hides nothing; one whose input is damaged, or that has doubts of its
own, cannot be valid, and then neither can the run: absent input is not damaged input. A report has no verdict.

A measured clock skew above the limit replaces it, so that no broker is accused of an error of its clock. Clocks that
differ by more than a second are to be corrected first: then the run is read once more (``Evidence.clocks``).
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.answers import clocks
from oneowner.checkers.recordings.laws.answers.clock_pairs import WIDE
from oneowner.checkers.recordings.laws.answers.lookup_answers import ATTESTED
from oneowner.checkers.recordings.laws.channel_links import Linked, linked, of_channel
from oneowner.checkers.recordings.laws.judged_apart import fill, judging, outcomes
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.laws.store_lanes import StoreLanes, store_lanes
from oneowner.checkers.recordings.laws.units_hit import Clients, Hit, clients_of, units_hit
from oneowner.checkers.recordings.read.clock_leads import ClockLeads
from oneowner.checkers.recordings.read.events import Finding, Interval, Position
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.scene.broker_lanes import BrokerLanes, broker_lanes
from oneowner.checkers.recordings.scene.broker_processes import (
    READY,
    log_begins_amid_process,
    log_ends_amid_process,
    releases_of,
)
from oneowner.checkers.recordings.scene.happening import Happening
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.lock_nodes import intervals_of, is_by_locks
from oneowner.checkers.recordings.scene.logged_channel import MOST_LINES
from oneowner.checkers.recordings.scene.migrations import LOAD_MANAGER
from oneowner.checkers.recordings.scene.moments import Moment, moments
from oneowner.checkers.recordings.scene.packed_logs import producers_of
from oneowner.checkers.recordings.scene.parts import parts_at_once
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.signs_of_harm import signs_of_harm
from oneowner.checkers.recordings.scene.source_gaps import gaps_between_sources
from oneowner.checkers.results import LawRow
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity


class Background(NamedTuple):
    """The background of findings: happenings, and causes that the fold of the channel cannot see."""

    happenings: tuple[Happening, ...] = ()
    hits: tuple[Hit, ...] = ()
    clients: Mapping[str, Clients] = MappingProxyType({})
    """The experience of clients, by unit."""
    moments: tuple[Moment, ...] = ()
    links: Mapping[tuple[str, Position, str | None], Linked] = MappingProxyType({})
    """The links of findings of the channel's laws: by law, position, unit."""
    end: int | None = None
    """The last moment of any evidence."""
    releases: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """The releases that the processes of each broker print when they start."""

    @property
    def excuses(self) -> dict[tuple[str, Position, str | None], str]:
        """Return the excuses of these findings."""
        return {known: link.excuse for known, link in self.links.items() if link.excuse}


class Evidence(NamedTuple):
    """The outcome of all laws of the scene for one run."""

    rows: tuple[LawRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    doubts: tuple[str, ...] = ()
    """The reasons that the run cannot be valid, a sentence each."""
    coverage: tuple[Coverage, ...] = ()
    producers: frozenset[str] = frozenset()
    """Names of producers in the logs: no key or record marks them as names."""
    end: int | None = None
    """The last moment of any evidence."""
    reports: tuple[tuple[str, int], ...] = ()
    """The reports, which only warn and note, and how often each had an occasion."""
    start: int | None = None
    """The first moment of any evidence."""
    attested: int | None = None
    """The time until which the channel is known to hold all records."""
    lanes: tuple[BrokerLanes, ...] = ()
    """The times of each broker's life, registration and leadership: for the page alone."""
    stores: StoreLanes = StoreLanes()
    """The times at which ZooKeeper and the bookies failed: for the page alone."""
    held: tuple[Interval, ...] | None = None
    """The holders of the locks of bundles, by time; None where bundles are owned by the channel."""
    background: Background = Background()
    is_logged: bool = False
    """True if the records of the channel are those that logs print."""
    is_by_nodes: bool = False
    """True if logs show that ZooKeeper's nodes name the owners of bundles."""
    migration: str = ""
    """
    The reason that laws of one channel are not judged, if the owners of bundles move: the channel has no whole history.
    """
    clocks: ClockLeads | None = None
    """The clocks to be corrected, with which the run is to be read and judged again; None: there are none."""
    signs: tuple[str, ...] = ()
    """Happenings after which bundles may have been harmed, in words: for a run in which no law finds harm."""
    explained: Mapping[str, Any] | None = None
    """The part of the run that the model explains, and what it exercises; None: the model was not asked."""


NOT_JUDGED: Final = (
    "meanwhile no rule of one channel, or of locks alone, holds: these laws are not judged, "
    "but what clients and logs show"
)
MODULAR: Final = "ModularLoadManagerImpl"
READ_BY_THE_AUDIT = (Source.CHANNEL, Source.ZOOKEEPER)
"""The sources whose damaged lines the audit of the channel reports itself."""


def judge_scene(
    scene: Scene,
    coverage: Sequence[Coverage] = (),
    laws: Sequence[SceneLaw] = SCENE_LAWS,
    parts: int | None = None,
    executor: Executor = in_turn,
) -> Evidence:
    """
    Judge *scene* by all *laws*; return their rows in order, their findings, and the doubts about the run.

    Laws of brokers are judged in so many *parts* by *executor*, with the same outcome; None: by the size of the run.
    """
    rows: list[LawRow] = []
    reports: list[tuple[str, int]] = []
    findings: list[Finding] = []
    doubts = list(gaps_between_sources(scene))
    told: list[Happening] = []
    doubts += [words for source, lines in scene.damage.items() if source not in READ_BY_THE_AUDIT for words in lines]
    if scene.migration:
        doubts.append(f"{scene.name}: {scene.migration}; {NOT_JUDGED}")
    if scene.logged is not None and scene.logged.are_too_many:
        doubts.append(f"{scene.name}: more than {MOST_LINES:,} lines of logs print records: only a dump can be judged")
    asked = [law for law in laws if law.concerns(scene.present)]
    with judging(scene, parts_at_once(scene) if parts is None else parts, executor, laws) as cut:
        fill(scene, cut)
        apart = clocks.apart(scene)
        if apart > scene.limits.clock_skew + WIDE:
            doubts.append(f"{scene.name}: clocks are {apart} ms apart, {scene.limits.clock_skew} ms are allowed for")
        if not scene.limits.clock_skew:
            doubts += scene.clocks.doubts
            apart = max(apart, scene.clocks.apart)
        limits = dataclasses.replace(scene.limits, clock_skew=max(scene.limits.clock_skew, apart))
        by_clocks = scene if limits == scene.limits else scene.with_limits(limits)
        of_parts = outcomes(by_clocks, [law for law in asked if not law.is_of_one_channel(scene)], cut)
    sees_all = scene.logged is None or scene.logged.is_whole
    bare = by_clocks if sees_all else by_clocks.without_logged()
    for law in asked:
        judged = scene if law.by_given_limits else by_clocks if law.by_logs else bare
        row, found, own, happened = _asked(judged, law, of_parts.get(law.name))
        told += happened
        if law.decides or row.verdict == Verdict.INVALID:
            rows.append(row)
        else:
            reports.append((row.law, row.exercised))
        findings += found
        doubts += [f"{scene.name}: {law.name}: {words}" for words in own]
    producers = frozenset(name for lines in scene.said.values() for name in producers_of(lines))
    return Evidence(
        tuple(rows), tuple(findings), tuple(doubts), tuple(coverage), producers, scene.end, tuple(reports), scene.start,
        ATTESTED.of(scene), broker_lanes(by_clocks), store_lanes(by_clocks),
        intervals_of(scene) if is_by_locks(scene) else None, _background(by_clocks, told), _has_logged(scene),
        _is_by_nodes(scene), reason_of(scene), clocks.leads_of(scene, coverage), signs_of_harm(scene),
    )  # fmt: skip


def _has_logged(scene: Scene) -> bool:
    return scene.logged is not None and not scene.logged.are_too_many


def _is_by_nodes(scene: Scene) -> bool:
    """Return whether brokers print that they keep the channel in the metadata store, or have none."""
    managers = {line.values["settings"].get(LOAD_MANAGER) or "" for line in scene.lines(READY)}
    return scene.storage == Storage.METADATA_STORE or any(name.endswith(MODULAR) for name in managers)


def _background(scene: Scene, told: Sequence[Happening]) -> Background:
    found = {happening.cause: happening for happening in (*happenings_of(scene).found.values(), *told)}
    hits, clients = tuple(units_hit(scene)), scene.once(clients_of)
    releases = {broker: releases_of(scene, broker) for broker in scene.lives}
    shown = tuple(moments(scene, told))
    return Background(tuple(found.values()), hits, clients, shown, end=scene.end, releases=releases)


def with_links(scene: Scene, evidence: Evidence, found: Iterable[Finding]) -> Evidence:
    """Return the evidence with causes of the findings of the channel's laws, and with findings that it adds."""
    known, background = {}, evidence.background
    happenings = {happening.cause: happening for happening in background.happenings}
    for one in found:
        link = known[one.law, one.position, one.unit] = linked(scene, one)
        happenings |= {happening.cause: happening for happening in link.told}
    evidence = evidence._replace(findings=(*evidence.findings, *of_channel(scene)))
    background = background._replace(happenings=tuple(happenings.values()), links=known)
    return evidence._replace(background=background)


def _asked(
    scene: Scene, law: SceneLaw, known: LawOutcome | None
) -> tuple[LawRow, list[Finding], list[str], list[Happening]]:
    if law.is_of_one_channel(scene):
        return LawRow(law.name, "holds", Verdict.VALID, Verdict.UNKNOWN, 0, reason_of(scene)), [], [], []
    if missing := law.lacks(scene):
        reason = f"needs {', '.join(missing)}"
        return LawRow(law.name, "holds", Verdict.VALID, Verdict.UNKNOWN, 0, reason), [], [], []
    judged, read = known or law.judge(scene), (*law.needs, *law.uses)
    if logs := _missing_logs(scene, law, judged.findings):
        doubt = f"it warns of harm, and a log that could show a violation is missing: collect that of {', '.join(logs)}"
        judged = dataclasses.replace(judged, doubts=[*judged.doubts, doubt])
    if scene.is_partial and Source.CHANNEL in read:
        weaker = [one._replace(severity=_at_most_warning(one.severity)) for one in judged.findings]
        judged = LawOutcome(judged.exercised, weaker, judged.doubts, judged.happenings)
    damaged = [source for source in read if scene.damage.get(source)]
    verdict = Verdict.VALID if judged.exercised and not damaged and not judged.doubts else Verdict.UNKNOWN
    reason = judged.doubts[0] if judged.doubts else f"damaged: {', '.join(damaged)}" if damaged else ""
    if any(one.severity == Severity.VIOLATION for one in judged.findings):
        # A record, or the making of a lock, that cannot be read can fake findings about its unit.
        owners = Source.ZOOKEEPER if Source.LOCKS in law.needs else Source.CHANNEL
        verdict = Verdict.UNKNOWN if owners in damaged else Verdict.INVALID
    row = LawRow(law.name, "holds", Verdict.VALID, verdict, judged.exercised, reason)
    return row, judged.findings, judged.doubts, judged.happenings


def _missing_logs(scene: Scene, law: SceneLaw, findings: Iterable[Finding]) -> list[str]:
    """Return the brokers whose harm to units *law* warns of and whose log of that time is missing, with that time."""
    if law.harm == Harm.NONE or scene.present <= {Source.CHANNEL}:
        return []
    harm: dict[str, list[tuple[int, int]]] = {}
    for one in (one for one in findings if one.severity == Severity.WARNING):
        time = one.time or 0
        window = (time, time) if one.window is None else (one.window.possible_since, one.window.possible_until)
        for broker in one.brokers:
            harm.setdefault(broker, []).append(window)
    missing = []
    for broker, windows in sorted(harm.items()):
        begins, ends = log_begins_amid_process(scene, broker), log_ends_amid_process(scene, broker)
        if broker in scene.brokers and broker not in scene.said:
            missing.append(broker)
            continue
        if begins is not None and begins > min(since for since, _ in windows):
            missing.append(f"{broker} before {iso(begins)}")
        if ends is not None and ends < max(until for _, until in windows):
            missing.append(f"{broker} after {iso(ends)}")
    return missing


def reason_of(scene: Scene) -> str:
    """Return the words for a law that is not judged because the owners of bundles move; empty: they do not."""
    return scene.migration.partition(":")[0]


def _at_most_warning(severity: Severity) -> Severity:
    return Severity.WARNING if severity == Severity.VIOLATION else severity
