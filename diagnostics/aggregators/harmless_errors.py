"""The errors and warnings of the logs that are harmless by themselves, counted by the entry that names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, is_true
from diagnostics.notation.stack_frame import is_own_logger
from diagnostics.vocabulary.harmless_errors import OTHERS, HarmlessError, harmless_errors

if TYPE_CHECKING:
    import pyarrow as pa

FATAL_TEXTS = (
    "Fatal error",
    "fatal error",
    "FATAL: Thread",
    "Could not start cluster entrypoint",
    "Could not create application program",
    "Could not start the JobMaster",
    "Terminating TaskManagerRunner",
    "Terminating the JVM",
    "terminating the JVM",
    "Shutting down TaskManagerRunner since",
    "TaskManager initialization failed",
    "TaskManagerRunner failed",
)
"""Messages with which Flink's processes end. Source: FatalExitExceptionHandler, ClusterEntrypoint, TaskManagerRunner,
TaskExecutor and ResourceManager of Flink 1.8 to 2.0.
"""
OF_THE_JVM = r"^java\.lang\.\w+Error$"
OF_A_PROGRAM = "org.apache.flink.client.program."
"""Package of exceptions that say a submitted program failed, also one that was submitted by the REST API."""

ERRORS = ("ERROR", "FATAL")
WARNINGS = ("WARN",)

NOISE = ("noise.*",)
"""Events of records that healthy clusters log at any level."""

OWN_TRACE = "own-trace"
"""The entry of records that the program writes about itself."""
SAYS_FAILURE = r"(?i)error|exception|throw|fail|refus|den(?:y|ied)|reject|time[d -]?out|unable|\bnot\b|n't\b|cannot"
SAYS_FAILURE += r"|no such|missing|invalid|lost|abort|corrupt|illegal|unexpected|retr(?:y|ies)|null|crash|kill|exceed"
SAYS_FAILURE += r"|bad|wrong|broken|closed|dead|stuck|drop|skip|ignor|unknown|problem"
SAYS_FAILURE += r"|失败|异常|错误|超时|拒绝|无法|不存在|找不到|丢"
"""Words by which a record may report a failure. Our choice: rather too many, as what has none is a mere trace."""

READ = ("level", "logger", "message", "event", "exception_class", "root_cause_class")
"""Columns of a record that say whether it is harmless."""


def is_fatal(records: pa.Table) -> pa.ChunkedArray:
    """Whether a process says with the record that it ends."""
    import pyarrow.compute as pc

    return pc.or_(is_any(records["level"], ("FATAL",)), contains_any(records["message"], FATAL_TEXTS))


def harmless_kinds(records: pa.Table) -> pa.ChunkedArray:
    """The id of the catalogue's entry that each record belongs to; null for a record that is not harmless.

    A fatal error and the failure of a submitted program never are, an Error of the JVM itself only where Flink's code
    is known to go on after it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    thrown = pc.coalesce(records["root_cause_class"], records["exception_class"])
    ends = pc.or_(is_fatal(records), pc.fill_null(pc.starts_with(records["exception_class"], OF_A_PROGRAM), False))
    grave = pc.or_(ends, pc.fill_null(pc.match_substring_regex(thrown, OF_THE_JVM), False))
    kinds = pa.chunked_array([pa.nulls(records.num_rows, pa.string())])
    for name, entry in harmless_errors().items():
        named = is_any(records["event"], entry.events)
        if entry.loggers:
            named = pc.or_(named, contains_any(records["logger"], entry.loggers))
        if entry.exceptions:
            named = pc.or_(is_true(named), is_true(is_any(thrown, entry.exceptions)))
        if entry.texts:
            named = pc.or_(is_true(named), is_true(contains_any(records["message"], entry.texts)))
        if entry.begins:
            named = pc.or_(is_true(named), is_true(_begins_so(records["message"], thrown, entry)))
        if entry.but_loggers:
            named = pc.and_not(is_true(named), is_true(contains_any(records["logger"], entry.but_loggers)))
        is_other = pc.invert(ends if entry.goes_on else grave)
        kinds = pc.coalesce(kinds, pc.if_else(pc.and_(is_true(named), is_other), name, None))
    return pc.coalesce(kinds, pc.if_else(pc.and_(_own_traces(records), pc.invert(grave)), OWN_TRACE, None))


def _begins_so(messages: pa.ChunkedArray, thrown: pa.ChunkedArray, entry: HarmlessError) -> pa.ChunkedArray:
    """Whether a message begins as the entry says, beside one of its exceptions where it has some."""
    import pyarrow.compute as pc

    begins = pc.match_substring_regex(messages, "^(?:" + "|".join(map(re.escape, entry.begins)) + ")")
    return pc.and_(is_true(begins), is_any(thrown, entry.thrown)) if entry.thrown else begins


def _own_traces(records: pa.Table) -> pa.ChunkedArray:
    """Whether the program itself writes the record at the level of an error, and reports no failure in it.

    A logger is the program's own where its package belongs to no known product.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    loud = is_any(records["level"], ERRORS)
    named = pc.unique(records["logger"].filter(loud)).cast(pa.string()).to_pylist()
    own = tuple(each for each in named if each and is_own_logger(each))
    is_plain = pc.and_(records["exception_class"].is_null(), records["root_cause_class"].is_null())
    said = pc.fill_null(records["message"], "error")
    is_quiet = pc.and_(is_plain, pc.invert(pc.match_substring_regex(said, SAYS_FAILURE)))
    return is_true(pc.and_(pc.and_(loud, is_any(records["logger"], own)), is_quiet))


def _counted(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    named = [event for name, entry in harmless_errors().items() if name != OTHERS for event in entry.events]
    counts = pc.or_(is_any(records["level"], (*ERRORS, *WARNINGS)), is_any(records["event"], named))
    alarming = records.filter(pc.or_(counts, records["ts_ms"].is_null()))
    kinds = harmless_kinds(alarming).cast(pa.string())
    is_error = pc.and_(is_any(alarming["level"], ERRORS), alarming["ts_ms"].is_valid())
    ones = pa.array([1] * alarming.num_rows, pa.int64())
    return _merge(pa.table({"kind": kinds, "is_error": is_error, "records": ones}))


def _merge(states: pa.Table) -> pa.Table:
    known = states.filter(states["kind"].is_valid())
    summed = known.group_by(["kind", "is_error"], use_threads=False).aggregate([("records", "sum")])
    return summed.rename_columns(["kind", "is_error", "records"])


def _in_order(state: pa.Table) -> pa.Table:
    return state.sort_by([("is_error", "descending"), ("records", "descending"), ("kind", "ascending")])


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="harmless_errors",
    table="log_record",
    columns=("ts_ms", *READ),
    events=NOISE,
    reduce=_counted,
    merge=_merge,
    finish=_in_order,
)
"""Gives at most two rows per entry of the catalogue: its `kind`, and the `records` that have a time, of level ERROR or
FATAL (`is_error`), as the chart of the log volume counts them, or WARN; of any level those of the entries' events, and
lines without a time, which somebody copied for what they say.
"""
