"""
``write_tables`` writes an audit or a timeline as Parquet files, for SQL: events, intervals, findings, refusals.

All files appear in the folder at once, or none does.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from oneowner.checkers.recordings.judge.arrow_tables import SCHEMAS, tables
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.remote_files import is_away, put, reason
from oneowner.checkers.verdict import Misuse


def write_tables(directory: Path, judgement: Judgement) -> None:
    """Write all tables into *directory*, which is made if need be; raise Misuse if that fails."""
    try:
        away = is_away(str(directory))
        if not away:
            directory.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=None if away else directory, prefix=".tables-"))
        try:
            for name, rows in tables(judgement).items():
                with pq.ParquetWriter(aside / f"{name}.parquet", SCHEMAS[name], compression="zstd") as writer:
                    for table in rows:
                        writer.write_table(table)
            for name in SCHEMAS:
                if away:
                    put(aside / f"{name}.parquet", str(directory / f"{name}.parquet"))
                    continue
                os.replace(aside / f"{name}.parquet", directory / f"{name}.parquet")
        finally:
            shutil.rmtree(aside)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {reason(error)}") from None
