"""Exactly-once delivery to Kafka: transaction failures in logs, and a check of each setting involved."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from diagnostics.aggregators import kafka_transaction_failures, kafka_transaction_records
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.notation.flink_values import number
from diagnostics.reconstruction.checkpoints.delivery import deliveries
from diagnostics.reconstruction.checkpoints.exactly_once_chain import (
    BROKER_DEFAULT_MS,
    SINK_DEFAULT_MS,
    asks_for_it,
    audit,
    client_options,
    has_kafka_consumer,
    prefix_of,
    reader_levels,
    readers_item,
    sources_item,
    stated_prefixes,
)
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.failures.incident_log import IncidentLog, incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import remedy_of

MOST_LISTED = 8

KINDS: Mapping[str, tuple[str, ...]] = {
    "too_large": ("transaction timeout is larger than the maximum value", "InvalidTxnTimeoutException"),
    "duplicate_prefix": ("Found duplicate transactionalIdPrefix",),
    "no_prefix": ("requires a transactionalIdPrefix to be set",),
    "downgraded": ("semantic, but checkpointing is not enabled",),
    "expired": ("has been open for longer than the transaction timeout",),
    "near_timeout": ("close to or even exceeding the transaction timeout",),
    "lost": ("encountered error and data has been potentially lost",),
    "recommit_fenced": (
        "because its producer is already fenced",
        "Presumably this transaction has been already committed before",
    ),
    "invalid_state": (
        "because it's in an invalid state",
        "InvalidTxnStateException",
        "attempted a transactional operation in an invalid state",
    ),
    "producer_forgotten": (
        "InvalidPidMappingException",
        "UnknownProducerIdException",
        "TransactionalIdNotFoundException",
        "producer attempted to use a producer id which is not currently assigned",
        "could not locate the producer metadata",
    ),
    "out_of_order": ("OutOfOrderSequenceException", "broker received an out of order sequence number"),
    "not_allowed": (
        "TransactionalIdAuthorizationException",
        "Transactional Id authorization failed",
        "Failed to get open transactions for topics",
    ),
    "pool_empty": ("Increase kafka producers pool size or decrease number of concurrent checkpoints",),
    "fenced": (
        "ProducerFencedException",
        "newer producer with the same transactionalId",
        "InvalidProducerEpochException",
        "with an old epoch",
        "with old epoch",
    ),
    "prefix_changed": ("Transactional id prefix from previous execution",),
    "open_found": ("open transactions for subtask",),
    "given_up": (
        "errors.TransactionAbortedException",
        "Failing batch since transaction was aborted",
        "Cannot execute transactional method because we are in an error state",
        "Invalid transition attempted from state",
    ),
}
"""Kind of failure -> texts that identify it; the first match counts. Source: Flink's own log statements (kafka.*,
2pc.*).
"""
OTHER_CLIENTS = ("org.apache.pulsar.", ".fluss.exception.", "Pulsar broker logs")
"""Packages of clients whose exceptions have the same names as Kafka's. Source: the clients of Pulsar and Fluss."""
OPEN = re.compile(r"has been open for (\d{1,15}) ms")
TIMEOUT = re.compile(r"transaction timeout (?:of |\()(\d{1,15})")
TRANSACTIONAL_ID = re.compile(r"transactionalId ?[=:] ?'?([^\s',}\]]{1,200})")


@dataclass(frozen=True, slots=True)
class Event:
    """A log record or REST answer about a transaction."""

    kind: str
    ts_ms: int | None
    job_id: str | None
    vertex: str | None
    text: str
    citation: Citation


def measure(evidence: Evidence) -> Measured:
    """Failures of Kafka transactions, and the check of the exactly-once settings, per job that seems to use them.

    Reads   log_record, failure, config_option (also what Kafka clients print at their start), the histories.
    Gives   one signal per such job; none without evidence of Kafka transactions.
    Empty   NotMeasured without logs, exceptions and options.
    """
    if not (evidence.has_logs() or evidence.has("failure") or evidence.has("config_option")):
        yield NotMeasured("kafka_transactions", "taskmanager-log", "no log, exceptions or options were given")
        return
    events = [*_records(evidence), *_answers(evidence)]
    jobs = sorted({each.job_id for each in events if each.job_id})
    known = list(cluster_of(evidence).job_names)
    only = jobs[0] if len(jobs) == 1 else known[0] if len(known) == 1 else None
    subjects: list[str | None] = [*jobs] or [only]
    prefixes = _prefixes_by_job(evidence, events)
    for job in subjects:
        of_job = [each for each in events if (each.job_id or only) == job]
        own = prefixes.get(job, set())
        foreign = {each for other, named in prefixes.items() if other not in (job, None) for each in named - own}
        client = client_options(evidence, job, foreign)
        uses = bool(of_job or client.get("transactional.id") or asks_for_it(client))
        if uses:
            yield _signal(evidence, job, of_job, client)


