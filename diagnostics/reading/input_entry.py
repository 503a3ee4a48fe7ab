"""The entry of a file in `inputs[]` of the diagnosis document: its format, records, times and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.evidence.rows import Coverage
from diagnostics.formats.format import Format
from diagnostics.intake import InputFile
from diagnostics.language import say, say_counted
from diagnostics.notation.timestamp import timestamp
from diagnostics.reading.beginning import Beginning
from diagnostics.reading.clock import FileClock
from diagnostics.reading.task import MOST_WARNINGS, added
from diagnostics.wording.phrase import duration


def input_entry(
    file: InputFile,
    chosen: Format | None,
    covered: Sequence[Mapping[str, Any]],
    same_as: str | None,
    clock: FileClock | None,
    beginning: Beginning | None = None,
) -> dict[str, Any]:
    """The entry of one file.

    chosen   the format it was read as, None for an attachment
    covered  rows of COVERAGE, one for each range of the file
    same_as  name of the file that holds its content, too, and was read instead
    beginning  the moment before which evidence was left out
    """
    total = Coverage()
    for each in covered:
        part = {name: each[name] for name in Coverage.__slots__}
        part["samples"] = tuple((sample["line"], sample["text"]) for sample in each["samples"])
        part |= {name: tuple(each[name]) for name in ("warnings", "counted")}
        total = added(total, Coverage(**part))
    warnings = [*([file.error] if file.error else []), *file.warnings, *total.warnings]
    warnings += [say(sentence, count=count) for sentence, count in total.counted]
    if total.earlier:
        warnings.append(_out_of_order(total))
    if chosen is not None and same_as:
        warnings.append(say("{same_as} has the same content: read once", same_as=same_as))
    if chosen is None and not file.error:
        warnings.append(say("not recognised as evidence: kept as an attachment"))
    entry: dict[str, Any] = {
        "file": file.name,
        "format": chosen.id if chosen else None,
        "role": total.role,
        "bytes": file.bytes,
        "records": total.records,
        "first_ts": timestamp(clock.moved_ms(total.first_ts_ms) if clock else total.first_ts_ms),
        "last_ts": timestamp(clock.moved_ms(total.last_ts_ms) if clock else total.last_ts_ms),
        "flink_version": total.flink_version,
        "warnings": warnings[:MOST_WARNINGS],
    }
    if file.error:
        entry["refused"] = True  # not read, or not to its end; the first warning says why
    if total.utc_offset_min is not None:
        entry["utc_offset_min"] = total.utc_offset_min
    if clock is not None and chosen is not None:
        entry["clock"] = clock.as_json()
    left_out = sum(each["left_out"] for each in covered)
    if beginning is not None and left_out:
        entry["left_out"] = {"records": left_out, "before": timestamp(beginning.ms)}
    if total.not_understood:
        entry["not_understood"] = total.not_understood
        entry["samples"] = [{"line": line, "text": text} for line, text in total.samples]
    return entry


def _out_of_order(total: Coverage) -> str:
    return say_counted(
        "{count} record shows an earlier time than the one before, by up to {most}, first in line {line:,}: several "
        "processes wrote here, files were put together, or a clock was set back",
        "{count:,} records show an earlier time than the one before, by up to {most}, first in line {line:,}: several "
        "processes wrote here, files were put together, or a clock was set back",
        total.earlier,
        most=duration(total.earlier_ms),
        line=total.earlier_line,
    )
