"""
A file of another kind is handed to the verb that reads it, and the output begins with a line that reports it.

The kind of a file follows from its first lines (``oneowner/checkers/inputs``). A verb asks before it reads; the group
of verbs then runs the other one, with the options that both have.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from click.core import ParameterSource

from oneowner.checkers.inputs.content import DASH, is_pasted
from oneowner.checkers.inputs.kinds import EMPTY, InputKind, kind_of_file
from oneowner.checkers.verdict import Misuse

OUTPUTS: Final = ("json_to", "html_to", "junit_to", "sarif_to")


class HandOver(Exception):
    """A file is another verb's."""

    def __init__(self, file: str, kind: InputKind, given: dict[str, Any]) -> None:
        self.file, self.kind, self.given = file, kind, given


def verb_for(kind: InputKind) -> click.Command | None:
    """Return the verb that reads a kind, if this command line has it."""
    group = click.get_current_context().find_root().command
    found = group.commands.get(kind.verb[0]) if kind.verb and isinstance(group, click.Group) else None
    return found if isinstance(found, click.Command) else None


def look_at(file: str, own: tuple[str, ...], also: Collection[InputKind] = ()) -> InputKind:
    """
    Return the kind of a file that the verb *own* is to read; hand over a file of another verb's kind.

    Kinds that the verb reads *also* are left to it. Raise Misuse for a kind that no verb of this command line reads.
    """
    kind = kind_of_file(Path(file))
    if kind in also or kind.verb == own:
        return kind
    if verb_for(kind) is not None:
        hand_over(file, kind)
    if kind.verb or kind.hint:
        raise Misuse(
            f"{named(file)}: {kind.name}, which {' '.join(own)} does not read{f'; {kind.hint}' * bool(kind.hint)}"
        )
    return kind


def hand_over(file: str, kind: InputKind) -> NoReturn:
    """Hand a file to the verb of its kind; raise Misuse if an option was given that this verb lacks."""
    context, verb = click.get_current_context(), verb_for(kind)
    assert verb is not None
    there = {option.name for option in verb.params}
    given = dict[str, Any]()
    for option in context.command.params:
        name = option.name or ""
        if isinstance(option, click.Option) and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            given[name] = context.params.get(name)
            if name not in there and name != "batch":
                command = " ".join(("oneowner", *kind.verb, file))
                raise Misuse(f"{named(file)}: {kind.name}, which has no {option.opts[0]}; run: {command}")
    given.pop("batch", None)
    raise HandOver(file, kind, given)


def handed_over(asked: HandOver, root: click.Context, group: click.Group) -> Any:
    """Run the verb that a file is handed to, which may hand it on."""
    name, *option = asked.kind.verb
    is_json = DASH in [asked.given.get(output) for output in OUTPUTS] or "--batch" in option
    if not asked.given.get("quiet"):
        words = f"{named(asked.file)}: {asked.kind.name}; handed to `oneowner {' '.join(asked.kind.verb)}`"
        click.echo(words, err=is_json)  # standard output has JSON alone
    try:
        with group.commands[name].make_context(
            name, [*option, DASH if is_pasted(asked.file) else asked.file], parent=root
        ) as context:
            context.params.update(asked.given)
            return context.command.invoke(context)
    except HandOver as further:
        return handed_over(further, root, group)
    except click.MissingParameter as error:
        wanted = error.param.opts[0] if error.param is not None else "an option"
        command = " ".join(("oneowner", *asked.kind.verb, asked.file))
        raise Misuse(f"{named(asked.file)}: {asked.kind.name}; run, with {wanted}: {command}") from None


def refuse_another(file: Path, verb: str, own: tuple[str, ...], reads: str) -> None:
    """Raise Misuse for an empty file, and for one of a kind that is not the verb's *own*; *reads* names that."""
    kind = kind_of_file(file) if file.is_file() else None
    if kind is not None and (kind is EMPTY or kind.hint or kind.verb not in ((), own)):
        use = f"oneowner {' '.join(kind.verb)} reads it; " if verb_for(kind) is not None else ""
        raise Misuse(f"{file}:1: {kind.name}; {use}{verb} reads {reads}")


def named(file: str) -> str:
    """Return the name of a file in a message."""
    return "standard input" if is_pasted(file) else file
