"""
Laws of admin calls: a 204 means success (run.G6), and a refusal is reported to the caller (run.G5).

The broker publishes the record that a call requests and does not learn that every view drops it; the call ends when the
unit's next event completes it, or with the timeout (``UnloadManager``, ``SplitManager``: channel.6).
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.laws.answers.dump_end import beyond, dump_end
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import Call, Source
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import entry_at
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import seconds
from oneowner.model.channel.record import (
    DELETED,
    FREE,
    NOBODY,
    RELEASING,
    SPLITTING,
    Record,
    ServiceUnitState,
    is_in_flight,
    owner,
)
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

UNLOAD: Final = "unload"
ASKS: Final = {UNLOAD: RELEASING, "transfer": RELEASING, "split": SPLITTING}
"""The state that a call publishes first (channel.5: P3, P4, P7)."""
DESTINATIONS: Final = ("dest", "destination", "destinationBroker")
TIMED_OUT: Final = "TimeoutException"
MOST_SHOWN: Final = 6


class Asked(NamedTuple):
    """A call on a unit, and the records that may be its own."""

    call: Call
    unit: str
    state: ServiceUnitState
    destination: str | None
    steps: tuple[Step, ...]
    rivals: int
    """The number of other calls that requested the same of the same unit when those records were published."""

    @property
    def accepted(self) -> list[Step]:
        return [step for step in self.steps if step.is_accepted]

    @property
    def refused(self) -> list[Step]:
        return [step for step in self.steps if not step.is_accepted]

    @property
    def asks(self) -> str:
        whither = f" to {self.destination}" if self.destination else ""
        return f"{self.call.action} of {self.unit}{whither}"

    @property
    def record(self) -> str:
        """Its first refused record, and how sure it is that it is its own."""
        step, others = self.refused[0], len(self.refused) - 1
        whose = f"its record, or that of {self.rivals} other calls for the same," if self.rivals else "its record"
        more = f" (and {others} more)" if others else ""
        return f"{whose} {step.record}{more}"

    def is_met_by(self, entry: Record) -> bool:
        """Return whether another record fulfils the call: the unit is released, moved there, or split."""
        if self.destination is not None:
            return str(entry.destination) == self.destination
        return entry.state in (RELEASING, FREE) if self.state == RELEASING else entry.state in (SPLITTING, DELETED)


def done_as_asked(scene: Scene) -> LawOutcome:
    """
    A call answered with success took effect: while it lasted, the record that it requested was accepted.

    It took effect as well if a rival's record does the same, or if an unload had no owner to notify.
    """
    judged, silent = LawOutcome(), list[list[Asked]]([[]])
    done = [asked for asked in _asked(scene) if asked.call.status is not None and 200 <= asked.call.status < 300]
    known = [asked for asked in done if asked.call.end <= (dump_end(scene) or asked.call.end)]
    for asked in known:
        judged.exercised += 1
        lost = [step for step in asked.refused if not asked.is_met_by(step.held)]
        if asked.accepted or (asked.refused and not lost):
            silent.append([])
        elif lost:
            judged.findings.append(_refused(scene, asked))
            judged.happenings = [TOLD_DONE]
        elif _is_owned(scene, asked):
            silent[-1].append(asked)
        elif asked.call.action != UNLOAD:
            judged.findings.append(_ownerless(asked))
    judged.findings += [_unpublished(scene, group) for group in silent if group]
    judged.doubts += beyond(len(done) - len(known), "calls")
    return judged


TOLD_DONE: Final = Happening(
    Cause(HappeningKind.TOLD, "", 0), END,
    "calls returned 204 although their record was refused: another call had won the race for the unit", (), (), (),
    "repeat the call, and check the owner afterwards",
)  # fmt: skip
"""The behaviour of every release: it completes a call with the next event of the unit, from any publisher."""
NOT_TOLD: Final = Happening(
    Cause(HappeningKind.WAITS, "", 0), END,
    "calls waited for their whole time-out although their record had been refused at once", (), (), (),
    "repeat the call; the bundle itself is not harmed",
)  # fmt: skip


def _refused(scene: Scene, asked: Asked) -> Finding:
    call, first = asked.call, asked.refused[0]
    winner = _winner(scene.channel.units[asked.unit], asked)
    why = (
        f"{call.status} was answered to the {asked.asks}, but {asked.record} was refused, as the unit was {first.held}"
    )
    if winner is not None:
        why += f"; what completed the call was {_what(winner)}"
    shown: list[Citable] = [call, *asked.refused, *([winner] if winner is not None else [])]
    return finding(
        "done-as-asked", Severity.WARNING, why, shown, unit=asked.unit, brokers=_brokers(asked), step=first,
        window=Window(call.start, call.end, call.start, call.end),
        repair=f"ask for the {call.action} again, and look at the owner afterwards", causes=(TOLD_DONE.cause,),
    )  # fmt: skip


def _ownerless(asked: Asked) -> Finding:
    call = asked.call
    why = f"{call.status} was answered to the {asked.asks}, but the unit had no owner then, and nothing was done"
    return finding(
        "done-as-asked", Severity.NOTE, why, [call], unit=asked.unit, brokers=_brokers(asked),
        window=Window(call.start, call.end, call.start, call.end),
        repair="look up a topic of the unit, so that it is assigned, and repeat the call",
    )  # fmt: skip


def _unpublished(scene: Scene, group: list[Asked]) -> Finding:
    """Return one finding for calls in a row, none of which had an effect on a unit that the channel has as owned."""
    first, last = group[0].call, group[-1].call
    units = list(dict.fromkeys(asked.unit for asked in group))
    what = f"the {group[0].asks}" if len(group) == 1 else f"{len(group)} calls in a row, first the {group[0].asks},"
    cause = "the broker that served it knew of no owner"
    if scene.storage == Storage.METADATA_STORE:
        cause += ", or its write to the metadata store was dropped"
    why = (
        f"{first.status} was answered to {what} but no {group[0].state.value} record was published meanwhile, though "
        f"the channel has the unit as owned: {cause}"
    )
    shown = group if len(group) <= MOST_SHOWN else [*group[: MOST_SHOWN - 1], group[-1]]
    return finding(
        "done-as-asked", Severity.WARNING, why, [asked.call for asked in shown],
        unit=units[0] if len(units) == 1 else None, brokers=[name for asked in shown for name in _brokers(asked)],
        window=Window(first.start, last.end, first.start, last.end),
        repair="repeat the call when the serving broker's view holds the unit", units=units,
        causes=[cause for one in group for cause in why_away(scene, one.call.asked, first.start, last.end)],
    )  # fmt: skip


def _is_owned(scene: Scene, asked: Asked) -> bool:
    """Return whether the channel has an owner of the unit at all times while the call lasts."""
    history, call = scene.channel.units.get(asked.unit), asked.call
    if history is None:
        return False
    before = entry_at(history, call.start)
    during = [step for step in history.accepted if call.start < step.time <= call.end]
    return before is not None and all(owner(step.record) for step in (before, *during))


def refusal_is_told(scene: Scene) -> LawOutcome:
    """A call whose record is refused ends with the refusal, not with the timeout."""
    judged = LawOutcome()
    for asked in _asked(scene):
        judged.exercised += bool(asked.refused) and not asked.accepted
        if not asked.refused or not _timed_out(scene, asked.call):
            continue
        if asked.accepted:
            judged.doubts.append(
                f"{asked.call.action} of {asked.unit} timed out; of {len(asked.steps)} records that may be its own "
                f"{len(asked.refused)} were refused"
            )
        else:
            judged.findings.append(_not_told(asked))
            judged.happenings = [NOT_TOLD]
    return judged


def _timed_out(scene: Scene, call: Call) -> bool:
    failed = call.status is None or call.status >= 500
    return failed and (TIMED_OUT in call.result or call.end - call.start >= scene.limits.unload)


def _not_told(asked: Asked) -> Finding:
    call, step = asked.call, asked.refused[0]
    waited = max(0, call.end - step.time)
    why = (
        f"the {asked.asks} waited for {seconds(waited)} and ended with {call.status or 'no answer'}, though "
        f"{asked.record} was refused at once, as the unit was {step.held}"
    )
    return finding(
        "refusal-is-told", Severity.WARNING, why, [call, *asked.refused], unit=asked.unit, brokers=_brokers(asked),
        step=step, window=Window(step.time, call.end, call.start, call.end),
        repair="fail the call when its record is refused; meanwhile, repeat the call", causes=(NOT_TOLD.cause,),
    )  # fmt: skip


def _asked(scene: Scene) -> list[Asked]:
    """Return the calls that ask for something of a unit, with the records that may be theirs."""
    on_unit: dict[str, list[Call]] = defaultdict(list)
    calls = [call for call in scene.calls if call.unit is not None and call.action in ASKS]
    for call in calls:
        on_unit[call.unit or ""].append(call)
    return [_with_steps(scene, call, on_unit[call.unit or ""]) for call in calls]


def _with_steps(scene: Scene, call: Call, on_unit: Sequence[Call]) -> Asked:
    assert call.unit is not None
    state, destination, skew = ASKS[call.action], _destination(call), scene.limits.clock_skew
    history = scene.channel.units.get(call.unit)
    steps = tuple(
        step
        for step in (history.steps if history else ())
        if step.record.state == state
        and call.start - skew <= step.time <= call.end + skew
        and (state != RELEASING or _goes_to(step, destination))
    )
    rivals = [
        other
        for other in on_unit
        if other is not call
        and (ASKS[other.action], _destination(other)) == (state, destination)
        and all(other.start - skew <= step.time <= other.end + skew for step in steps)
    ]
    return Asked(call, call.unit, state, destination, steps, len(rivals) if steps else 0)


def _goes_to(step: Step, destination: str | None) -> bool:
    """An unload releases to nobody; a broker may be named by its URL."""
    named = step.record.destination
    return named == NOBODY if destination is None else str(named) == destination


def _destination(call: Call) -> str | None:
    named = next((call.parameters[name] for name in DESTINATIONS if call.parameters.get(name)), None)
    return broker_of(str(named)) if named else None


def _winner(history: History, asked: Asked) -> Step | None:
    """Return the record that the caller's broker took as the end: an in-flight one ends nothing (channel.6)."""
    during = [step for step in history.accepted if asked.call.start <= step.time <= asked.call.end]
    ends = [step for step in during if not is_in_flight(step.record)]
    return ends[-1] if ends else None


def _what(step: Step) -> str:
    return "a tombstone" if step.is_tombstone else str(step.record)


def _brokers(asked: Asked) -> list[str]:
    """The broker that served the call is the last that it was sent to."""
    served = asked.call.hops[-1] if asked.call.hops else asked.call.asked
    return [broker_of(served), *([asked.destination] if asked.destination else [])]


LAWS: Final = (
    SceneLaw(
        "done-as-asked",
        "A call that is answered with success was done.",
        "UnloadManager.handleEvent, SplitManager.handleEvent",
        order=60,
        needs=(Source.CHANNEL, Source.CALLS),
        judge=done_as_asked,
        uses=CLUSTER,
        severity=Severity.WARNING,
    ),
    SceneLaw(
        "refusal-is-told",
        "A call whose record is refused does not wait for the time-out.",
        "UnloadManager.handleEvent, SplitManager.handleEvent",
        order=60,
        needs=(Source.CHANNEL, Source.CALLS),
        judge=refusal_is_told,
        severity=Severity.WARNING,
    ),
)