def _prefixes_by_job(evidence: Evidence, events: Sequence[Event]) -> Mapping[str | None, set[str]]:
    """Job -> the transactional id prefixes that certainly belong to it."""
    found: dict[str | None, set[str]] = defaultdict(set)
    found.update(stated_prefixes(evidence))
    for each in events:
        if hit := TRANSACTIONAL_ID.search(each.text):
            found[each.job_id].add(prefix_of(hit[1]))
    return found


def _kind(text: str) -> str | None:
    if any(each in text for each in OTHER_CLIENTS):
        return None
    return next((kind for kind, texts in KINDS.items() if any(each in text for each in texts)), None)


def _records(evidence: Evidence) -> Iterable[Event]:
    for row in named_rows(evidence.answer(kafka_transaction_records.AGGREGATOR)):
        text = f"{row.message}\n{row.causes or ''}"
        if kind := _kind(text):
            yield Event(kind, row.ts_ms, row.job_id, row.vertex, text, Citation.of(row, "log", _shown(text)))


def _answers(evidence: Evidence) -> Iterable[Event]:
    """Failures that only REST reports; those also in a log are left out."""
    if evidence.has("log_record"):
        return
    for row in named_rows(evidence.answer(kafka_transaction_failures.AGGREGATOR)):
        if kind := _kind(row.causes):
            yield Event(
                kind, row.ts_ms, row.job_id, row.vertex, row.causes, Citation.of(row, "rest", _shown(row.causes))
            )


def _shown(text: str) -> str:
    """The line of a record that states the failure."""
    told = next((line for line in text.split("\n") if _kind(line)), text)
    return told[:400]


