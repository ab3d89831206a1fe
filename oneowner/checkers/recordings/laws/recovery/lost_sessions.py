"""
A report on sessions where logs alone are there: a broker without one may lose its bundles while it serves them.

With the channel, laws judge what came of it. Without, the line of the broker is all that shows it.
"""

from typing import Final

from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.registry_from_logs import REGISTERED
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.session_losses import backs, losses, since_when
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import iso, lasting
from oneowner.model.kernel.law import Severity

LAST: Final = "sessions-last"


def _judge_sessions(scene: Scene) -> LawOutcome:
    """Warn of each session that a broker lost, with the time for which it had none, and was not registered."""
    judged = LawOutcome(exercised=len(scene.lines("session-event")))
    for lost in losses(scene):
        broker, since = lost.broker, since_when(scene, lost)
        back = next((line for line in backs(scene) if line.broker == broker and line.time >= lost.time), None)
        again = next(
            (line for line in scene.lines(REGISTERED) if line.broker == broker and line.time >= lost.time), None
        )
        had = f"had one again {lasting(back.time - lost.time)} later" if back else "does not log that it had one again"
        made = f", and registered {lasting(again.time - lost.time)} after the loss" if again else ""
        signs = [line for line in (back, again) if line is not None]
        until = min((line.time for line in signs), default=END)
        judged.findings.append(
            finding(
                LAST, Severity.WARNING,
                f"{broker} lost its session with ZooKeeper at {iso(lost.time)} and {had}{made}: meanwhile its bundles "
                f"may be given to others, and it may keep serving them",
                [lost, *signs], brokers=(broker,), window=Window(since, until, since, until), time=lost.time,
                guard="a live broker keeps its session with the metadata store",
                repair=f"find out why {broker} did not reach ZooKeeper, such as a long pause of its JVM",
                causes=why_away(scene, broker, since, lost.time),
            )
        )  # fmt: skip
    return judged


LAWS: Final = (
    SceneLaw(
        LAST,
        "A broker that lives keeps its session with the metadata store.",
        "ServiceUnitStateChannelImpl.handleMetadataSessionEvent, ZKSessionWatcher",
        needs=(Source.LOGS,),
        of_channel=True,
        without_channel=True,
        judge=_judge_sessions,
        uses=CLUSTER,
        severity=Severity.WARNING,
    ),
)
