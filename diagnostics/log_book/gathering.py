"""Reads the log records of uploaded files again for the log book, after the verdict."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import parquet

from diagnostics.errors import DiagnosticsError
from diagnostics.evidence.rows import Rows
from diagnostics.evidence.tables import TABLES
from diagnostics.formats import FORMATS
from diagnostics.intake import unpack
from diagnostics.log_book.writing import READ
from diagnostics.reading.case import Case
from diagnostics.reading.plan import plan_ranges
from diagnostics.reading.ranges import PlannedRange
from diagnostics.reading.row_batch import row_batch
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

RECORDS = "log_record"


def gather_log_records(case: Case, workspace: Path) -> SharedFolder:
    """Read every log of a case, range by range, into Parquet files from which the log book is written.

    workspace  an empty folder, which the caller removes
    Gives      the folder with the records, one file per range with records
    """
    intake = unpack(case.sources, workspace, case.limits, case.layouts, case.choices.names)
    folder = workspace / RECORDS
    folder.mkdir()
    for number, planned in enumerate(plan_ranges(intake, case.choices).ranges):
        if RECORDS in FORMATS[planned.format_id].tables:
            _store(folder / f"part-{number:05}.parquet", planned)
    return SharedFolder.at(folder)


def _store(path: Path, planned: PlannedRange) -> None:
    """Write the records of a range; no file when it has none."""
    writer = None
    try:
        for batch in _records(planned):
            columns = batch.select(list(READ))
            writer = writer or parquet.ParquetWriter(path, columns.schema, compression="snappy")
            writer.write_batch(columns)
    except DiagnosticsError as error:
        # The case page reports this error; records read before are kept.
        logger.info("%s was read in part: %s", planned.part.name, error)
    finally:
        if writer is not None:
            writer.close()


def _records(planned: PlannedRange) -> Iterator[pa.RecordBatch]:
    part = planned.part
    for read in FORMATS[planned.format_id].read(part):
        if isinstance(read, Rows) and TABLES[read.table].name == RECORDS:
            batch, _ = row_batch(read, part.file_id, planned.lines_before, planned.clock)
            if batch.num_rows:
                yield batch