def _signal(evidence: Evidence, job: str | None, events: Sequence[Event], client: Mapping[str, list[str]]) -> Signal:
    counts = Counter(each.kind for each in events)
    facts: dict[str, FactValue] = {kind: counts[kind] for kind in KINDS}
    settings, _ = settings_of(stated_options(evidence), job)
    history = checkpoint_histories(evidence).get(job, History(job))
    facts |= _before_fencing(events, history)
    facts |= _times(job, events, client, settings, history, incident_log(evidence))
    prefixes = _prefixes(events, client)
    ids = client.get("transactional.id", [])
    facts |= {"prefixes": prefixes[:MOST_LISTED] or None, "transactional_ids": len(ids) or None}
    facts["asks_exactly_once"] = asks_for_it(client) or None
    known = deliveries(evidence)
    jobs = cluster_of(evidence).job_names
    delivery = known.get(job or only_one(jobs)) or (known.get(None) if len(jobs) <= 1 else None)
    sources = sources_item(
        _task_names(evidence, job), delivery.sources if delivery else (), reads_kafka=has_kafka_consumer(evidence)
    )
    readers = reader_levels(evidence)
    items = list(audit(facts, client, settings, history, prefixes, sources, readers_item(readers)))
    facts |= {
        "audit": [item.sentence for item in items],
        "wrong": [item.name for item in items if item.state == "wrong"],
        "wrong_links": sum(item.state in ("wrong", "wrong by default") for item in items),
        "wrong_by_default": [item.name for item in items if item.state == "wrong by default"] or None,
        "not_visible": [item.name for item in items if item.state == "not visible"],
        "isolation_level": next(iter(client.get("isolation.level", ())), None),
        "readers": list(readers) or None,
        "readers_committed": all(level == "read_committed" for level in readers.values()) if readers else None,
    }
    serious = sorted(events, key=lambda each: (list(KINDS).index(each.kind), each.ts_ms or 0))
    if serious:
        facts |= {
            "first_text": serious[0].citation.text[:300],
            "remedy": remedy_of(serious[0].text),
            "first_ms": serious[0].ts_ms,
            "vertex": serious[0].vertex,
        }
    stamps = [each.ts_ms for each in events if each.ts_ms is not None]
    return Signal(
        "kafka_transactions",
        Subject(job=job),
        known_facts(facts),
        tuple(each.citation for each in serious[:MOST_LISTED]),
        citation_count=len(events),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _before_fencing(events: Sequence[Event], history: History) -> dict[str, FactValue]:
    """The checkpoints that expired between the last completed one and the first fencing: a transaction stays open until
    a checkpoint completes.
    """
    fenced_ms = min((each.ts_ms for each in events if each.kind == "fenced" and each.ts_ms is not None), default=None)
    if fenced_ms is None:
        return {}
    ended = [
        each
        for each in history.select_statuses("completed", "expired")
        if each.start_ms is not None and each.start_ms + (each.end_to_end_ms or 0.0) <= fenced_ms
    ]
    ended.sort(key=lambda each: each.start_ms or 0)
    good = max((place for place, each in enumerate(ended) if each.status == "completed"), default=-1)
    expired = ended[good + 1 :]
    facts: dict[str, FactValue] = {"expired_before": len(expired)}
    if expired:
        begun_ms = (ended[good] if good >= 0 else expired[0]).start_ms or 0
        facts |= {
            "expired_before_ids": [each.number for each in expired[-MOST_LISTED:]],
            "open_before_ms": fenced_ms - begun_ms,
        }
    return facts


def _times(
    job: str | None,
    events: Sequence[Event],
    client: Mapping[str, Sequence[str]],
    settings: Mapping[str, FactValue],
    history: History,
    log: IncidentLog,
) -> dict[str, FactValue]:
    """The transaction timeout, and the time that a transaction must be able to stay open."""
    said = [int(found[1]) for each in events if (found := TIMEOUT.search(each.text))]
    opened = [int(found[1]) for each in events if (found := OPEN.search(each.text))]
    stated = [value for text in client.get("transaction.timeout.ms", ()) if (value := number(text)) is not None]
    broker = [value for text in client.get("transaction.max.timeout.ms", ()) if (value := number(text)) is not None]
    timeout = next(iter([*stated, *said]), None)
    outage = _longest_outage(log, job)
    facts: dict[str, FactValue] = {
        "timeout_ms": timeout,
        "broker_max_ms": min(broker, default=None),
        "longest_open_ms": max(opened, default=None),
        "interval_ms": settings.get("interval_ms"),
        "longest_outage_ms": outage,
    }
    if timeout or client.get("transactional.id") or asks_for_it(client):
        asked, limit = timeout or SINK_DEFAULT_MS, min(broker, default=BROKER_DEFAULT_MS)
        facts |= {
            "asked_timeout_ms": asked,
            "timeout_assumed": timeout is None,
            "broker_limit_ms": limit,
            "broker_assumed": not broker,
            "timeout_accepted": bool(history.select_statuses("completed")),
            "timeout_to_broker_ratio": asked / limit if limit else None,
        }
        needed = _needed_ms(settings.get("interval_ms"), history, outage or 0)
        if needed is not None:
            facts |= {"needed_ms": needed, "timeout_to_need_ratio": asked / needed if needed else None}
    return facts


def _needed_ms(interval: FactValue, history: History, outage_ms: int) -> float | None:
    """The time for which a transaction may have to stay open.

    It is opened at a checkpoint and committed when the next one has completed: after an interval and two checkpoints,
    or, where checkpoints expire between, after the longest time without a completed one.
    """
    if isinstance(interval, bool) or not isinstance(interval, (int, float)):
        return None
    longest = max((each.end_to_end_ms or 0.0 for each in history.select_statuses("completed", "expired")), default=0.0)
    ends = sorted(each.ended_ms for each in history.select_statuses("completed") if each.ended_ms is not None)
    between = (
        max((after - before for before, after in pairwise(ends)), default=0)
        if history.select_statuses("expired")
        else 0
    )
    return max(float(interval) + 2 * longest + outage_ms, between + longest)


def _task_names(evidence: Evidence, job: str | None) -> list[str]:
    return [task.name for (job_id, _), task in cluster_of(evidence).tasks.items() if job in (job_id, None)]


def _longest_outage(log: IncidentLog, job: str | None) -> int | None:
    """Longest time in ms that the job (or any job, when `job` is None) was not running, from its state changes."""
    down: dict[str | None, int] = {}
    longest: int | None = None
    for event in log.of("job_state"):
        if event.ts_ms is None or (job is not None and event.job_id not in (job, None)):
            continue
        if event.state_to == "RUNNING":
            since = down.pop(event.job_id, None)
            if since is not None:
                longest = max(longest or 0, event.ts_ms - since)
        elif event.state_to in ("RESTARTING", "FAILING", "SUSPENDED"):
            down.setdefault(event.job_id, event.ts_ms)
    return longest


def _prefixes(events: Sequence[Event], client: Mapping[str, Sequence[str]]) -> list[str]:
    named = [found[1] for each in events if (found := TRANSACTIONAL_ID.search(each.text))]
    ids = [*client.get("transactional.id", ()), *named]
    return list(dict.fromkeys([*client.get("transactional.prefix", ()), *(prefix_of(each) for each in ids)]))


FACTS = {
    "too_large": "refusals because the transaction timeout is larger than the broker allows",
    "duplicate_prefix": "sinks of one job that share a transactional id prefix",
    "no_prefix": "sinks that were built without a transactional id prefix",
    "downgraded": "sinks that gave up exactly-once because checkpointing is off",
    "expired": "commits given up because the transaction was open for longer than its timeout",
    "near_timeout": "transactions open for nearly or more than their timeout",
    "lost": "transactions whose data has been potentially lost",
    "recommit_fenced": "commits of recovered transactions whose producer was fenced, expected in some cases",
    "invalid_state": "commits refused because the transaction was in an invalid state, mostly aborted by the broker",
    "producer_forgotten": "producers that the broker no longer knew",
    "out_of_order": "records with an unexpected sequence number",
    "not_allowed": "missing rights for transactional ids or for listing transactions",
    "fenced": "producers fenced by a newer one with the same transactional id, or by an expired transaction",
    "expired_before": "checkpoints that expired between the last completed one and the first fenced producer",
    "expired_before_ids": "the last of these checkpoints",
    "open_before_ms": "time from the last completed checkpoint before it, else the first that expired, until then, ms",
    "pool_empty": "checkpoints for which FlinkKafkaProducer had no producer left in its pool",
    "prefix_changed": "restores with another transactional id prefix than before",
    "open_found": "subtasks that found open transactions at their start",
    "given_up": "transactions that the producer gave up after an error of its own, its broker or its task",
    "timeout_ms": "transaction.timeout.ms in effect, ms",
    "broker_max_ms": "transaction.max.timeout.ms of the broker, the smallest if there are several, ms",
    "timeout_to_broker_ratio": "transaction timeout over the largest that the broker allows",
    "longest_open_ms": "longest time that a transaction is said to have been open, ms",
    "interval_ms": "checkpoint interval, ms",
    "longest_outage_ms": "longest time in which the job was not running, ms",
    "asked_timeout_ms": "transaction timeout that the sink asks for, as stated or Flink's default, ms",
    "timeout_assumed": "whether that is the default because no file states it",
    "broker_limit_ms": "largest transaction timeout of the broker, as stated or Kafka's default, ms",
    "broker_assumed": "whether that is the default because no file states it",
    "timeout_accepted": "whether the job completed checkpoints, so that the broker accepts its transactions",
    "needed_ms": "interval, twice the longest checkpoint (expired ones included) and the longest outage together, or "
    "the longest time without a completed checkpoint where one expired, ms",
    "timeout_to_need_ratio": "transaction timeout over the time that a transaction may have to stay open",
    "prefixes": "transactional id prefixes seen",
    "transactional_ids": "different transactional ids that producers stated",
    "asks_exactly_once": "whether the sink is configured for exactly-once delivery",
    "readers": "consumer groups beside the job's own whose properties were given",
    "readers_committed": "whether all of them read committed records only",
    "isolation_level": "isolation.level with which the job's own Kafka consumer reads",
    "audit": "each link of the exactly-once chain: ok, wrong or not visible",
    "wrong": "links of the exactly-once chain that are wrong",
    "wrong_links": "links of the chain that are wrong, or wrong where no file states a value",
    "wrong_by_default": "links that are wrong if the defaults of Flink and Kafka are in effect",
    "not_visible": "the links that these files do not show",
    "first_text": "the most significant message",
    "remedy": "repair of a failure with this message",
    "first_ms": "when it came, epoch ms",
    "vertex": "task that it names",
}

SIGNALS = (SignalDefinition("kafka_transactions", "job", FACTS, measure),)
