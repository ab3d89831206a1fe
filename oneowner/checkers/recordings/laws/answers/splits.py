"""
Laws of splits: a unit that is split in the channel is split in the bundle data, and a boundary once written stays.

The broker that splits writes the namespace's local policies before it publishes Deleted (channel.8, step 4 before 5),
and repeats the whole step after a conflict. In older load managers two splits at once lost one boundary (bugs.R63).
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.fold.unit_memory import range_of
from oneowner.checkers.recordings.laws.answers.bundle_boundaries import BoundariesWrite, Policies, policies_of
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso
from oneowner.model.channel.record import DELETED, SPLITTING
from oneowner.model.kernel.law import Severity

REACHES = "split-reaches-the-policies"
NEVER_LOST = "boundary-is-never-lost"


class Split(NamedTuple):
    """A split in the channel."""

    unit: History
    splitting: Step
    children: tuple[str, ...]
    """Their ranges."""
    deleted: Step | None
    """The record that completes it; None if the dump ends before."""

    @property
    def namespace(self) -> str:
        return self.unit.key.rpartition("/")[0]

    @property
    def last(self) -> Step:
        return self.deleted or self.splitting

    @property
    def cut(self) -> frozenset[int]:
        """The boundaries that the children have and the parent has not."""
        own = {self.unit.range.low, self.unit.range.high}
        return frozenset(end for child in self.children for end in range_of(child)) - own


def splits(scene: Scene) -> Iterator[Split]:
    """Yield the splits that were accepted, with the Deleted that ended each."""
    for unit in scene.channel.units.values():
        accepted = unit.accepted
        for number, step in enumerate(accepted):
            printed = step.printed
            if step.entry.state != SPLITTING or printed is None or not printed.children:
                continue
            following = accepted[number + 1] if number + 1 < len(accepted) else None
            done = following if following is not None and following.entry.state == DELETED else None
            if done is not None or following is None:
                yield Split(unit, step, printed.children, done)


def _reaches_the_policies(scene: Scene) -> LawOutcome:
    judged, policies = LawOutcome(), policies_of(scene)
    judged.doubts += policies.unreadable
    for split in splits(scene):
        is_told = (
            bool(policies.local.get(split.namespace)) or _final(scene, split.namespace, split.last.time) is not None
        )
        if not is_told:
            judged.doubts.append(f"the split of {split.unit.key} cannot be compared: no bundle data of its namespace")
            continue
        found = _unreached(scene, policies, split)
        missing = incomplete.of(scene, policies, split) if found is not None else ""
        if missing:
            judged.doubts.append(f"the split of {split.unit.key} cannot be compared: {missing}")
            continue
        judged.exercised += 1
        if found is not None:
            judged.findings.append(found)
    return judged


def _final(scene: Scene, namespace: str, time: int) -> tuple[int, ...] | None:
    """Return the boundaries in bundles.json; None if it has none, or was made before *time*."""
    return None if asked_before.of(scene, time) else scene.boundaries.get(namespace)


@excuse("boundaries in bundles.json that were read before they were written")
def asked_before(scene: Scene, time: int) -> bool:
    return scene.bounded_at is not None and scene.bounded_at < time + scene.limits.clock_skew


@excuse("bundle data of the namespace that is missing or incomplete, which is a doubt")
def incomplete(scene: Scene, policies: Policies, split: Split) -> str:
    """Return why the history may lack the write of a split; empty if it would have it."""
    if split.namespace in policies.holes:
        return policies.holes[split.namespace]
    writes = policies.local.get(split.namespace)
    if not writes:
        return ""
    if writes[0].write.op == "setData" and split.cut <= writes[0].boundaries:
        return "the history begins after it may have been written"
    done = split.last.time
    return "" if scene.writes[-1].time + scene.limits.clock_skew >= done else "the history ends before it"


def _unreached(scene: Scene, policies: Policies, split: Split) -> Finding | None:
    """Report a split whose boundary is missing: in all writes, or at the end."""
    writes = policies.local.get(split.namespace, [])
    reached = [one for one in writes if split.cut <= one.boundaries]
    final = _final(scene, split.namespace, split.last.time)
    at_end = final is not None and split.cut <= frozenset(final)
    if split.deleted is None:
        if reached if writes else at_end:
            return None
        severity = Severity.WARNING if unfinished.of(scene, split) else Severity.VIOLATION
        return _say(scene, split, severity, "its children are in the channel, and it is not done", writes)
    latest = split.deleted.time + scene.limits.clock_skew
    if writes and not any(one.write.time <= latest for one in reached):
        late = "only later" if reached else "never"
        return _say(scene, split, Severity.VIOLATION, f"the boundary was {late} written to its local policies", writes)
    if not writes and not at_end:
        return _say(scene, split, Severity.VIOLATION, "bundles.json does not have the boundary at the end", writes)
    if final is not None and not at_end and not deleted_since.of(scene, split, writes):
        return _say(scene, split, Severity.WARNING, "bundles.json does not have the boundary at the end", writes)
    return None


@excuse("a split that is not finished, which only warns")
def unfinished(scene: Scene, split: Split) -> bool:
    return split.deleted is None


@excuse("a namespace that was deleted, and perhaps created again")
def deleted_since(scene: Scene, split: Split, writes: list[BoundariesWrite]) -> bool:
    is_gone = bool(writes) and not writes[-1].boundaries
    return is_gone or any(not one.boundaries and one.write.time >= split.last.time for one in writes)


def _say(scene: Scene, split: Split, severity: Severity, what: str, writes: list[BoundariesWrite]) -> Finding:
    step = split.last
    cut = ", ".join(f"0x{end:08x}" for end in sorted(split.cut))
    why = (
        f"{split.unit.key} was split at {cut} by the channel ({step.message_id}, {iso(step.time)}), "
        f"but {what}: topics are still assigned to the parent"
    )
    return finding(
        REACHES, severity, why,
        [split.splitting, *([split.deleted] if split.deleted else []), *(one.write for one in writes[-1:])],
        unit=split.unit.key, brokers=(str(split.splitting.entry.source),), step=step,
        guard="the local policies are written before Deleted is published (splitServiceUnitOnceAndRetry)",
        repair="split the bundle again, or unload it: a lookup publishes an assignment of what the bundle data says",
    )  # fmt: skip


@excuse("a namespace that was deleted, with its boundaries")
def begun_anew(scene: Scene, after: BoundariesWrite) -> bool:
    return not after.boundaries or after.write.op != "setData"


def _never_lost(scene: Scene) -> LawOutcome:
    judged, policies = LawOutcome(), policies_of(scene)
    judged.doubts += policies.unreadable
    for written in (policies.local, policies.copied):
        for namespace, writes in written.items():
            for before, after in pairwise(writes):
                judged.exercised += 1
                lost = before.boundaries - after.boundaries
                if lost and not begun_anew.of(scene, after):
                    judged.findings.append(_lost(namespace, before, after, lost))
    for namespace in scene.boundaries:
        writes = policies.local.get(namespace, [])
        final = _final(scene, namespace, writes[-1].write.time) if writes else None
        judged.exercised += final is not None
        if final is not None and (lost := writes[-1].boundaries - frozenset(final)):
            judged.findings.append(_lost(namespace, writes[-1], None, lost))
    return judged


def _lost(namespace: str, before: BoundariesWrite, after: BoundariesWrite | None, lost: frozenset[int]) -> Finding:
    cuts = ", ".join(f"0x{end:08x}" for end in sorted(lost))
    where = (
        "bundles.json at the end"
        if after is None
        else f"the write of session {after.write.session} at {iso(after.write.time)} (zxid {after.write.zxid})"
    )
    why = (
        f"{namespace} had the boundary {cuts} since zxid {before.write.zxid}, and {where} does not: the split that "
        f"made it was confirmed and is lost, though the namespace was not deleted"
    )
    return finding(
        NEVER_LOST, Severity.VIOLATION, why, [before.write, *([] if after is None else [after.write])],
        time=before.write.time if after is None else after.write.time,
        guard="boundaries are only added while a namespace exists (NamespaceService.updateNamespaceBundles)",
        repair="read the bundle data again before writing it; split the bundle again",
    )  # fmt: skip


SPLIT_REACHES_THE_POLICIES = SceneLaw(
    REACHES,
    "A split that the channel calls done has its boundary in the bundle data, and before that.",
    "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry",
    excuses=(unfinished, incomplete, asked_before, deleted_since),
    order=61,
    needs=(Source.CHANNEL,),
    judge=_reaches_the_policies,
    uses=BOUNDARIES,
    one_of=BOUNDARIES,
)
BOUNDARY_IS_NEVER_LOST = SceneLaw(
    NEVER_LOST,
    "A boundary once written stays while its namespace exists.",
    "NamespaceService.updateNamespaceBundles",
    excuses=(begun_anew, asked_before),
    order=61,
    needs=(Source.ZOOKEEPER,),
    judge=_never_lost,
    uses=BOUNDARIES,
)
LAWS = (SPLIT_REACHES_THE_POLICIES, BOUNDARY_IS_NEVER_LOST)
