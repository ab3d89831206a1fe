"""A family as other tools read it: as TLA+, as Promela, or as the graph of its states."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from oneowner.checkers.catalogue.families import bounds_under, family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.engines.compile import promela, tla, tla_names
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.compile.writing import identifier
from oneowner.checkers.engines.explore.state_graph import state_graph
from oneowner.checkers.ledger.exploration_verdict import pinned
from oneowner.checkers.ledger.family_search import in_words
from oneowner.checkers.report.graph_export import as_dot, as_json
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import domains

MOST = {"dot": 2_000, "json": 300_000}
"""States of a graph that is written by default: as many as a picture, and a reader of a file, can bear."""


NO_RULES: Mapping[str, str] = MappingProxyType({})


class Model(NamedTuple):
    """A family as it is to be exported."""

    bounds: Bounds
    holding: list[str]
    """The laws that are expected to hold."""
    title: str
    about: dict[str, Any]
    """Family, release, faults, settings and rules, for programs."""


def tla_of(
    name: str,
    faults: Sequence[str],
    release: str | None,
    settings: Mapping[str, str],
    rules: Mapping[str, str] = NO_RULES,
) -> dict[str, str]:
    """
    Return a family as a module and its configuration, whose laws are those that are expected to hold.

    Two files more name the fields of its states, for people: a module that extends the first, and its configuration.
    """
    model, module = model_of(name, faults, release, settings, rules), identifier(name)
    program = trace(model.bounds, model.bounds.system.laws, ())
    configuration, named = tla.configuration(program, model.holding), tla_names.named_name(module)
    return {
        f"{module}.tla": tla.emit(program, module, model.title, model.holding),
        f"{module}.cfg": configuration,
        f"{named}.tla": tla_names.named_module(program, domains(model.bounds), module, model.title),
        f"{named}.cfg": tla_names.named_configuration(configuration),
    }


def file_name(name: str) -> str:
    """
    Return the name of the files that a family is exported to.

    >>> file_name("locks/holders"), file_name("transfer")
    ('locks-holders', 'transfer')
    """
    return name.replace("/", "-")


def promela_of(
    name: str,
    faults: Sequence[str],
    release: str | None,
    settings: Mapping[str, str],
    rules: Mapping[str, str] = NO_RULES,
) -> dict[str, str]:
    """Return a family as Promela: it asserts the laws that are expected to hold."""
    model = model_of(name, faults, release, settings, rules)
    return {
        f"{file_name(name)}.pml": promela.emit(
            trace(model.bounds, model.bounds.system.laws, ()), model.title, model.holding
        )
    }


def graph_of(
    name: str,
    faults: Sequence[str],
    release: str | None,
    settings: Mapping[str, str],
    to: str,
    max_states: int | None = None,
    on_progress: Callable[[str], None] | None = None,
    rules: Mapping[str, str] = NO_RULES,
) -> tuple[dict[str, str], str]:
    """Return a family's state graph, and why it is not complete (a bound is used up); raise Misuse if it is too big."""
    model = model_of(name, faults, release, settings, rules)
    most = max_states or MOST[to]
    tell = (lambda progress: on_progress(in_words(name, progress))) if on_progress else None
    graph = state_graph(model.bounds, model.bounds.system.laws, most, tell)
    if graph.is_cut_short:
        raise Misuse(
            f"{name} has more than {most:,} states, too many for {to}:"
            " make its bounds smaller (--set), or set their number (--max-states)"
        )
    text = as_dot(graph, model.title) if to == "dot" else as_json(graph, model.about)
    return {f"{file_name(name)}.{to}": text}, graph.stopped


def model_of(
    name: str, faults: Sequence[str], release: str | None, settings: Mapping[str, str], rules: Mapping[str, str]
) -> Model:
    """Return the family of this name with these changes; raise Misuse for an unknown name or change."""
    family = family_named(name).under(release)
    bounds = bounds_under(bounds_with(family.bounds, settings), family.release, faults, turned=rules)
    expected = pinned(family, family.is_pinned and not (settings or faults or rules))
    holding = [law for law, verdict in expected.items() if verdict == Verdict.VALID]
    title = "; ".join(
        [
            family.title,
            *(f"fault {fault}" for fault in faults),
            *(f"{bound}={value}" for bound, value in settings.items()),
            *(f"rule {rule}={value}" for rule, value in rules.items()),
        ]
    )
    about = {
        "family": family.full_name,
        "release": family.release,
        "faults": list(faults),
        "set": dict(settings),
        "rules": dict(rules),
    }
    return Model(bounds, holding, title, about)
