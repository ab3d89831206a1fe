"""Several clusters are watched at once, a thread each; a lost one is retried, and delays no other."""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

from oneowner.checkers.collect.channel_reader import Say
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.checkers.watch.channel_topic import ChannelTopic
from oneowner.checkers.watch.clusters import Cluster
from oneowner.checkers.watch.inline import Follower, Open, Terms
from oneowner.checkers.watch.readings import Readings
from oneowner.checkers.watch.sources import Dump, Place, Replay, Source

AGAIN: Final = 30.0
"""Seconds until a lost or unreachable cluster is retried."""
LOOKS_EVERY: Final = 0.2
"""Seconds between two checks for the end of all sources."""


def unheard(_: str) -> None:
    """Print nothing: in a worker of Spark, whose driver prints."""


def source_of(cluster: Cluster, place: Place | None, speed: float | None = None, say: Say = unheard) -> Source:
    """
    Return the source of a cluster, behind *place*.

    :param speed: the factor by which a replay is faster than the recording; None: as fast as possible.
    :param say: a printer of lines while there is no answer.
    :raises Misuse: it cannot be read, or is not the one that *place* is of.
    """
    if cluster.replay:
        return Replay(cluster.replay, place, speed)
    if cluster.dump:
        return Dump(cluster.dump, place, grows=True)
    return ChannelTopic(cluster.service_url, cluster.who, place, say)


class Watching:
    """All clusters of one process."""

    def __init__(self, clusters: Sequence[Cluster], terms: Terms, opened: Open, readings: Readings, say: Say) -> None:
        """
        Begin with each of them.

        :param say: a printer of messages that are no findings, such as an unreachable cluster.
        :raises Misuse: none of them can be watched.
        """
        self._terms, self._open, self._readings, self._say = terms, opened, readings, say
        self._ended = threading.Event()
        self._lost: list[EngineError | Misuse] = []
        self.found: Counter[tuple[str, str]] = Counter()
        """The reported findings, by law and severity."""
        first: dict[str, Follower | None] = {}
        refused: list[Misuse] = []
        for cluster in clusters:
            try:
                first[cluster.name] = self._begun(cluster)
            except Misuse as error:
                refused.append(error)
                first[cluster.name] = None
                readings.lose(cluster.name)
        if len(refused) == len(clusters):
            raise refused[0]
        for one in refused:
            say(f"{one}; it is tried again every {AGAIN:.0f} s")
        self._is_alone = len(clusters) == 1
        self._threads = [
            threading.Thread(target=self._follow, args=(cluster, first[cluster.name]), daemon=True)
            for cluster in clusters
        ]

    def run(self, seconds: float | None) -> None:
        """
        Watch until all sources have ended, for at most *seconds*, or until Ctrl-C.

        :raises EngineError: the only cluster was lost.
        """
        until = None if seconds is None else time.monotonic() + seconds
        for thread in self._threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in self._threads):
                time.sleep(LOOKS_EVERY)
                if until is not None and time.monotonic() >= until:
                    break
        except KeyboardInterrupt:
            self._say("interrupted: reported findings are recorded")
        self._ended.set()
        for thread in self._threads:
            thread.join()
        if self._lost:
            raise self._lost[0]

    def _follow(self, cluster: Cluster, follower: Follower | None) -> None:
        while not self._ended.is_set():
            try:
                follower = follower or self._begun(cluster)
                try:
                    follower.run(self._ended.is_set)
                finally:
                    self.found.update(follower.found)
                return
            except (EngineError, Misuse) as error:
                follower = None
                self._readings.lose(cluster.name)
                if self._is_alone:
                    self._lost.append(error)
                    return
                self._say(f"{cluster.name}: {error}; it is tried again every {AGAIN:.0f} s")
            except OSError as error:  # such as a full disk, or a closed pipe
                why = error.strerror or type(error).__name__
                self._lost.append(EngineError(f"{cluster.name}: a finding or the checkpoint cannot be written: {why}"))
                self._ended.set()
                return
            except Exception as error:
                self._lost.append(EngineError(f"{cluster.name}: {type(error).__name__}: {error}"))
                self._ended.set()
                raise
            self._ended.wait(AGAIN)

    def _begun(self, cluster: Cluster) -> Follower:
        follower = Follower(cluster, self._terms, self._open, self._readings)
        records = follower.watch.fold.tally.events
        where = f"continues behind its first {records:,} records" if records else "from its first record on"
        self._say(f"{cluster.name}: watching {follower.source.file}, {where}")
        return follower
