"""A law of the scene is declared by its name, sentence, source and needs, and judges by a function of the scene."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from oneowner.checkers.recordings.fold.recorded_law import Excuse, RecordedLaw
from oneowner.checkers.recordings.read.events import NOWHERE, Cause, Finding, ModelStep, Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable, cite
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import Timeline
from oneowner.model.channel.record import Record, is_absent
from oneowner.model.kernel.law import Severity


@dataclass(slots=True)
class LawOutcome:
    """The outcome of a law for a scene."""

    exercised: int = 0
    """The number of its occasions."""
    findings: list[Finding] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    """Reasons that it may not hold although nothing was found: an ambiguous join, a cap that was hit."""
    happenings: list[Happening] = field(default_factory=list)
    """The happenings that it alone detects, and that other findings may be caused by."""


class Scope(StrEnum):
    """The part of a run that a law must see at once, beside the sources of the whole cluster."""

    BROKER = "the lines, lookups and polls of one broker"
    RUN = "those of all brokers"


Mapped = TypeVar("Mapped")


@dataclass(frozen=True, slots=True)
class InParts(Generic[Mapped]):
    """A judge of a law of brokers that needs several of them at once: it maps each part of a run, and then reduces."""

    map: Callable[[Scene], Mapped]
    """Its result for one part: small for a part of any size."""
    reduce: Callable[[Scene, Sequence[Mapped]], LawOutcome]
    """The outcome for the results of all parts, in their order; it reads nothing else of brokers."""

    def __call__(self, scene: Scene) -> LawOutcome:
        """Judge a run in one part."""
        return self.reduce(scene, [self.map(scene)])


LAST: Final = 99
"""The place of a law that declares none."""
CLUSTER = (Source.LOGS, Source.LOOKUPS, Source.POLLS, Source.ZOOKEEPER)
"""The sources that show which brokers are alive, registered and answering."""
BOUNDARIES = (Source.BUNDLES, Source.ZOOKEEPER)
"""The sources of the unit in which a topic lies, beside the channel."""


@dataclass(frozen=True, slots=True)
class SceneLaw(RecordedLaw):
    """
    A law of the scene of one recorded run; *judge* counts its occasions.

    Where a source of ``needs`` is missing, it is not judged, and then unknown for itself. A law whose severity is below
    a violation is a report: it warns, notes or doubts, and makes no run valid.
    """

    needs: tuple[Source, ...] = field(kw_only=True)
    judge: Callable[[Scene], LawOutcome] = field(kw_only=True)
    uses: tuple[Source, ...] = field(default=(), kw_only=True)
    """Optional sources: damaged, they make the law unknown, too. ``one_of`` is among them."""
    one_of: tuple[Source, ...] = field(default=(), kw_only=True)
    """One of these must be there, too."""
    scope: Scope = field(default=Scope.RUN, kw_only=True)
    of_migrations: bool = field(default=False, kw_only=True)
    """True if it is judged although it needs the channel, where that moves to another storage: by brokers alone."""
    of_channel: bool = field(default=False, kw_only=True)
    """True if it concerns the channel's load manager; a law that needs the channel always does."""
    order: int = field(default=LAST, kw_only=True)
    """
    Its place in results; laws of one place come by module, and of one module as declared.

    From 10 on: servers of a unit; 20: locks; 30: lookups; 40: views; 50: recovery; 60: answers to other callers.
    """
    is_live: bool = field(default=False, kw_only=True)
    """True if a watch judges it, too: it needs no more than the channel, lookups and lists of a live run."""
    by_given_limits: bool = field(default=False, kw_only=True)
    """True if it is judged by the given clock skew, and not by the one that the run shows."""
    repairs: tuple[HappeningKind, ...] = field(default=(), kw_only=True)
    """The kinds of roots whose incidents take their repair from its findings first."""
    shows_servers: bool = field(default=False, kw_only=True)
    """True if the brokers of its findings served the unit beside its owner: the page draws them under its bar."""

    state: str = field(default="", kw_only=True)
    """
    The state in which its violation leaves the cluster, in words; with ``{brokers} {are}`` for those of its findings.
    """

    by_logs: bool = field(default=False, kw_only=True)
    """
    True if it is judged by the records that logs print where the channel itself is missing: it accuses by records that
    are there, never by the absence of one (``logged_channel.py``). No other law sees these, unless none is missing.
    """

    without_channel: bool = field(default=False, kw_only=True)
    """True if it is judged only where nothing but logs shows the channel: with it, other laws judge the harm."""

    def concerns(self, present: Collection[Source]) -> bool:
        """Return whether it concerns the cluster's load manager: owners by the channel, by locks, or by both."""
        if self.without_channel and Source.CHANNEL in present:
            return False
        is_of_locks = Source.LOCKS in present and Source.CHANNEL not in present
        if self.of_channel or Source.CHANNEL in self.needs:
            return not is_of_locks
        return Source.LOCKS not in self.needs or Source.LOCKS in present

    def is_of_one_channel(self, scene: Scene) -> bool:
        """
        Return whether it needs a history of owners that *scene* lacks, as two places each hold a part of it.
        """
        is_of_owners = Source.CHANNEL in self.needs or Source.LOCKS in self.needs
        return bool(scene.migration) and is_of_owners and not self.of_migrations

    def lacks(self, scene: Scene) -> tuple[str, ...]:
        """Return its sources that are missing in *scene*; without any of them it is not judged."""
        is_logged = self.by_logs and scene.logged is not None
        missing: list[str] = [one for one in scene.lacks(self.needs) if not (is_logged and one == Source.CHANNEL)]
        if self.one_of and len(scene.lacks(self.one_of)) == len(self.one_of):
            missing.append(" or ".join(self.one_of))
        return tuple(missing)

    def map(self, part: Scene) -> Any:
        """Return its result for one part of a run, for ``reduce``."""
        return self.judge.map(part) if isinstance(self.judge, InParts) else self.judge(part)

    def reduce(self, scene: Scene, mapped: Sequence[Any]) -> LawOutcome:
        """Return its outcome for the whole run, by the results for its parts."""
        return self.judge.reduce(scene, mapped) if isinstance(self.judge, InParts) else added(mapped)

    @property
    def decides(self) -> bool:
        """True if it can be broken."""
        return self.severity == Severity.VIOLATION


