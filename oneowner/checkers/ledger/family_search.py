"""A family and the requested options in; an exploration and its judgement out."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oneowner.checkers.catalogue.families import bounds_under, faults
from oneowner.checkers.catalogue.family import Family, bounds_with, pick
from oneowner.checkers.engines.compile.column_program import Written
from oneowner.checkers.engines.compile.program import Traced
from oneowner.checkers.engines.compile.watched import Stopped
from oneowner.checkers.engines.explore.engine_choice import explore_by
from oneowner.checkers.engines.explore.exploration import (
    NO_LIMITS,
    Exploration,
    Limits,
    LiveResult,
    Progress,
    preparing,
)
from oneowner.checkers.engines.explore.fewest_perturbations import with_fewest_perturbations
from oneowner.checkers.engines.walks.compiled_walks import walk_by
from oneowner.checkers.engines.walks.plan import Pace, Plan
from oneowner.checkers.engines.walks.walk_findings import explored
from oneowner.checkers.extras import MissingPackage, need
from oneowner.checkers.ledger.exploration_verdict import Judged, Liveness, counts_of, judge, pinned, stopping
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.kernel.law import LawKind


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions to a family; by default those that the ledger pins."""

    faults: Sequence[str] = ()
    repairs: Sequence[str] = ()
    """The faults whose repair is applied, of those that the release still has."""
    release: str | None = None
    """The release whose rules apply; None is that of the family's own row."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Bounds that are set anew."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Switches that are turned by name."""
    laws: Sequence[str] = ()
    """The only laws to check; none are all."""
    limits: Limits = NO_LIMITS
    goes_on: bool = False
    """True if the graph is finished after a violation."""
    engine: str = "auto"
    threads: int | None = None
    plan: Plan | None = None
    """Random walks instead of a search."""
    minimise: str = "steps"
    symmetry: bool = False
    """True if one state of each orbit is visited."""
    master: str | None = None
    """The cluster of the engine spark."""
    checkpoint: Path | None = None
    """The place where that engine keeps levels, and from which it continues."""
    is_live: bool = True
    """True if a search that visited everything is judged by the laws of liveness too."""
    spares_mirrors: bool = False
    """True if a violation of a mirror neither ends a changed search nor decides its verdict."""

    @property
    def is_changed(self) -> bool:
        """True if the search is within other bounds or by other rules: a fault, a repair, a switch that is turned."""
        return bool(self.settings or self.faults or self.repairs or self.rules)

    @property
    def is_unchanged(self) -> bool:
        """True if the search is of the family within its own bounds, with all laws and no fault."""
        return not (self.is_changed or self.laws)


def search(family: Family, asked: Asked = Asked(), on_progress: Callable[[str], None] | None = None) -> Judged:
    """Explore a family, or walk through it, and judge the results."""
    _check_spark(asked)
    family = family.under(asked.release)
    is_pinned = asked.is_unchanged and family.is_pinned
    within = bounds_with(family.bounds, asked.settings)
    bounds = bounds_under(within, family.release, asked.faults, asked.repairs, asked.rules)
    system = family.system
    laws, liveness_laws = system.laws_by_name, system.liveness_by_name
    names = [pick({**laws, **liveness_laws}, name, "law").name for name in asked.laws] or [*laws, *family.liveness]
    chosen = [laws[name] for name in names if name in laws]
    live = [name for name in names if name in liveness_laws and asked.is_live]
    expected = pinned(family, family.is_pinned and not asked.is_changed, asked.laws)
    sought = laws_of_faults(family, asked)
    spared = mirrors_spared(family, asked) - sought
    ends = (stopping(expected, system) - spared) & {law.name for law in chosen}
    if sought:
        ends &= sought
    stop_at = frozenset() if asked.goes_on and asked.plan is None else ends
    if asked.plan is not None:
        if asked.symmetry:
            raise Misuse("--symmetry goes without --walks: walks keep no states that others could stand for")
        if not chosen:
            raise Misuse(f"--walks cannot judge {', '.join(live)}: a law of liveness needs the whole graph")
        pace = (lambda at: on_progress(pace_in_words(family.full_name, at))) if on_progress else None
        walks, which = walk_by(asked.engine, bounds, chosen, system.witnesses, stop_at, asked.plan, pace)
        judged = judge(
            family,
            explored(bounds, chosen, walks),
            expected,
            is_pinned,
            which,
            named=names if asked.laws else (),
            sought=sought,
            spared=spared,
        )
        return replace(judged, walks=walks)
    started = time.monotonic()
    tell = (lambda progress: on_progress(in_words(family.full_name, progress))) if on_progress else None
    kinds = symmetry_of(family, asked) if asked.symmetry else ()

    def explore(limits: Limits) -> tuple[Exploration, str]:
        question = (bounds, chosen, system.witnesses, stop_at)
        if asked.engine == "spark":
            from oneowner.checkers.engines.spark.distributed import Spread, explore_spark  # Spark takes long to load

            return explore_spark(*question, limits, tell, Spread(asked.master, asked.checkpoint))
        return explore_by(asked.engine, *question, limits, tell, asked.threads, kinds)

    if asked.minimise == "perturbations":
        exploration, which = with_fewest_perturbations(explore, bounds, stop_at, asked.limits)
    else:
        exploration, which = explore(asked.limits)
    try:
        with preparing(asked.limits.left(started), tell) as at:
            at("judging whole runs")
            liveness = judge_runs(exploration, [] if asked.symmetry else live, is_pinned or bool(asked.laws))
    except Stopped as budget:
        liveness = Liveness({name: LiveResult(0) for name in live}, str(budget))
    before = {**family.laws, **family.liveness} if _is_proposal(family, asked) else {}
    named = names if asked.laws else ()
    return judge(family, exploration, expected, is_pinned, which, liveness, named, sought, spared, before)


