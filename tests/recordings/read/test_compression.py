"""Files that zstd or lz4 compressed are judged as those of gzip: whole, damaged, and made to fill the memory."""

import gzip
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import psutil
import pytest
import zstandard

from oneowner.checkers import extras
from oneowner.checkers.recordings.read import compression
from oneowner.checkers.recordings.read.lines import Damage, FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.rotated_logs import log_of
from tests.recordings.dumps import REAL, audit, call, dump, lines_of

VALID = lines_of(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2"))
MIB = 1024 * 1024
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".lz4": lz4.frame.compress,
}
NAMES = {".zst": "zstd", ".lz4": "lz4"}
ENDINGS = pytest.mark.parametrize("ending", NAMES)


def repacked(name: str, ending: str, folder: Path) -> Path:
    """Copy a recording, with all that is zipped compressed in another way."""
    run = Path(shutil.copytree(REAL / name, folder / name))
    for path in run.glob("*.gz"):
        text = gzip.decompress(path.read_bytes())
        path.unlink()
        path.with_suffix(ending).write_bytes(PACK[ending](text))
    return run


@pytest.mark.sample(1)
@ENDINGS
@pytest.mark.parametrize(
    "name",
    ["split", *(pytest.param(one, marks=pytest.mark.slow) for one in ("zombie", "transfer", "zk-restart-metadata"))],
)
def test_recording_is_judged_the_same_however_it_is_compressed(name: str, ending: str, tmp_path: Path) -> None:
    zipped = Path(shutil.copytree(REAL / name, tmp_path / "zipped" / name))
    here, there = zipped.parent, tmp_path / "packed"
    packed = repacked(name, ending, there)
    expected = call("audit", zipped, "--json", "-", "--engine", "inline").stdout.replace(str(here), "")
    found = call("audit", packed, "--json", "-", "--engine", "inline").stdout.replace(str(there), "")
    assert without_seconds(found) == without_seconds(
        expected.replace('.gz"', f'{ending}"').replace(".gz:", f"{ending}:")
    )


def without_seconds(text: str) -> list[str]:
    return [line for line in text.splitlines() if '"seconds"' not in line]


@ENDINGS
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda packed: b"neither of them at all", "broken"),
        (lambda packed: packed[: len(packed) // 2], "cut short"),
        (lambda packed: packed[:-1], "cut short"),
        (lambda packed: packed[:9], "cut short"),
        (lambda packed: packed + b"and more", "broken"),
        (lambda packed: packed[:2000] + bytes(200) + packed[2200:], ""),
    ],
    ids=["garbage", "half", "one byte short", "half a header", "something behind", "a hole"],
)
def test_damaged_frame_ends_in_2_and_what_it_gave_is_judged(
    damage: Callable[[bytes], bytes], words: str, ending: str, tmp_path: Path
) -> None:
    text = gzip.decompress((REAL / "transfer" / "channel.jsonl.gz").read_bytes())
    file = tmp_path / f"channel.jsonl{ending}"
    file.write_bytes(damage(PACK[ending](text)))
    found = audit(file)
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    where, _, why = found.json["reasons"][0].removeprefix(f"{file}:").partition(": ")
    assert words in why
    assert NAMES[ending] in why or not words
    assert int(where) >= found.json["stats"]["events"] + 1


@ENDINGS
def test_torn_log_is_judged_as_one_that_gzip_tore(ending: str, tmp_path: Path) -> None:
    verdicts = []
    for one in (".gz", ending):
        run = repacked("healthy", one, tmp_path / one)
        log = run / f"broker-1.log{one}"
        log.write_bytes(log.read_bytes()[:-20])
        found = audit(run, "--engine", "inline")
        assert (found.verdict, found.exit_code) == ("unknown", 3)
        assert [reason for reason in found.json["reasons"] if f"{log}:" in reason and "cut short" in reason]
        verdicts.append([(law["law"], law["verdict"]) for law in found.json["laws"]])
    assert verdicts[0] == verdicts[1]


