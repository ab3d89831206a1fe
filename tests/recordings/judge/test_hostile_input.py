"""
Input crafted to hang, deceive or break the audit ends in exit code 2 or unknown, with its file: never green.

The table in ``docs/reference/hostile-input.md`` has a row for each.
"""

import gzip
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oneowner.checkers import native_code
from oneowner.checkers.places import TOP
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner as called
from tests.command_line import refused
from tests.recordings.dumps import REAL, audit
from tests.recordings.laws.files import changed, copied, file_of, lines_of, write_lines

DEEP = "[" * 100_000 + "]" * 100_000
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)
"""A billion lol's in 400 characters."""
DEEP_YAML = f"a: {DEEP[99_500:100_500]}\n"
CHANNEL = ("channel.jsonl",)
BESIDE = ("compacted.jsonl", "zookeeper.jsonl", "actions.jsonl", "lookups.jsonl", "owned.jsonl", "clients.jsonl")
ALIKE = ("compacted.jsonl", "actions.jsonl", "lookups.jsonl")
"""Those that are read as one of the others is."""


def deepened(run: Path, stem: str) -> Path:
    """Give the third line of a file a field that is nested a hundred thousand deep."""
    path = file_of(run, stem)
    lines = lines_of(path)
    lines[2] = lines[2][:-1] + b', "x": ' + DEEP.encode() + b"}"
    write_lines(path, lines)
    return path


@pytest.mark.parametrize(
    "stem", [*CHANNEL, *(pytest.param(one, marks=[pytest.mark.slow] * (one in ALIKE)) for one in BESIDE)]
)
def test_deep_json_is_told_with_its_line(stem: str, tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    path = deepened(run, stem)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 2 if stem in CHANNEL else 3)
    assert any(reason.startswith(f"{path}:3: ") for reason in found.json["reasons"])


@pytest.mark.sample(2)
@pytest.mark.parametrize("sequence", [2**63, -(2**63) - 1, -1, None])
def test_sequence_id_that_no_message_has_is_none(sequence: int | None, tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    path = file_of(run, "channel.jsonl")
    lines = lines_of(path)
    write_lines(path, [changed(lines[0], sequenceId=sequence), *lines[1:]])
    assert audit(run, "--engine", "inline").exit_code == 0


def test_deep_bundle_data_is_told(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    (run / "bundles.json").write_text(DEEP)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.json["reasons"][0].startswith(f"{run}/bundles.json:1: ")


def test_deep_line_of_a_log_is_told(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    path = file_of(run, "broker-1.log")
    name = b"org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
    torn = b'{"SeverityText":"INFO","code.namespace":"%s","Body":%s}' % (name, DEEP.encode())
    write_lines(path, [*lines_of(path), torn])
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert f"{path}:{len(lines_of(path))}: not a line of the JSON layout" in found.json["reasons"][0]


@pytest.mark.parametrize(
    ("text", "why"), [(BOMB, "aliases refused"), (DEEP_YAML, "nested too deeply"), ("a: &a [*a]\n", "holds itself")]
)
def test_yaml_that_explodes_is_refused_with_its_line_wherever_it_is_read(text: str, why: str, tmp_path: Path) -> None:
    run, bomb = copied("split", tmp_path), tmp_path / "bomb.yaml"
    bomb.write_text(text)
    (run / "manifest.yaml").write_text(text)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert re.search(rf"manifest\.yaml:\d+: .*{why}", found.json["reasons"][0])
    refused(called("replay", bomb), f"{bomb}:", why)
    refused(called("audit", REAL / "split", "--waivers", bomb), f"{bomb}:", why)


def test_deep_trace_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "deep.itf.json"
    trace.write_text(f'{{"states": {DEEP}}}')
    refused(called("replay", trace), f"{trace}:1: not JSON")


@pytest.mark.parametrize("stem", ["channel-2.jsonl.gz", "lookups.jsonl.gz"])
def test_gzip_of_one_endless_line_is_told_in_flat_memory(stem: str, tmp_path: Path) -> None:
    """Tried with 1 GiB: 102 MB of memory, nine seconds."""
    run = copied("healthy", tmp_path)
    with gzip.open(run / stem, "wb", 1) as stream:
        for _ in range(17):
            stream.write(bytes(2**20))
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 2 if stem.startswith("channel") else 3)
    assert found.json["reasons"][0] == f"{run / stem}:1: a line over 16 MiB"


ODD: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("/nonexistent"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
}


NAMED = [*((kind, "channel-2.jsonl") for kind in ODD), ("a pipe", "broker-9.log"), ("a pipe", "owned-2.jsonl")]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kind", "name"), NAMED)
def test_file_of_a_run_that_is_none_is_told_and_not_waited_for(kind: str, name: str, tmp_path: Path) -> None:
    run = copied("split", tmp_path)
    ODD[kind](run / name)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)
    assert found.json["reasons"][0].startswith(f"{run / name}: not read: ")


def test_pipe_that_is_named_alone_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "channel.jsonl")
    refused(called("audit", tmp_path / "channel.jsonl"), "neither a file nor a directory")


