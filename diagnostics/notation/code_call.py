"""Calls in a job's source that a runbook points to. The source is never run: names suggest, and prove nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from diagnostics.notation.source_text import Call, calls

KINDS: Mapping[str, tuple[str, ...]] = {
    "key-by": ("keyby", "partitioncustom"),
    "asynchronous": ("unorderedwait", "orderedwait", "unorderedwaitwithretry", "orderedwaitwithretry"),
    "blocking": (
        "executequery",
        "executeupdate",
        "executebatch",
        "getresponsecode",
        "getforobject",
        "getforentity",
        "postforobject",
        "postforentity",
        "queryforobject",
        "queryforlist",
    ),
    "sink": ("addsink", "sinkto"),
    "state-backend": ("setstatebackend",),
    "former-retention": ("enableexternalizedcheckpoints",),
    "former-tolerance": ("setfailoncheckpointingerrors",),
    "former-producer": ("flinkkafkaproducer", "flinkkafkaproducer011"),
}
"""Kind of a call -> its methods in lower case without underscores. Source: Flink documentation, DataStream API,
Asynchronous I/O, Checkpointing and Kafka (the names of former versions);
java.sql.Statement, HttpURLConnection, Spring's RestTemplate and JdbcTemplate."""
STATE_REMOVALS = frozenset(["clear", "remove", "enabletimetolive"])
"""Methods by which entries of a state go. Source: Flink documentation, Working with State. Lists and maps have
them too: where none is called, no entry goes."""
TRAP = "statement-trap"
"""Kind of a row with a trap of SQL or of a pipeline, whose name is that of `trap_name`."""
WITHOUT_IDLENESS = "watermark-without-idleness"
"""Kind of what assigns watermarks in a source that does not let idle inputs pass."""
OF_METHOD: Mapping[str, str] = {method: kind for kind, methods in KINDS.items() for method in methods}


def state_removals(plain: str) -> Iterator[Call]:
    """The calls that may remove entries of a state."""
    return calls(plain, lambda name: name.replace("_", "").lower() in STATE_REMOVALS)


def known_calls(plain: str) -> Iterator[tuple[str, Call]]:
    """Kind and call of each known method, in the order of the text without its comments."""
    for call in calls(plain, lambda name: name.replace("_", "").lower() in OF_METHOD):
        yield OF_METHOD[call.name.replace("_", "").lower()], call


def trap_name(trap: str, shown: str) -> str:
    """The name of a row with a trap: its id, and the words of the source that show it."""
    return f"{trap} {shown}"


def trap_of(name: str) -> tuple[str, str]:
    """The id and the words of such a name."""
    trap, _, shown = name.partition(" ")
    return trap, shown
