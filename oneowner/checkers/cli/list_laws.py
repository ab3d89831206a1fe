"""Laws, one line each or in full: of the model, of decisions, of logs and of recorded runs."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.recordings.fold.recorded_law import RecordedLaw
from oneowner.checkers.report.rule_texts import declared_laws
from oneowner.model.kernel.decision import InputLaw
from oneowner.model.kernel.law import Declaration, LivenessLaw, Severity, StateLaw, StepLaw, Witness
from oneowner.spec.channel.log_law import LogLaw
from oneowner.spec.systems import systems

OF_THE_MODEL = StateLaw | StepLaw | LivenessLaw | LogLaw | InputLaw
"""Laws with a kind: purpose, protocol or mirror."""


def law_entries(kind: str | None) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield every law by name, with its description and the keys of the JSON: all, or those of one *kind*."""
    for law in declared_laws():
        if kind in (None, kind_json(law).get("lawKind")):
            yield law.name, law_entry(law), kind_json(law)
    if kind is None:
        for witness in witnesses():
            yield witness.name, witness_entry(witness), {}


def witnesses() -> list[Witness]:
    """Return the witnesses of all systems; two systems may share a name."""
    return [one for system in systems().values() for one in system.witnesses]


def witness_entry(witness: Witness) -> str:
    return f"Witness: {witness.statement} [{witness.source}]"


def kind_json(law: Declaration) -> dict[str, str]:
    """Return the kind of a law for the JSON; a law of recorded runs has none."""
    return {"lawKind": law.kind.value} if isinstance(law, OF_THE_MODEL) else {}


def law_entry(law: Declaration) -> str:
    """Return a law's subject and statement, and in brackets its kind, its status, its inputs and its source."""
    known = f"{law.kind}; {law.status}; " if isinstance(law, OF_THE_MODEL) else ""
    needs = f"needs {', '.join(law.needs)}; " if law.needs else ""
    of = "Of logs: " if isinstance(law, LogLaw) else "Of decisions: " if isinstance(law, InputLaw) else ""
    if law.needs:
        of = "Of recorded runs: " if law.severity == Severity.VIOLATION else "Report on recorded runs: "
    return f"{of}{law.statement} [{known}{needs}{law.source}]"


def whole_laws(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Describe laws in full: kind, status, and the innocent explanations that each excludes; or witnesses."""
    known = {law.name: law for law in declared_laws()}
    reached = {one.name for one in witnesses()}
    for name in names:
        for witness in (one for one in witnesses() if one.name == name):
            out.print(name, style="bold", markup=False, highlight=False)
            out.print(f"  {witness_entry(witness)}", markup=False, highlight=False)
            out.print()
            yield {"kind": "laws", "name": name, "about": witness_entry(witness)}
        if name in reached and name not in known:
            continue
        law = pick(known, name, "law")
        out.print(name, style="bold", markup=False, highlight=False)
        out.print(f"  {law_entry(law)}", markup=False, highlight=False)
        excuses = [excuse.words for excuse in law.excuses] if isinstance(law, RecordedLaw) else []
        if excuses:
            out.print("  Not counted as a violation:", markup=False, highlight=False)
        for words in excuses:
            out.print(f"  - {words}", markup=False, highlight=False)
        out.print()
        yield {"kind": "laws", "name": name, "about": law_entry(law), "innocent": excuses, **kind_json(law)}
