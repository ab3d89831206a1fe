"""
A report on producers of the channel: creator and acceptor of each use the same name, and each has a creator.

``ProducerImpl`` logs its name at its creation in the log of its broker, ``ServerCnx`` in the log of the broker that
owns the topic. Where all logs begin with their process, each line has the other one. Innocent, and not reported:
brokers without a log or with a piece of one, an attempt that broke off. A record of an operator's own producer only
warns: no broker of the cluster made it.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.laws.views.publishers import CHANNEL_TOPIC, CREATED
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.read.producer_names import ACCEPTED
from oneowner.checkers.recordings.scene.broker_processes import STARTING
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso
from oneowner.model.kernel.law import Severity

LAW: Final = "producers-are-known"


def _producers_are_known(scene: Scene) -> LawOutcome:
    made, accepted = _of_the_channel(scene, CREATED), _of_the_channel(scene, ACCEPTED)
    if not made or not _has_all_logs(scene):
        return LawOutcome()
    first = min(lines[0].time for lines in scene.said.values())
    last = min(scene.said[broker][-1].time for broker in scene.brokers)
    found = list(_unmatched({name: lines for name, lines in made.items() if lines[0].time <= last}, accepted))
    found += _strangers(scene, {*made, *accepted}, first, last)
    return told(LAW, sum(map(len, made.values())), found)


def _of_the_channel(scene: Scene, event: str) -> dict[str, list[LogEvent]]:
    found: dict[str, list[LogEvent]] = defaultdict(list)
    for said in scene.lines(event):
        topic = str(said.values.get("topic"))
        if topic.endswith(CHANNEL_TOPIC) and said.values.get("producer") is not None:
            found[str(said.values["producer"])].append(said)
    return found


def _has_all_logs(scene: Scene) -> bool:
    """Return whether there is a log of every broker, from the beginning of its first process."""
    return all(scene.said.get(broker) and scene.said[broker][0].event == STARTING for broker in scene.brokers)


def _unmatched(made: dict[str, list[LogEvent]], accepted: dict[str, list[LogEvent]]) -> Iterator[Contradiction]:
    """Yield producers that a broker made and that no broker accepted, if the logs have such lines at all."""
    for producer, lines in made.items():
        if accepted and producer not in accepted:
            broker = lines[0].broker
            why = f"{broker} created producer {producer} of the channel at {iso(lines[0].time)}, and nobody accepted it"
            yield Contradiction(why, (lines[0],), (broker,))


def _strangers(scene: Scene, known: set[str], since: int, until: int) -> Iterator[Contradiction]:
    """Yield producers that published records and are in no log."""
    _, first = np.unique(scene.channel.columns.array("producer"), return_index=True)
    for step in scene.channel.at(np.sort(first).tolist()):
        producer = step.producer
        if producer and producer not in known and since <= step.time <= until:
            why = f"no broker's log knows producer {producer}, which published {step.message_id}"
            yield Contradiction(why, (step,), unit=step.key, is_proof=False)


LAWS: Final = (
    SceneLaw(
        LAW,
        "A producer of the channel is named alike by who created it and by who accepted it.",
        "ProducerImpl, ServerCnx.handleProducer",
        needs=(Source.LOGS, Source.CHANNEL),
        judge=_producers_are_known,
        severity=Severity.WARNING,
    ),
)
