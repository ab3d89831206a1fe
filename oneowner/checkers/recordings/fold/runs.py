"""
Paths become recorded runs: which files belong together, what kind each is, and which rules judge them.

A path is one run: a folder, or a file alone; files of one folder given together are one run. The storage and
the in-flight limit come from the caller, else from the run's manifest, else from Pulsar's defaults. The
manifest's list of faults is never read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from oneowner.checkers.recordings.fold.file_names import (
    BESIDE,
    LINES,
    ZOOKEEPER,
    bundles_refused,
    is_dump,
    is_known,
    is_log,
    kind_beside,
    kind_in_words,
    known_files,
    named_with_kind,
    odd_files,
    what,
)
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.shared_histories import shared_out
from oneowner.checkers.recordings.fold.time_range import Scope
from oneowner.checkers.recordings.fold.waivers import NONE, Waivers
from oneowner.checkers.recordings.read.chroots import Chroot, Clusters, clusters_in, find_chroot, shown
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS, ClockLeads
from oneowner.checkers.recordings.read.compression import check_installed
from oneowner.checkers.recordings.read.lines import Chunk, FileKind, chunks_of
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.manifest import INTERVAL, WAIT, Manifest, read_manifest
from oneowner.checkers.recordings.read.pulsar_client_output import is_printed
from oneowner.checkers.remote_files import absolute, check_reachable, place_of
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.rules import Storage

DEFAULT_IN_FLIGHT_LIMIT = 120_000
"""Milliseconds: 30 s in-flight wait + 60 s monitor interval + slack."""
SLACK = 30_000

VIEW_CLASS = "loadManagerServiceUnitStateTableViewClassName"
METADATA_VIEW = "ServiceUnitStateMetadataStoreTableViewImpl"


@dataclass(frozen=True, slots=True)
class Piece:
    """One file of a run that is read line by line."""

    path: str
    kind: FileKind
    is_printed: bool = False
    """True if pulsar-client printed it (``read/pulsar_client_output.py``)."""

    @property
    def is_evidence(self) -> bool:
        """Return whether it holds evidence beside the channel: its judge reads all of it, and the fold nothing."""
        is_companion = self.kind == FileKind.SIDE and BESIDE.fullmatch(Path(self.path).name) is not None
        return self.kind == FileKind.LOG or is_companion


@dataclass(frozen=True, slots=True)
class Run:
    """One recorded run, ready to be judged."""

    name: str
    pieces: tuple[Piece, ...]
    question: Question
    source: FileKind | None
    """The kind of file with the channel's history; None if there is none."""
    doubts: tuple[str, ...]
    """Damage that was found while the run was put together: it cannot become valid."""
    unread_history: bool = False
    """True if there is a ZooKeeper history, and only the default storage implies that the channel was not there."""
    chroot: Chroot = Chroot("")
    """The chroot whose nodes in the history are judged."""
    manifest: Manifest = field(default_factory=Manifest)
    bundles: str | None = None
    """The file of bundle boundaries, if there is one."""
    clock: Clock = Clock()
    """The zone and the day of lines of logs that print none."""
    clocks: ClockLeads = NO_LEADS
    """The clocks of machines by which times are corrected while they are read."""

    def with_clocks(self, clocks: ClockLeads | None) -> "Run":
        """Return the run, to be read with these clocks corrected; None: as it is."""
        if clocks is None:
            return self
        limit = self.question.in_flight_limit + clocks.apart
        return replace(self, clocks=clocks, question=replace(self.question, in_flight_limit=limit))

    @property
    def recognised(self) -> list[tuple[str, str]]:
        """Return every file that is read, with its kind."""
        found = [(piece.path, kind_in_words(piece.path, piece.kind)) for piece in self.pieces]
        return [*found, *([(self.bundles, "bundle boundaries")] if self.bundles else [])]

    @property
    def is_alone(self) -> bool:
        """Return whether nothing was recorded beside the channel's own history."""
        return all(piece.kind in (self.source, FileKind.COMPACTED) for piece in self.pieces) and self.bundles is None

    def chunks(self, number: int, with_evidence: bool = True) -> Iterator[Chunk]:
        """Yield the chunks of its pieces, of all of them or of those of the channel; *number* is the run's."""
        for index, piece in enumerate(self.pieces):
            if with_evidence or not piece.is_evidence:
                yield from self.chunks_of(number, index)

    def chunks_of(self, number: int, index: int) -> Iterator[Chunk]:
        """Yield the chunks of one piece, known by its *index*; *number* is the run's."""
        piece = self.pieces[index]
        many = piece.kind == self.source and sum(other.kind == self.source for other in self.pieces) > 1
        for chunk in chunks_of(number, index, absolute(piece.path), piece.kind, is_one_of_many=many):
            yield chunk._replace(
                is_printed=piece.is_printed, is_numbered=not self.is_alone, chroot=self.chroot.own, clocks=self.clocks
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """The caller's settings for every run."""

    storage: Storage | None = None
    in_flight_limit: int | None = None
    partial: bool = False
    intervals: bool = False
    unit: str | None = None
    at: int | None = None
    logs: Mapping[str, str] = field(default_factory=dict)
    """The broker of each log: broker id by the file's path (--broker-log)."""
    dual_serving_limit: int = 10_000
    """Milliseconds that two brokers may serve a unit at once, if there is a cause for it."""
    unavailable_limit: int | None = None
    """Milliseconds for which clients may not be able to use a unit while its owner lives; None: by the manifest."""
    clock_skew: int = 0
    """Milliseconds by which the clocks of two machines may differ."""
    since: int | None = None
    until: int | None = None
    """The time range that is judged, epoch milliseconds, both ends included."""
    waivers: Waivers = NONE
    clock: Clock = Clock()
    """The zone and the day of lines of logs that print none (--zone, --date)."""
    explain: str = "auto"
    """When the model explains a run, and its laws of states judge it: never, auto or always."""
    salt: str | None = None
    """The key of pseudonyms; None shows all names as they are."""


def find_runs(paths: Iterable[str], options: Options) -> list[Run]:
    """Return the runs that *paths* name, sorted by name; raise Misuse for a path that is none."""
    folders: dict[tuple[str, Path], list[Path]] = {}
    for text in dict.fromkeys(paths):
        check_reachable(text)
        path = place_of(text)
        try:
            path.stat()
        except OSError as error:
            raise Misuse(f"{text}: {(error.strerror or str(error)).lower()}") from None
        if path.is_dir():
            files = known_files(path)
            if not files:
                raise Misuse(f"{text}: no file of a recorded run in it, such as channel.jsonl[.gz]; {_instead(path)}")
            folders.setdefault(("folder", path.resolve()), []).extend(files)
        elif not path.is_file():
            raise Misuse(f"{text}: neither a file nor a directory")
        elif not is_known(path.name) and not LINES.fullmatch(path.name) and not is_log(path):
            raise Misuse(f"{text}: not the name of a file that is audited, such as channel.jsonl[.gz]")
        else:
            folders.setdefault(("files", path.resolve().parent), []).append(path)
    if options.logs and len(folders) != 1:
        raise Misuse(f"--broker-log goes with a single PATH: {len(folders)} runs are given")
    runs = [run for (kind, _), files in folders.items() for run in _of_clusters(kind, _each_once(files), options)]
    return sorted(runs, key=lambda run: run.name)


def _instead(folder: Path) -> str:
    """Return the content of a folder that is no run, or how to audit the folders below it."""
    below = [files for child in folder.iterdir() if child.is_dir() and (files := known_files(child))]
    if not below:
        return f"there is: {', '.join(map(named_with_kind, sorted(folder.iterdir())[:5])) or 'nothing'}"
    each = f"oneowner audit {folder}/*/"
    if len(below) > 1 and all(is_log(file) for files in below for file in files):
        return f"put the logs of one cluster into one folder, a file for each broker; of clusters apart: {each}"
    return f"the runs below it are judged by: {each}"


def find_run(path: str, options: Options) -> Run:
    """Return the only run of a path; raise Misuse if it holds several clusters."""
    run, *others = find_runs([path], options)
    if others:
        roots = " and ".join(shown(one.chroot.own or "") for one in (run, *others))
        raise Misuse(
            f"{path}: holds runs of clusters below {roots}: give each a folder, or name one in metadataStoreUrl"
        )
    return run


def _of_clusters(given: str, files: list[Path], options: Options) -> Iterator[Run]:
    """Yield the run of each cluster that shares a ZooKeeper, with the files that name its brokers; or the only one."""
    clusters = clusters_in(str(file) for file in files if ZOOKEEPER.fullmatch(file.name))
    if len(clusters) < 2 or read_manifest(files, []).chroot is not None:
        yield _run(given, files, options, clusters)
        return
    shares = shared_out(files, clusters)
    for root, own in shares.items():
        logs = {path: broker for path, broker in options.logs.items() if broker in clusters[root] or len(shares) == 1}
        run = _run(given, own, replace(options, logs=logs), clusters, root)
        yield run if len(shares) == 1 else replace(run, name=f"{run.name} below {shown(root)}")


def log_of(text: str) -> tuple[str, str]:
    """
    Return the path of a log and its broker, of ``--broker-log BROKER=FILE``; raise Misuse.

    The broker's id is that of the channel's records: host:port of its web service.
    """
    broker, _, path = text.partition("=")
    if not broker or not path:
        raise Misuse(f"--broker-log refused: {text!r}; it has the form BROKER=FILE, such as broker-1:8080=pulsar.log")
    check_reachable(path)
    if not place_of(path).is_file():
        raise Misuse(f"--broker-log: {path}: no such file")
    return str(place_of(path).resolve()), broker


def _each_once(files: list[Path]) -> list[Path]:
    return sorted({file.resolve(): file for file in files}.values())


def _run(given: str, files: list[Path], options: Options, clusters: Clusters, root: str | None = None) -> Run:
    for file in (*files, *options.logs):
        check_installed(str(file))
    name = str(files[0]) if given == "files" and len(files) == 1 else str(files[0].parent)
    doubts = [f"{odd}: not read: {what(odd)}" for odd in odd_files(files[0].parent)] if given == "folder" else []
    manifest = read_manifest(files, doubts)
    config = manifest.config
    doubts += bundles_refused(files)
    storage = options.storage or _storage(config)
    named = [place_of(log) for log in options.logs]
    files = [file for file in files if file.resolve() not in named]
    channel = [file for file in files if is_dump(file)]
    history = [file for file in files if ZOOKEEPER.fullmatch(file.name)]
    chroot = find_chroot(manifest.chroot if root is None else root, [str(file) for file in history], clusters)
    if chroot.doubt:
        doubts.append(chroot.doubt)
    source: FileKind | None = FileKind.CHANNEL if channel else None
    if history and storage == Storage.METADATA_STORE:  # there the channel's history is that of its nodes
        source = FileKind.ZOOKEEPER
    judged = {FileKind.CHANNEL: channel, FileKind.ZOOKEEPER: history}[source] if source else []
    pieces = [
        Piece(str(file), source, source == FileKind.CHANNEL and is_printed(str(file))) for file in judged if source
    ]
    pieces += [
        Piece(str(file), kind) for file in files if file not in judged and (kind := kind_beside(file)) is not None
    ]
    pieces += [Piece(str(file), FileKind.LOG) for file in named]
    unread = bool(history) and options.storage is None and not config
    limit = options.in_flight_limit if options.in_flight_limit is not None else _limit(config)
    question = Question(
        storage=storage,
        is_history=source == FileKind.ZOOKEEPER,
        in_flight_limit=limit,
        partial=options.partial,
        one_phase=manifest.is_one_phase,
        intervals=options.intervals,
        unit=options.unit,
        at=options.at,
        scope=Scope(options.since, options.until, options.waivers.in_force),
        vocabulary=options.salt is not None,
    )
    bundles = next((str(file) for file in files if file.name == "bundles.json"), None)
    clock = options.clock
    if not clock.day and manifest.day:
        clock = clock._replace(day=manifest.day, day_by="the manifest")
    return Run(name, tuple(pieces), question, source, tuple(doubts), unread, chroot, manifest, bundles, clock)


def _storage(config: dict[str, Any]) -> Storage:
    if str(config.get(VIEW_CLASS, "")).endswith(METADATA_VIEW):
        return Storage.METADATA_STORE
    return Storage.SYSTEM_TOPIC


def _limit(config: dict[str, Any]) -> int:
    if WAIT not in config and INTERVAL not in config:
        return DEFAULT_IN_FLIGHT_LIMIT
    return int(config.get(WAIT, 30_000)) + int(config.get(INTERVAL, 60)) * 1000 + SLACK
