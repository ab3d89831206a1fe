"""The verb ``bugs``: the known bugs that a text looks like, or the catalogue of known bugs."""

from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import RELEASE
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, Verdict


@verb(
    Section.CLUSTER,
    epilog="""\b
Exit codes: 0 an answer (a known bug, or a text that is not about ownership), 2 misuse or an unreadable text,
3 nothing can be concluded: the output names the evidence to collect.""",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--like", "text", metavar="FILE|DIR|-", help="Log lines, a stack trace or an answer; - is standard input."
)
@click.option(
    "--release",
    metavar="R",
    type=RELEASE,
    help="The release of Pulsar, if the text names none; without --like, list only its bugs.",
)
@click.option("--symptom", metavar="WORDS", help="List only bugs whose texts contain these words.")
@click.option("--class", "class_name", metavar="NAME", help="List only bugs with a log statement of this class.")
@common
def bugs(
    out: Console,
    on_progress: Callable[[str], None] | None,
    names: tuple[str, ...],
    text: str | None,
    release: str | None,
    symptom: str | None,
    class_name: str | None,
) -> Result:
    """Find the known bugs that match part of a log, a stack trace or an answer of pulsar-admin.

    Any layout works, also quoted in a mail or with the prefix of a container. For each bug the answer gives its
    lines, how sure the match is, the releases that have the bug, and the action to take. If no bug matches, the answer
    names the subject of the text. Without --like the verb lists the known bugs, and NAME prints one in full.
    docs/bugs.md has more.

    \b
      oneowner bugs --like broker.log
      kubectl logs pulsar-broker-0 | oneowner bugs --like -
      oneowner bugs --release 4.0.6 --symptom "already locked"
    """
    if text is not None:
        for option, value in (("--symptom", symptom), ("--class", class_name), ("NAME", names)):
            if value:
                raise Misuse(f"{option} refused: it searches the catalogue, but --like searches a text")
        return _like(out, text, release, on_progress)
    return _catalogue(out, names, release, symptom, class_name)


def _like(out: Console, text: str, release: str | None, on_progress: Callable[[str], None] | None) -> Result:
    from oneowner.checkers.bugs.advice import advice_of
    from oneowner.checkers.bugs.answer import look
    from oneowner.checkers.bugs.page import answer_lines, headline_of
    from oneowner.checkers.bugs.rows import rows_of

    answer = look(text, release, on_progress)
    for line in answer_lines(answer):
        out.print(visible(line))
    advice = advice_of(answer)
    is_answered = bool(answer.suspects) or advice.is_conclusive
    more: dict[str, Any] = {
        "bugs": rows_of(answer.suspects),
        "ruled_out": rows_of(answer.ruled_out),
        "releases": dict(answer.releases),
        "subject": "" if answer.suspects else answer.reading.other,
        "collect": list(advice.collect),
    }
    return Result(
        verb="bugs",
        verdict=Verdict.VALID if is_answered else Verdict.UNKNOWN,
        reasons=[headline_of(answer), *answer.unread],
        more=more,
    )


def _catalogue(
    out: Console, names: tuple[str, ...], release: str | None, symptom: str | None, class_name: str | None
) -> Result:
    from oneowner.checkers.bugs.page import bug_lines
    from oneowner.checkers.bugs.rows import row_of
    from oneowner.checkers.bugs.search import chosen_bugs

    chosen = chosen_bugs(names, release, symptom, class_name)
    for one in chosen:
        for line in bug_lines(one, is_whole=bool(names)):
            out.print(visible(line))
    if not chosen:
        out.print("no known bug matches; oneowner bugs lists all")
    reasons = [] if chosen else ["no known bug matches"]
    verdict = Verdict.VALID if chosen else Verdict.UNKNOWN
    return Result(verb="bugs", verdict=verdict, reasons=reasons, more={"bugs": [row_of(one) for one in chosen]})
