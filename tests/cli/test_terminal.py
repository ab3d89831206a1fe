"""The command line as people use it: version, help, completion, colours of a terminal, a closed pipe, Ctrl-C."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from oneowner.checkers import VERSION, version_text
from oneowner.checkers.cli.main import VERBS, main
from oneowner.checkers.cli.options import PAGED, UNJUDGED
from oneowner.checkers.places import TOP
from oneowner.checkers.report.text import with_verdict
from tests.command_line import REAL, oneowner, refused

COMMAND = (sys.executable, "-m", "oneowner")
AUDIT = ("audit", str(REAL / "zombie"), "--engine", "inline", "--no-progress")


def completed(*words: str) -> list[str]:
    """Return the completions of the last word."""
    *before, last = words
    found = ShellComplete(main, {}, "oneowner", "_ONEOWNER_COMPLETE").get_completions(list(before), last)
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("explore", "transf"), "transfer"),
        (("explore", "balancer/transfer-sh"), "balancer/transfer-shedder"),
        (("explore", "transfer", "--law", "single-s"), "single-server"),
        (("explore", "transfer", "--fault", "no_v"), "no_version_check"),
        (("explore", "transfer", "--repair", "cleanup_no"), "cleanup_no_retry"),
        (("explore", "transfer", "--release", "4.2"), "4.2.4"),
        (("faults", "no_v"), "no_version_check"),
        (("releases", "4.2"), "4.2.4"),
        (("releases", "split_cr"), "split_crash_overlaps"),
        (("list", "findings", "split_cr"), "split_crash_overlaps"),
        (("list", "laws", "single-s"), "single-server"),
        (("list", "faults", "no_v"), "no_version_check"),
        (("prove", "single-o"), "single-owner"),
        (("decide", "--shedder", "th"), "threshold"),
        (("upgrade", "broker.conf", "--from", "4.2"), "4.2.4"),
        (("help", "expl"), "explore"),
        (("rep",), "replay"),
    ],
)
def test_names_are_completed(words: tuple[str, ...], some: str) -> None:
    found = completed(*words)
    assert some in found
    assert all(name.startswith(words[-1]) for name in found)


def test_version_names_the_commit_of_a_checkout() -> None:
    out = oneowner("--version").out
    assert re.fullmatch(rf"oneowner {re.escape(VERSION)} \([0-9a-f]{{8}}\+?\)\n", out) or not (TOP / ".git").exists()


def test_version_without_a_checkout_is_that_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_text, "PACKAGE", tmp_path / "oneowner")
    version_text.version_text.cache_clear()
    assert version_text.version_text() == VERSION
    version_text.version_text.cache_clear()


def test_help_of_a_verb_is_that_of_its_option() -> None:
    for words in (["explore"], ["lab", "up"]):
        assert oneowner("help", *words).out == oneowner(*words, "--help").out
    assert oneowner("help").out == oneowner("--help").out
    refused(oneowner("help", "explor"), "no such verb: explor; did you mean explore")


def test_verb_offers_only_the_outputs_that_it_takes() -> None:
    for verb in VERBS:
        offered = {option for one in verb.params for option in one.opts if isinstance(one, click.Option)}
        if "--progress" in offered:  # it has the common options
            assert ("--html" in offered) == (verb.name in PAGED), verb.name
            assert ({"--junit", "--sarif"} <= offered) == (verb.name not in UNJUDGED), verb.name


def on_a_terminal(*arguments: str, **env: str) -> str:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=follower, stderr=follower, cwd=TOP, env={**os.environ, "TERM": "xterm", **env}
    ):
        os.close(follower)
        parts = []
        try:
            while part := os.read(leader, 65_536):
                parts.append(part)
        except OSError:  # the other end is closed
            pass
    os.close(leader)
    return b"".join(parts).decode()


def test_verdict_of_the_first_line_has_a_colour_on_a_terminal_alone() -> None:
    first = on_a_terminal(*AUDIT, NO_COLOR="").splitlines()[0]
    assert first.count("\x1b[") == 2
    assert re.search(r": \x1b\[\S*m[a-z ]+ \((valid|invalid|unknown)\)\x1b\[0m", first)
    assert "\x1b" not in on_a_terminal(*AUDIT, NO_COLOR="1")
    assert "\x1b" not in subprocess.run([*COMMAND, *AUDIT], capture_output=True, text=True, check=False, cwd=TOP).stdout
    assert with_verdict("no verdict in it", "valid").spans == []


def test_closed_pipe_is_quiet() -> None:
    with subprocess.Popen(
        [*COMMAND, "list", "laws"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.stderr is not None
        assert child.stderr.read() == ""
        assert child.wait(60) == 141


def test_interruption_while_verbs_are_imported_is_quiet() -> None:
    """The hook is there before the verbs are; a process interrupts itself while it imports them."""
    code = (
        "import os, signal, sys; import oneowner.checkers.cli; os.kill(os.getpid(), signal.SIGINT);"
        "import oneowner.checkers.cli.main"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=TOP)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "interrupted: no verdict\n")
