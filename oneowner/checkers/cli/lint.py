"""The verb ``lint``: settings of a broker.conf that contradict each other or can never fire, each with a witness."""

from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import click
from rich.console import Console

from oneowner.checkers.cli.handing_over import look_at
from oneowner.checkers.cli.name_types import RELEASE
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.inputs.kinds import LINT
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.results import LawRow, Page, Result
from oneowner.checkers.verdict import worst
from oneowner.model.pulsar.releases import DEFAULT_RELEASE


@verb(Section.CLUSTER)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--release", type=RELEASE, metavar="RELEASE", default=DEFAULT_RELEASE, show_default=True,
              help="The Pulsar release that reads the file.")  # fmt: skip
@common
def lint(out: Console, on_progress: Callable[[str], None] | None, files: tuple[Path, ...], release: str) -> Result:
    """Find settings of the load balancer in a broker.conf that contradict each other or can never fire.

    FILE may also be a ConfigMap, Helm values or the environment of a pod, as kubectl, helm and env print them; - is
    standard input. A finding names the settings with file and line, the consequence, a witness computed by the model
    of the release (such as the smallest cluster in which the shedder should unload a bundle and does not), and a better
    value. Omitted settings have the defaults of the release. Each FILE is judged separately. docs/lint.md lists
    the laws. Exit code 1 if there is a finding, 3 if a file has no setting of the load balancer or names unknown
    classes.

    \b
      oneowner lint conf/broker.conf
      oneowner lint conf/broker.conf --release 4.2.4 --sarif lint.sarif
      kubectl get configmap pulsar-broker -o yaml | oneowner lint -
    """
    from oneowner.checkers.settings.facts import releases
    from oneowner.checkers.settings.lint import laws  # the model of the balancer takes a while to load
    from oneowner.checkers.settings.lint import lint as lint_file

    if len(files) == 1:
        look_at(str(files[0]), LINT)
    release, note = judged_release(release, releases(), "settings")
    if note:
        out.print(note)
    linted = [one for path in files for one in lint_file(path, release)]
    result = Result(
        verb="lint",
        verdict=worst(one.part.verdict for one in linted),
        reasons=[reason for one in linted for reason in one.part.reasons],
        laws=[reduce(LawRow.joined, rows) for rows in zip(*(one.part.laws for one in linted), strict=True)],
        findings=[finding for one in linted for finding in one.findings],
        parts=tuple(one.part for one in linted),
        found=[(number, finding) for number, one in enumerate(linted) for finding in one.findings],
    )
    for one in linted:
        out.print(visible(f"{one.part.name}: {one.read}"))
    for line in lines(result):
        out.print(visible(line))
    out.print(f"lint of {release}: {result.verdict}")
    for remark in dict.fromkeys(remark for one in linted for remark in one.remarks):
        out.print(f"  {visible(remark)}")
    for reason in result.reasons:
        out.print(f"  {visible(reason)}")
    result.reasons[:0] = [note] if note else []
    figures = {"read": [one.read for one in linted], "remarks": [remark for one in linted for remark in one.remarks]}
    result.page = Page(release, statements={law.name: law.statement for law in laws()}, figures=figures)
    return result


def lines(result: Result) -> Iterator[str]:
    """Yield the findings, line by line."""
    for found in result.findings:
        yield f"{found['at']['file']}:{found['at']['line']}: {found['law']}: {found['why']}"
        yield f"  witness: {found['guard']}"
        if found["repair"]:
            yield f"  instead: {found['repair']}"
        yield f"  by {found['source']}"
