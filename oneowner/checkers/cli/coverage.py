"""The verb ``coverage``: what real clusters have shown of the model's actions and laws."""

from collections import Counter
from collections.abc import Callable, Collection

import click
from rich.console import Console

from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.documents import suggestion
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Misuse, Verdict


@verb(Section.MODEL)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--system", default="channel", help="The system (default: channel); locks, lock_manager or leader_election."
)
@common
def coverage(out: Console, on_progress: Callable[[str], None] | None, names: tuple[str, ...], system: str) -> Result:
    """Report what real clusters have shown of a system's model: its actions and, of the channel, its laws.

    An action is observed if a record, a write to ZooKeeper or a drive of real brokers shows it; logged if a line
    of a log shows it; inferred if only the explanations of recordings take it; else the model alone has it. A law is
    exercised by the recordings in whose explanation it could have failed. The answer comes from pins: oneowner explain
    computes those of recordings anew. For clusters whose bundles are owned by locks (--system), the logs of their
    recordings are read.

    NAME is an action or a law; without any, all are listed.

    \b
      oneowner coverage
      oneowner coverage override clean-only-by-leader
      oneowner coverage --system lock_manager
    """
    from oneowner.checkers.coverage.seen_on_clusters import Seen, seen_actions, seen_laws
    from oneowner.checkers.ledger.binding import CHANNEL, bound_systems
    from oneowner.checkers.report import text

    if system not in bound_systems():
        raise Misuse(f"no binding table of {system}; {suggestion(system, bound_systems())}")
    actions, laws = seen_actions(system), seen_laws() if system == CHANNEL else []
    known = [*(one.name for one in actions), *(law.name for law in laws)]
    for name in names:
        if name not in known:
            raise Misuse(f"no action or law of {system}: {name}; {suggestion(name, known)}")
    asked = [one for one in actions if not names or one.name in names]
    judged = [one for one in laws if not names or one.name in names]
    if asked:
        table = text.table("action", "seen", "recordings that show it>", "log it>", "need it>", "drives>")
        for one in asked:
            table.add_row(one.name, one.seen.value, *map(_count, (one.observed, one.logged, one.inferred, one.driven)))
        out.print(table)
        seen = Counter(one.seen.value for one in asked)
        out.print(f"actions: {len(asked)}; {', '.join(f'{seen[kind.value]} {kind.value}' for kind in Seen)}")
    if judged:
        table = text.table("law", "exercised by recordings>", "broken by")
        for law in judged:
            table.add_row(law.name, _count(law.exercised), ", ".join(law.broken))
        out.print(table)
        exercised, broken = sum(bool(law.exercised) for law in judged), sum(bool(law.broken) for law in judged)
        out.print(f"laws: {len(judged)}; {exercised} exercised by recordings, {broken} broken by some")
    if names:
        for one in asked:
            out.print(f"{one.name}: evidence: {'; '.join(one.evidence) or 'none'}", markup=False, highlight=False)
            if one.reason:
                out.print(
                    f"{one.name}: {'no cluster can show it' if one.is_beyond else 'not seen by itself'}: {one.reason}",
                    markup=False,
                    highlight=False,
                )
            for words, where in (
                ("shown by", one.observed), ("logged by", one.logged), ("needed by", one.inferred),
                ("driven in", one.driven),
            ):  # fmt: skip
                if where:
                    out.print(f"{one.name}: {words} {', '.join(where)}")
        for law in judged:
            if law.exercised:
                out.print(f"{law.name}: exercised by {', '.join(law.exercised)}")
    shown = [names for one in asked for names in (one.observed, one.logged, one.inferred)]
    shown += [law.exercised for law in judged]
    return Result(
        "coverage",
        Verdict.VALID,
        [],
        more={
            "actions": [
                {
                    "action": one.name, "seen": one.seen.value, "observed": dict(one.observed),
                    "logged": dict(one.logged),
                    "inferred": dict(one.inferred), "driven": list(one.driven),
                    "evidence": list(one.evidence), "reason": one.reason, "beyond": one.is_beyond,
                }
                for one in asked
            ],
            "coverage": [
                {"law": law.name, "exercised": dict(law.exercised), "broken": dict(law.broken)} for law in judged
            ],
        },
        page=Page(figures={"recordings": sorted({name for names in shown for name in names})}),
    )  # fmt: skip


def _count(where: Collection[str]) -> str:
    """Return the number of places; empty if there are none."""
    return f"{len(where):,}" if where else ""
