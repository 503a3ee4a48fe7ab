"""The most severe log records: fatal errors, errors, and warnings with an exception; the earliest of each rank."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators.aggregator import CITATION_ORDER, Aggregator
from diagnostics.aggregators.harmless_errors import ERRORS, harmless_kinds, is_fatal
from diagnostics.arithmetic.row_choice import contains_any, is_any, is_true, shortened
from diagnostics.arithmetic.row_order import Order, first_rows_by_group, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.notation.stack_frame import is_own_logger
from diagnostics.vocabulary.copied_error import (
    INFORMED_TEXTS,
    answers_of_systems,
    known_statements,
    shortened_to_known,
    telling_messages,
)

if TYPE_CHECKING:
    import pyarrow as pa

MOST_OF_A_RANK = 200
"""Records of a rank kept, the earliest. Our choice: the first one is quoted, the others are counted."""

MOST_CHARACTERS = 1_000
"""Characters kept of a message, besides a known text that stands further back. Our choice: a refused request states its
address first and the reason last.
"""

MOST_SEARCHED = 4_000
"""Characters of a message that are searched. Our choice: a row or an event that a record prints is mostly shorter."""

OF_THE_RUNTIME = (
    "org.apache.flink.runtime.",
    "org.apache.flink.streaming.",
    "org.apache.flink.metrics.",
    "org.apache.flink.configuration.",
    "org.apache.flink.core.",
    "org.apache.flink.util.",
    "org.apache.flink.api.",
    "org.apache.flink.state.",
    "org.apache.flink.contrib.streaming.state.",
    "org.apache.flink.changelog.",
    "org.apache.flink.shaded.",
    "org.apache.flink.kubernetes.",
    "org.apache.flink.yarn.",
    "org.apache.pekko.",
    "akka.",
    "org.apache.hadoop.util.",
    "org.apache.zookeeper.",
)
"""How loggers begin that warn of what Flink handles itself; all others are connectors, clients and the job."""

OF_OLD_CONNECTORS = "org.apache.flink.streaming.connectors."
"""How loggers of connectors begin that are older than FLIP-27, below a name of the runtime."""

OF_REFUSED_CONTAINERS = "Failed requesting worker"
"""How a warning of the resource manager begins when Kubernetes or YARN refuses a container: nothing else says why."""

REPORTS_FAILURE = r"(?i)\b(?:error|fail(?:s|ed|ure)?|refused|denied|reject(?:s|ed)?|timed out|unable to|could not"
REPORTS_FAILURE += r"|throttl(?:e|ed|ing)|rate exceeded|too many requests|slow down)\b"
"""Words with which a warning of a connector says that something did not work, or that its system takes less."""

AUDITED = ">>> "
"""How the Kubernetes operator's audit begins, at level INFO."""
AUDITED_ERROR = r"^>>> Status(?:\[\w+\])? *\| Error *\|"
AUDITED_WARNING = r"^>>> Event(?:\[\w+\])? *\| Warning *\|"
"""The error that the operator writes into the status of a resource, and its event that warns. Source: AuditUtils."""

PRINTED = ("INFO",)
"""A record without a level counts as an error when it prints an exception: what a client or a shell shows. So does one
of this level without a logger, which Flink's layouts print, or of the root logger: a program repeats what its client
says.
"""
REPEATS_PROGRAM = "org.apache.flink.client.python.PythonDriver"
"""Logger that repeats each line which the Python program prints, its traceback too, at level INFO. Source: PythonDriver
of Flink 1.14 to 2.0.
"""
RAISED = r"^(?:: )?(?:[a-zA-Z_][\w$]*\.)*[A-Z]\w*(?:Error|Exception)(?:: .|$)"
"""The last line of a traceback of Python, and the first of what Java threw below it."""
ROOT = "root"
"""Name of the logger of programs that ask for none of their own. Source: Log4j and Python's logging."""
RANKS = ("fatal", "error", "outside", "warning")
"""`outside` are warnings of connectors, clients and the job that say that something failed, or what is known to be
wrong, and records of connectors and clients that repeat the answer of an outside system at level INFO; `warning` those
of Flink that print an exception, and records of level INFO that print one whose repair is known.
"""
RUNTIME_LOGGER = "^(?:" + "|".join(re.escape(each) for each in OF_THE_RUNTIME) + ")"
KEPT = (
    *("ts_ms", "job_id", "process", "level", "logger", "vertex", "subtask", "task_manager"),
    *("exception_class", "exception_message", "deployment"),
)
KEPT_CAUSE = (
    *("root_cause_class", "root_cause_message", "root_cause_frame", "user_frame", "thrown_in", "own_frames"),
    *("causes", "frames"),
)
ORDER: Order = (("rank", "ascending"), ("ts_ms", "ascending"), *CITATION_ORDER)