def remaining(scene: Scene, judged: Timeline, excuses: Iterable[Excuse[Timeline]], *accused: Any) -> Timeline:
    """Return the part of *judged* that none of the *excuses* subtracts from the accusation of *accused*."""
    for excuse in excuses:
        if not judged:
            break
        judged -= excuse.of(scene, *accused)
    return judged


def added(outcomes: Iterable[LawOutcome]) -> LawOutcome:
    """Return all *outcomes* as one, in their order."""
    whole = LawOutcome()
    for one in outcomes:
        whole.exercised += one.exercised
        whole.findings += one.findings
        whole.doubts += one.doubts
        whole.happenings += one.happenings
    return whole


def finding(
    law: str,
    severity: Severity,
    why: str,
    evidence: Iterable[Citable],
    *,
    unit: str | None = None,
    brokers: Iterable[str] = (),
    step: Step | None = None,
    window: Window | None = None,
    time: int | None = None,
    guard: str = "",
    repair: str = "",
    symptoms: Iterable[str] = (),
    causes: Iterable[Cause] = (),
    units: Iterable[str] = (),
    model: ModelStep | None = None,
) -> Finding:
    """
    Return a finding: one sentence, and the lines that prove it (never none).

    It stands at *step*, if it is about a record, else at its first line. *repair* is the nearest legal alternative;
    *symptoms* are facts by which a known bug is recognised, *causes* those that the law found, *units* all units that
    it concerns if these are several.
    """
    shown = list(evidence)
    cites = tuple(cite(seen) for seen in shown)
    assert cites, f"{law}: a finding without evidence"
    origin = step.origin if step is not None else cites[0].origin
    held = None if step is None or is_absent(step.held) else step.held
    return Finding(
        law, severity, unit, NOWHERE if step is None else step.position, origin,
        None if step is None else step.message_id, cites[0].time if time is None else time,
        tuple(dict.fromkeys(brokers)), why, held, None if step is None else _record(step), guard or law, repair,
        cites, window, tuple(symptoms), causes=tuple(dict.fromkeys(causes)), units=tuple(dict.fromkeys(units)),
        model=model,
    )  # fmt: skip


def _record(step: Step) -> Record | None:
    return None if step.is_tombstone else step.record
