"""A file of another kind is handed to the verb that reads it, or refused by its kind; standard input is a file, too."""

import gzip
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from oneowner.checkers.cli.main import main
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Verdict
from tests.command_line import REAL, Outcome, oneowner, refused

CONF = "loadBalancerBrokerThresholdShedderPercentage=100\n"
LOG = gzip.decompress((REAL / "healthy" / "broker-1.log.gz").read_bytes()).decode().splitlines(keepends=True)
BATCH = '{"id": 7, "algorithm": "broker_load", "reports": [{"cpu": [30, 100]}]}\n'


def piped(text: str | bytes, *arguments: str) -> Outcome:
    """Run the command line with this standard input."""
    found = CliRunner().invoke(main, arguments, input=text, prog_name="oneowner", catch_exceptions=False)
    return Outcome(found.exit_code, found.stdout, found.stderr)


def paste(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "paste.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", [("audit",), ("timeline",), ("decide",), ("assign", "--batch"), ("lint",)])
def test_settings_are_handed_to_lint(tmp_path: Path, verb: tuple[str, ...]) -> None:
    path = paste(tmp_path, CONF)
    pipes = [("standard input", piped(CONF, *verb, name)) for name in ("-", "/dev/stdin")]
    for name, outcome in ((path, oneowner(*verb, path)), *pipes):
        assert outcome.code == 1
        assert "shedder-can-act" in outcome.out
        assert verb == ("lint",) or outcome.out.startswith(f"{name}: a broker.conf; handed to `oneowner lint`\n")


def test_answer_about_owners_is_handed_to_the_bugs_with_what_to_collect(tmp_path: Path) -> None:
    path = paste(tmp_path, '{\n  "t/n/0x00000000_0x80000000" : {\n    "is_active" : true\n  }\n}\n')
    outcome = oneowner("audit", path.rename(tmp_path / "owned.json"))
    assert "a broker's answer about owners; handed to `oneowner bugs --like`" in outcome.out
    assert "topics lookup TOPIC, asked of each broker" in outcome.out
    assert outcome.code == 3


def test_options_of_both_verbs_go_along_and_others_are_refused(tmp_path: Path) -> None:
    path = paste(tmp_path, CONF)
    outcome = oneowner("audit", path, "--json", "-")
    assert outcome.json["verb"] == "lint"
    assert outcome.err.startswith(f"{path}: a broker.conf; handed to ")
    assert oneowner("audit", path, "--quiet").out == ""
    refused(oneowner("audit", path, "--laws"), "a broker.conf, which has no --laws; run: oneowner lint", path)
    refused(oneowner("lint", paste(tmp_path, BATCH), "--json", "-"), "has no --json; run: oneowner decide --batch")


def test_batch_is_handed_to_its_verb_and_standard_output_has_the_answers_alone(tmp_path: Path) -> None:
    pipes = [piped(BATCH, "assign", "--batch", name) for name in ("-", "/dev/stdin")]
    for outcome in (oneowner("assign", "--batch", paste(tmp_path, BATCH)), *pipes):
        assert outcome.json["id"] == 7
        assert "a batch of decisions; handed to `oneowner decide --batch`" in outcome.err
    assert piped(BATCH, "decide", "--batch", "/dev/stdin").json["id"] == 7


def test_dump_and_log_are_audited_under_any_name(tmp_path: Path) -> None:
    dump = (REAL / "healthy" / "channel.jsonl").read_text()
    assert oneowner("audit", paste(tmp_path, dump)).code == oneowner("lint", paste(tmp_path, dump)).code == 0
    assert piped(dump, "audit", "-").out.startswith("/")
    assert piped(dump, "timeline", "-").code == 0
    out = tmp_path / "broker.out"
    out.write_text("".join(LOG) * 3)
    outcome = oneowner("audit", out)
    assert outcome.code == 3
    assert "channel*.jsonl" in outcome.out
    assert "JSON" not in outcome.said


def test_folder_of_load_data_is_handed_to_decide(tmp_path: Path) -> None:
    (tmp_path / "b1.json").write_text('{"weightedMaxEMA": 0.5, "updatedAt": 1}')
    outcome = oneowner("audit", tmp_path)
    assert outcome.out.startswith(f"{tmp_path}: a folder with load data of Pulsar; handed to `oneowner decide`\n")


def test_folder_names_what_an_audit_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "channel.jsonl").write_bytes((REAL / "healthy" / "channel.jsonl").read_bytes())
    (tmp_path / "broker.conf").write_text(CONF)
    (tmp_path / "redis.log").write_text("1:M 11 Oct 2022 01:21:30.385 # Ready\n")
    (tmp_path / "notes.txt").write_text("restarted at noon")
    outcome = oneowner("audit", tmp_path)
    assert "left out: broker.conf (a broker.conf: oneowner lint)\n" in outcome.out
    assert "no log of a broker: redis.log (a log of Redis)\n" in outcome.out
    assert "notes.txt" not in outcome.out


@verb(Section.CLUSTER)
@click.option("--like")
@common
def bugs(like: str, **_: object) -> Result:
    """Stand in for a verb that reads texts."""
    click.echo(f"read {like}")
    return Result("bugs", Verdict.VALID, [])


def test_excerpt_of_a_log_is_handed_to_a_verb_that_reads_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(main.commands, "bugs", bugs)
    path = paste(tmp_path, "".join(LOG[:20]))
    handed = f"{path}: an excerpt of a broker's log; handed to `oneowner bugs --like`\nread {path}\n"
    assert oneowner("audit", path).out == handed
    assert oneowner("lint", path).out == f"{path}: a broker's log; handed to `oneowner audit`\n{handed}"
    trace = paste(tmp_path, "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\n")
    assert oneowner("decide", trace).out.endswith(f"a stack trace; handed to `oneowner bugs --like`\nread {path}\n")


def test_folder_with_one_file_of_another_verb_is_handed_to_that(tmp_path: Path) -> None:
    path = paste(tmp_path, CONF)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    outcome = oneowner("audit", tmp_path)
    assert (outcome.code, outcome.out.partition("\n")[0]) == (1, f"{path}: a broker.conf; handed to `oneowner lint`")
    (tmp_path / "loads.csv").write_text("cycle,bundle,bytes,messages,broker\n")
    refused(oneowner("audit", tmp_path), "loads.csv (a trace of loads: oneowner simulate)", "oneowner lint")


def test_folder_of_texts_without_a_recording_is_compared_with_known_bugs(tmp_path: Path) -> None:
    (tmp_path / "explain.json").write_text('{"index": "a", "unassigned_info": {}, "can_allocate": "no"}')
    outcome = oneowner("audit", tmp_path)
    first = f"{tmp_path}: a folder with an answer of Elasticsearch; handed to `oneowner bugs --like`"
    assert outcome.out.partition("\n")[0] == first
    assert "not about ownership: it is about Elasticsearch" in outcome.out


def test_option_that_the_other_verb_needs_is_named(tmp_path: Path) -> None:
    path = paste(tmp_path, "cycle,bundle,bytes,messages,broker\n0,t/n/a,1,1,b\n")
    refused(oneowner("audit", path), f"a trace of loads; run, with --shedder: oneowner simulate {path}")