@ENDINGS
def test_several_frames_and_frames_to_skip_are_legal(ending: str, tmp_path: Path) -> None:
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0none"
    file = tmp_path / f"channel.jsonl{ending}"
    file.write_bytes(skipped + b"".join(PACK[ending](line) for line in VALID) + skipped)
    found = audit(file)
    assert (found.exit_code, found.json["stats"]["events"]) == (0, 2)


@ENDINGS
def test_file_of_no_bytes_is_empty(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"channel.jsonl{ending}"
    file.touch()
    assert audit(file).json["reasons"][0].startswith(f"{file}: empty")


def damaged(packed: bytes, chance: random.Random) -> bytes:
    """Damage a file of gzip's in one of the ways in which disks and copies do."""
    at = chance.randrange(len(packed))
    return chance.choice(
        [
            packed[:at],
            packed[:at] + bytes([packed[at] ^ 1 << chance.randrange(8)]) + packed[at + 1 :],
            packed[:at] + bytes(200) + packed[at + 200 :],
            packed + bytes(at % 9),
            packed + packed[:at],
            packed + packed,
            packed + b"and more",
        ]
    )


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(12))
def test_gzip_gives_the_same_text_and_words_whoever_reads_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except that ISA-L yields more of the data before a broken block: zlib drops its whole last read."""
    chance = random.Random(seed)
    text = b"".join(b"%d %s\n" % (n, chance.randbytes(9).hex().encode()) for n in range(20_000))
    file = tmp_path / "b.log.gz"
    file.write_bytes(damaged(gzip.compress(text), chance))

    def read() -> tuple[bytes, list[Damage]]:
        (chunk,) = chunks_of(0, 0, str(file), FileKind.LOG)
        parts = [*read_texts(chunk)]
        return b"".join(one for one in parts if isinstance(one, bytes)), [p for p in parts if isinstance(p, Damage)]

    quick, quick_words = read()
    monkeypatch.setattr(compression, "missing", lambda extra: [extra])
    slow, words = read()
    assert quick_words == words
    assert quick == slow or (quick.startswith(slow) and words[0].why.startswith("broken gzip: Error -3"))


@pytest.mark.sample(1)
@ENDINGS
def test_frame_that_grows_without_end_takes_little_memory(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"channel.jsonl{ending}"
    packer = zstandard.ZstdCompressor(19).compressobj() if ending == ".zst" else None
    with file.open("wb") as stream:
        if packer is not None:
            stream.writelines(packer.compress(bytes(MIB)) for _ in range(256))
            stream.write(packer.flush())
        else:
            frame = lz4.frame.LZ4FrameCompressor(block_size=lz4.frame.BLOCKSIZE_MAX4MB)
            stream.write(frame.begin())
            stream.writelines(frame.compress(bytes(MIB)) for _ in range(256))
            stream.write(frame.flush())
    assert file.stat().st_size < 3 * MIB
    before = psutil.Process().memory_info().rss
    (chunk,) = chunks_of(0, 0, str(file), FileKind.CHANNEL)
    most = 0
    for text in read_texts(chunk):
        assert text == Damage("a line over 16 MiB")
        most = max(most, psutil.Process().memory_info().rss - before)
    assert most < 200 * MIB


@ENDINGS
def test_file_whose_package_is_missing_is_refused_in_a_line(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    (tmp_path / "channel.jsonl").write_bytes(b"".join(VALID))
    assert audit(tmp_path).exit_code == 0
    log = tmp_path / f"broker-1.log{ending}"
    log.touch()
    found = audit(tmp_path)
    assert (found.exit_code, found.json) == (2, {})
    extra = NAMES[ending]
    assert found.said.startswith(f"error: {log} needs {extras.PACKAGES[extra][0]}, not installed here: ")
    assert found.said.endswith(f"pip install 'oneowner[{extra}]'\n")


@ENDINGS
def test_piece_of_a_rotated_log_is_known_by_its_name(ending: str) -> None:
    for name in ("b.log", "b.log.1", "b-11-21-2026-1.log", "b.log-11-21-2026-1.log"):
        assert log_of(f"{name}{ending}") == "b.log"