def _ranked(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    loud = pc.or_(is_any(records["level"], (*ERRORS, "WARN")), _printed(records))
    loud = pc.or_(loud, _knowingly_informs(records))
    loud = pc.or_(pc.or_(loud, _audited(records)), _informs_of_answer(records))
    records = records.filter(pc.or_(loud, contains_any(records["message"], INFORMED_TEXTS)))
    thrown = pc.or_(records["exception_class"].is_valid(), records["exception_message"].is_valid())
    printed = _printed(records)
    said = contains_any(pc.if_else(records["level"].is_null(), records["message"], ""), known_statements())
    raised = pc.match_substring_regex(pc.if_else(_repeated(records), records["message"], ""), RAISED)
    is_error = pc.or_(is_any(records["level"], ERRORS), pc.and_(printed, pc.or_(thrown, pc.or_(said, raised))))
    is_error = pc.or_(is_error, contains_any(records["message"], INFORMED_TEXTS))
    is_error = pc.or_(is_error, _audited(records))
    inside = pc.fill_null(pc.match_substring_regex(records["logger"], RUNTIME_LOGGER), True)
    of_connector = pc.fill_null(pc.starts_with(records["logger"], OF_OLD_CONNECTORS), False)
    refused = pc.fill_null(pc.starts_with(records["message"], OF_REFUSED_CONTAINERS), False)
    inside = pc.and_not(inside, pc.or_(of_connector, refused))
    failing = pc.fill_null(pc.match_substring_regex(records["message"], REPORTS_FAILURE), False)
    answered = _informs_of_answer(records)
    failing = pc.or_(failing, pc.or_(answered, contains_any(records["message"], known_statements())))
    outside = pc.and_(pc.invert(inside), pc.or_(thrown, failing))
    is_warning = pc.and_(is_any(records["level"], ("WARN",)), pc.or_(thrown, outside))
    is_warning = pc.or_(is_warning, pc.or_(_knowingly_informs(records), answered))
    outside = pc.and_(outside, pc.or_(is_any(records["level"], ("WARN",)), answered))
    fatal = pc.and_(is_error, is_fatal(records))
    warning = pc.if_else(outside, "outside", "warning")
    rank = pc.if_else(fatal, "fatal", pc.if_else(is_error, "error", pc.if_else(is_warning, warning, None)))
    telling = is_true(pc.and_(rank.is_valid(), harmless_kinds(records).is_null()))
    kept = records.filter(telling).select([*KEPT, *KEPT_CAUSE, *CITATION_COLUMNS])
    kept = kept.append_column("message", shortened(records["message"].filter(telling), MOST_SEARCHED))
    return _with_known_texts(_earliest(kept.append_column("rank", rank.filter(telling).cast(pa.string()))))


def _with_known_texts(rows: pa.Table) -> pa.Table:
    """The rows with the beginnings of their messages, and the texts behind them by which a catalogue knows them."""
    import pyarrow as pa

    messages = [text and shortened_to_known(text, MOST_CHARACTERS) for text in rows["message"].to_pylist()]
    place = rows.column_names.index("message")
    return rows.set_column(place, "message", pa.chunked_array([pa.array(messages, rows["message"].type)]))


def _printed(records: pa.Table) -> pa.ChunkedArray:
    """Whether a client or a program printed the record: no level, or one of PRINTED and no logger of its own."""
    import pyarrow.compute as pc

    is_nameless = pc.equal(pc.coalesce(records["logger"], ROOT), ROOT)
    printed = pc.or_(is_nameless, _repeated(records))
    return pc.or_(records["level"].is_null(), pc.and_(is_any(records["level"], PRINTED), printed))


def _knowingly_informs(records: pa.Table) -> pa.Array:
    """Whether a record that informs, and of no catalogued event, prints an exception with a known repair."""
    import pyarrow.compute as pc

    informs = pc.and_(is_any(records["level"], PRINTED), records["event"].is_null())
    return contains_any(pc.if_else(informs, records["causes"], None), telling_messages())


def _informs_of_answer(records: pa.Table) -> pa.Array:
    """Whether a connector or a client repeats the answer of an outside system in a record that informs.

    Not the job's own code, which may print what it processes.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    informs = pc.and_(is_any(records["level"], PRINTED), records["event"].is_null())
    outside = pc.invert(pc.fill_null(pc.match_substring_regex(records["logger"], RUNTIME_LOGGER), True))
    message = pc.if_else(pc.and_(informs, outside), records["message"], None)
    answers = contains_any(message, answers_of_systems())
    loggers = pc.unique(records["logger"].filter(answers)).cast(pa.string()).to_pylist()
    own = [each for each in loggers if is_own_logger(each)]
    return pc.and_not(answers, is_true(is_any(records["logger"], own)))


def _audited(records: pa.Table) -> pa.Array:
    """Whether the operator audits an error of a resource, or an event that warns and whose repair is known."""
    import pyarrow.compute as pc

    message = pc.if_else(is_any(records["level"], PRINTED), records["message"], None)
    warns = pc.and_(pc.match_substring_regex(message, AUDITED_WARNING), contains_any(message, telling_messages()))
    return pc.or_(is_true(pc.match_substring_regex(message, AUDITED_ERROR)), is_true(warns))


def _repeated(records: pa.Table) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.fill_null(pc.equal(records["logger"], REPEATS_PROGRAM), False)


def repeats_answer(row: Mapping[str, Any]) -> bool:
    """Whether a row of the answer is a record of level INFO that repeats the answer of an outside system."""
    return row["rank"] == "outside" and row["level"] in PRINTED


def is_printed(level: str | None, logger: str | None) -> bool:
    """As `_printed`, of one record."""
    return level is None or (level in PRINTED and logger in (None, ROOT, REPEATS_PROGRAM))


def _earliest(rows: pa.Table) -> pa.Table:
    return first_rows_by_group(rows, "rank", ORDER[1:], MOST_OF_A_RANK)


def _in_order(state: pa.Table) -> pa.Table:
    return sort_rows(state, ORDER)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="alarming_records",
    table="log_record",
    columns=(*KEPT, *KEPT_CAUSE, "message", "event"),
    texts=(*INFORMED_TEXTS, *answers_of_systems(), REPEATS_PROGRAM, AUDITED),
    reduce=_ranked,
    merge=_earliest,
    finish=_in_order,
)
"""Gives one row per record; its `rank` is one of RANKS."""