def _check_spark(asked: Asked) -> None:
    """Raise Misuse for options that do not go together with the engine spark, or without it."""
    if asked.engine != "spark":
        if asked.master is not None or asked.checkpoint is not None:
            raise Misuse("--master and --checkpoint go with --engine spark")
    elif asked.plan is not None:
        raise Misuse("--engine spark goes without --walks; oneowner sweep takes walks on Spark")
    elif asked.threads is not None:
        raise Misuse("--threads goes with the engine c; of Spark --master says how many, such as local[2]")
    elif asked.checkpoint is not None and asked.minimise != "steps":
        raise Misuse("--checkpoint goes without --minimise perturbations, which searches several times")
    else:
        need("spark", "--engine spark")


def laws_of_faults(family: Family, asked: Asked) -> frozenset[str]:
    """
    Return the laws to search for: those that kill the asked faults in *family*, unless laws are named.

    Others may be broken sooner, by effects of the fault on the way there; they are judged, and do not end the
    search.
    """
    if asked.laws:
        return frozenset()
    killed = (faults().get(name) for name in asked.faults)
    return frozenset(fault.law for fault in killed if fault is not None and fault.family == family.name)


def mirrors_spared(family: Family, asked: Asked) -> frozenset[str]:
    """
    Return the laws that say what the code does, where the question is what a change of it would do.

    A law that is named is meant.
    """
    if not (asked.spares_mirrors and asked.is_changed):
        return frozenset()
    mirrors = (law for law, kind in family.system.kinds.items() if kind == LawKind.MIRROR)
    return frozenset(mirrors).difference(asked.laws)


def _is_proposal(family: Family, asked: Asked) -> bool:
    """Return whether a search is of other rules within the bounds whose results are pinned."""
    return asked.spares_mirrors and asked.is_changed and not asked.settings and family.is_pinned


def symmetry_of(family: Family, asked: Asked) -> tuple[str, ...]:
    """Return the kinds of things that may change places, if that can be proved; raise Misuse if there are none."""
    if asked.engine not in ("auto", "c"):
        raise Misuse(f"--symmetry goes with the engine c, not {asked.engine}")
    if not family.symmetry:
        sort = next(iter(family.system.sorts.values()), "")
        raise Misuse(
            f"symmetry refused: the family {family.full_name} does not declare any, such as symmetry: [{sort}]"
        )
    return family.symmetry


def judge_runs(
    exploration: Exploration,
    laws: Sequence[str],
    are_owed: bool = True,
    traced: Traced | None = None,
    steps: Written | None = None,
) -> Liveness:
    """
    Judge these laws of liveness on the whole graph, if there is a whole graph.

    Where the graph is too big, or a law could only fail for want of room, they are undecided; the verdict leaves
    them out then, unless they are owed: pinned, or asked for by name. The model is *traced*, and *steps* are its
    steps as they are written.
    """
    unjudged = {name: LiveResult(0) for name in laws}
    if not laws or not exploration.finished:
        return Liveness(unjudged)
    from oneowner.checkers.engines.liveness.check import check_liveness
    from oneowner.checkers.engines.liveness.graph import MOST_STATES, Incomplete  # NumPy and SciPy take long to load

    if exploration.distinct > MOST_STATES:
        too_many = f"{exploration.distinct:,} states are more than {MOST_STATES:,}"
        return Liveness(unjudged, too_many) if are_owed else Liveness(left_out=too_many)
    bounds = exploration.bounds
    try:
        asked = [bounds.system.liveness_by_name[name] for name in laws]
        graph, results = check_liveness(bounds, asked, traced, steps)
    except MissingPackage:
        raise
    except (Incomplete, Misuse) as error:
        return Liveness(unjudged, str(error))
    except KeyboardInterrupt:
        return Liveness(unjudged, "interrupted")
    found, searched = (graph.states, len(graph.targets), graph.depth), counts_of(exploration)
    if found != searched:
        raise EngineError(f"the graph has {found} states, transitions and depth, but the search found {searched}")
    undecided = {name: result.undecided for name, result in results.items() if result.undecided}
    if undecided and not are_owed:
        words = "; ".join(f"{name}: {why}" for name, why in undecided.items())
        return Liveness({**results, **{name: LiveResult(0) for name in undecided}}, left_out=words)
    return Liveness(results)


def in_words(family: str, progress: Progress) -> str:
    """Return the progress of a search on one line."""
    if progress.before:
        return f"{family}: {progress.before}"
    rate = progress.distinct / progress.seconds if progress.seconds else 0
    return (
        f"{family}: {progress.distinct:,} distinct, {progress.transitions:,} transitions,"
        f" depth {progress.depth} ({progress.frontier:,} to go in about {progress.rest:.0f} s,"
        f" {progress.following:,} next), {rate:,.0f} states/s, {progress.memory / 2**20:,.0f} MiB"
    )


def pace_in_words(family: str, pace: Pace) -> str:
    """Return the progress of random walks on one line."""
    if pace.before:
        return f"{family}: {pace.before}"
    rate = pace.steps / pace.seconds if pace.seconds else 0
    return f"{family}: walk {pace.walk:,}, {pace.steps:,} steps, {rate:,.0f} steps/s"