def test_path_in_a_manifest_opens_no_file(tmp_path: Path) -> None:
    run, secret = copied("healthy", tmp_path), tmp_path / "secret.log"
    secret.write_text("secret\n")
    text = (run / "manifest.yaml").read_text()
    (run / "manifest.yaml").write_text(text.replace("log: broker-1.log", f"log: {secret}"))
    found = audit(run, "--engine", "inline")
    assert "secret.log" not in json.dumps(found.json["runs"][0]["files"])
    assert (found.verdict, found.exit_code) == ("valid", 0)  # whose log is whose, the lines say


def test_deep_data_of_a_node_is_a_doubt_of_who_reads_it(tmp_path: Path) -> None:
    run = copied("split", tmp_path)
    path = file_of(run, "zookeeper.jsonl")
    lines = lines_of(path)
    node = "/admin/local-policies/rig/"
    place = next(n for n, line in enumerate(lines) if json.loads(line).get("path", "").startswith(node))
    lines[place] = changed(lines[place], data=DEEP)
    write_lines(path, lines)
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 3)


# ---- where results go, and what is kept ----


@pytest.mark.sample(1)
@pytest.mark.parametrize("option", ["--json", "--junit", "--sarif", "--html"])
def test_full_disk_is_told_and_not_green(option: str) -> None:
    refused(called("audit", REAL / "split", "--engine", "inline", option, "/dev/full"), "/dev/full: cannot be written")


def process(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process with more environment; ``timeline`` writes to a disk that is full."""
    env, command = {**os.environ, **more}, [str(Path(sys.executable).with_name("oneowner")), *arguments]
    with Path("/dev/full").open("wb") as full:
        out = full if arguments[0] == "timeline" else subprocess.PIPE
        return subprocess.run(command, env=env, cwd=TOP, stdout=out, stderr=subprocess.PIPE, timeout=100, check=False)


@pytest.mark.slow
def test_standard_output_without_room_is_one_line_and_2() -> None:
    ended = process("timeline", str(REAL / "split"), "--engine", "inline")
    assert ended.returncode == 2
    assert ended.stderr.decode() == "error: the output cannot be written: No space left on device\n"


def test_result_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill leaves the old file; only then is the new one put in its place, by one rename."""
    target = tmp_path / "result.json"
    target.write_text("old")

    def killed(old: str, new: object) -> None:
        assert target.read_text() == "old"
        assert json.loads(Path(old).read_text())["verdict"] == "valid"
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    assert called("audit", REAL / "split", "--engine", "inline", "--json", target).code == 130
    assert target.read_text() == "old"
    assert [*tmp_path.iterdir()] == [target]


@pytest.mark.slow
def test_two_runs_on_one_cache_find_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        asked = ("explore", "pip-192", "--engine", "c")
        ended = [*pool.map(lambda _: process(*asked, XDG_CACHE_HOME=str(tmp_path)), range(2))]
    assert [one.returncode for one in ended] == [process(*asked).returncode] * 2
    assert not list(tmp_path.rglob("tmp*"))


@pytest.mark.slow
def test_locale_c_changes_nothing() -> None:
    plain = process("audit", str(REAL / "split"), "--engine", "inline")
    ended = process("audit", str(REAL / "split"), "--engine", "inline", LC_ALL="C", PYTHONUTF8="0")
    assert (ended.returncode, ended.stderr) == (plain.returncode, plain.stderr)
    assert ended.stdout


def test_user_without_a_home_has_a_cache_of_his_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nobody)
    assert native_code.cache().parent.name == f"oneowner-{os.getuid()}"


@pytest.mark.parametrize("place", [".", "oneowner"])
def test_cache_that_others_can_write_is_refused(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs are run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "oneowner").mkdir()
    assert native_code.cache() == tmp_path / "oneowner"
    (tmp_path / place).chmod(0o777)
    with pytest.raises(Misuse, match="others may write programs there"):
        native_code.cache()
    (tmp_path / place).chmod(0o777 | stat.S_ISVTX)  # as /tmp
    assert native_code.cache() == tmp_path / "oneowner"


def test_cache_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "oneowner").mkdir()
    own = (tmp_path / "oneowner").stat().st_uid
    if own == 0:
        os.chown(tmp_path / "oneowner", 12_345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(Misuse, match="owns it"):
        native_code.cache()


def test_tests_keep_out_of_the_users_cache() -> None:
    assert native_code.cache() == TOP / "build" / "test-cache" / "oneowner"
