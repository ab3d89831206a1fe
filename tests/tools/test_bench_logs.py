"""The source of the bench of logs: copies of runs of the model, one after the other, judged valid."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.recordings.dumps import silently
from tools.bench import generate_logs
from tools.bench.generate_logs import write
from tools.bench.logs import LINES_OF_A_RECORD


@pytest.mark.slow
def test_generated_run_is_valid_and_the_same_every_time(tmp_path: Path) -> None:
    records, lines = write(tmp_path / "one", 2_500)  # the first template once more, in other namespaces
    assert records >= 2_500
    assert abs(lines / records - LINES_OF_A_RECORD) < 0.2
    judged = silently("audit", tmp_path / "one")
    assert (judged.verdict, judged.violations) == ("valid", [])
    (run,) = judged.json["runs"]
    assert run["events"] == records
    assert sum(log["lines"] for log in run["logs"]) < lines  # topics are opened and closed by other loggers
    assert all(log["understood"] == log["lines"] for log in run["logs"])
    write(tmp_path / "other", 2_500)
    names = ("channel.jsonl", *(f"broker-{number}.log" for number in range(1, 5)))
    assert all((tmp_path / "one" / n).read_bytes() == (tmp_path / "other" / n).read_bytes() for n in names)


@pytest.mark.slow
def test_peer_of_logs_sees_every_request_of_them(tmp_path: Path) -> None:
    write(tmp_path, 300)
    logs = [str(path) for path in sorted(tmp_path.glob("*.log"))]
    script = Path(generate_logs.__file__).with_name("bare_grep.py")
    output = subprocess.run([sys.executable, str(script), *logs], capture_output=True, text=True, check=True).stdout
    lines = [line for path in logs for line in Path(path).read_text(encoding="utf-8").splitlines()]
    assert output.startswith(f"{len(lines)} lines, ")
    assert output.endswith(" 0 versions that went back\n")
