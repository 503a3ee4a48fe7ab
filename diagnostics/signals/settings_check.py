"""Errors in the stated options: names and values that Flink does not know, and contradicting pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_high

from diagnostics.arithmetic.quantiles import FEWEST_FOR_P95, known, middle, ratio
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.notation.flink_values import duration_ms, number
from diagnostics.reconstruction.checkpoints import interval
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.timeout import lasted_ms
from diagnostics.reconstruction.configuration.stated_settings import (
    TELLING,
    Stated,
    jobs_of,
    settings_of,
    stated_options,
)
from diagnostics.reconstruction.failures.fault import faults_in
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.missing_plugins import missing_plugins
from diagnostics.reconstruction.job.cluster import LOOPBACK, cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.setting_faults import setting_fault_of
from diagnostics.vocabulary.settings import (
    KnownSetting,
    Version,
    near_miss,
    setting_catalogue,
    version_of,
    wrong_value,
)

VERSION = re.compile(r"\(Version: (\d{1,3}\.\d{1,3})")
"""Source: the start-up banner of Flink's processes."""
MOST_LISTED = 8
"""Options that one fact lists. Our choice: keeps a sentence readable."""
MOST_TEXT = 300
CHECKED_SCOPES = ("cluster", "program", "session", "table")
"""Scopes that people write; REST's answers about a job are Flink's own interpretation of them."""
SCOPES_OF_A_VERSION = ("cluster", "session")
"""Scopes whose option names depend on Flink's version; a call of the API counts under the newest name."""
FLUSH_ROWS, FLUSH_INTERVAL = "sink.buffer-flush.max-rows", "sink.buffer-flush.interval"
STRATEGY_KEY = "restart-strategy"
LEAST_PAUSE_MS = 1_000.0
"""Lower limit of a proposal. Our choice: a second lets a job process data between two checkpoints."""
SLOW_MS, USUAL = 10_000.0, 0.5
"""A checkpoint of this duration is slow for a reason of its own, whatever the interval, where the usual one takes less
than this part of the interval. Our choice, as in the rule of a short interval.
"""


@dataclass(frozen=True, slots=True)
class Remark:
    """One error in one option."""

    kind: str
    text: str
    citation: Citation


def measure(evidence: Evidence) -> Measured:
    """Options of each job, checked against the catalogue and against each other.

    Reads   config_option, checkpoint, log_record (Flink's version, refused options), metric_sample (durations).
    Gives   one signal per job, with proposals that fit its measured values.
    Units   milliseconds; ratios of two options or of a duration to an option.
    Empty   NotMeasured when no file states a relevant option.
    """
    options, log = stated_options(evidence), incident_log(evidence)
    refusals, missing = log.of("refused_setting"), missing_plugins(log)
    if not refusals and not missing and not any(each.key in TELLING for each in options):
        yield NotMeasured("settings_check", "configuration", "no file states Flink's options")
        return
    remarks = tuple(each for each in _remarks(options, _only_version(options, log)) if not _is_in_effect(each, log))
    histories = checkpoint_histories(evidence)
    failing = {each.job_id for each in faults_in(evidence) if setting_fault_of(f"{each.exception}: {each.message}")}
    for job_id in jobs_of(evidence):
        facts, citations = settings_of(options, job_id)
        history = histories.get(job_id) or History(job_id)
        checks = (
            _listed(remarks)
            | _names(_version(options, log))
            | _pairs(facts)
            | _against(facts, history, interval.completed_durations_ms(evidence, history))
        )
        checks |= _waiting_rows(options)
        checks["hosts"] = len(cluster_of(evidence).machines) or None
        checks |= {"refused": log.count("refused_setting"), "refused_text": _refusal(refusals)}
        checks |= {"missing_plugins": len(missing), "missing_plugin_text": _refusal(missing)}
        checks["fails_job"] = job_id in failing or None in failing
        yield Signal(
            "settings_check",
            Subject(job=job_id),
            known_facts(checks),
            (
                *(event.cite(event.root_cause_message) for event in (*refusals[:2], *missing[:2])),
                *(each.citation for each in remarks[:MOST_LISTED]),
                *(citations[name] for name in PAIRED if name in citations),
            ),
            citation_count=len(remarks) + len(citations),
        )


def _refusal(refusals: Sequence[LogEvent]) -> str | None:
    """Flink's message about the first option that it refused."""
    texts = [event.root_cause_message or event.exception_message for event in refusals]
    return next((text.strip()[:MOST_TEXT] for text in texts if text), None)


def _version(options: Iterable[Stated], log: IncidentLog) -> Version | None:
    stated = next((each.value for each in options if each.key == "flink.version"), None)
    banner = next((hit[1] for event in log.of("version") if (hit := VERSION.search(event.message))), None)
    return version_of(stated or banner)


def _only_version(options: Iterable[Stated], log: IncidentLog) -> Version | None:
    """The version where all files agree on it: of two, as before and after an upgrade, either may read an option."""
    stated = {each.value for each in options if each.key == "flink.version"}
    banners = {hit[1] for event in log.of("version") if (hit := VERSION.search(event.message))}
    return only_one({version for text in stated | banners if (version := version_of(text)) is not None})


def _remarks(options: Sequence[Stated], version: Version | None) -> Iterator[Remark]:
    """Errors without duplicates, even when several files state the same option."""
    seen: set[tuple[str, str]] = set()
    for each in options:
        if each.scope not in CHECKED_SCOPES:
            continue
        for remark in _remarks_on_option(each, version):
            if (remark.kind, remark.text) not in seen:
                seen.add((remark.kind, remark.text))
                yield remark


def _is_in_effect(remark: Remark, log: IncidentLog) -> bool:
    """Whether the log shows that Flink reads an option that was reported as without effect: it names the key as one
    that it uses, or the restart strategy in use is the stated one.
    """
    key, stated = str(remark.citation.name or ""), str(remark.citation.value or "")
    if remark.kind != "without_effect":
        return False
    if any(f"configuration key '{key}'" in event.message for event in log.of("read_setting")):
        return True
    if not key.startswith(STRATEGY_KEY):
        return False
    named = (stated if key in (STRATEGY_KEY, f"{STRATEGY_KEY}.type") else key.split(".")[1]).replace("-", "").lower()
    used = [event.message.replace("-", "").lower() for event in log.of("strategy")]
    return bool(named) and any(named in message for message in used)


def _remarks_on_option(stated: Stated, version: Version | None) -> Iterator[Remark]:
    option = setting_catalogue().find(stated.key)
    if option is None:
        meant = near_miss(stated.key)
        if meant:
            yield Remark("misspelt", f"{stated.key} (probably {meant})", stated.citation)
        return
    expected = wrong_value(option, stated.value)
    if expected:
        yield Remark("wrong", f"{stated.key}: {stated.value} (allowed: {expected})", stated.citation)
    yield from _by_version(stated, option, version)


def _by_version(stated: Stated, option: KnownSetting, version: Version | None) -> Iterator[Remark]:
    if version is None or stated.scope not in SCOPES_OF_A_VERSION:
        return
    if stated.key != option.key:
        former = next(each for each in option.former if each.name == stated.key)
        if former.until is not None and version > former.until:
            yield Remark("without_effect", f"{stated.key} (now {option.key})", stated.citation)
        elif option.since is not None and version >= option.since:
            yield Remark("renamed", f"{stated.key} (now {option.key})", stated.citation)
    elif option.until is not None and version > option.until:
        yield Remark("without_effect", f"{stated.key} (until Flink {_shown(option.until)})", stated.citation)
    elif option.since is not None and version < option.since:
        in_use = setting_catalogue().name_in(option.key, version)
        text = (
            f"in Flink {_shown(version)}: {in_use}" if in_use != option.key else f"since Flink {_shown(option.since)}"
        )
        yield Remark("without_effect", f"{stated.key} ({text})", stated.citation)


def _shown(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _listed(remarks: Sequence[Remark]) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {}
    for kind in ("misspelt", "wrong", "without_effect", "renamed"):
        found = [each.text for each in remarks if each.kind == kind]
        facts[f"{kind}_count"] = len(found)
        facts[kind] = list(found[:MOST_LISTED]) or None
    return facts


SINCE_STORAGE: Version = (1, 13)
"""Before this version the state backend determined where checkpoints are stored."""


def _names(version: Version | None) -> dict[str, FactValue]:
    """Option names of the version for checkpoints in a file system."""
    catalogue = setting_catalogue()
    storage = catalogue.name_in("execution.checkpointing.storage", version)
    if version is not None and version < SINCE_STORAGE:
        storage = "state.backend"
    return {
        "storage_key": storage,
        "directory_key": catalogue.name_in("execution.checkpointing.dir", version),
        "unaligned_key": catalogue.name_in("execution.checkpointing.unaligned.enabled", version),
        "restart_key": catalogue.name_in("restart-strategy.type", version),
    }


PAIRED = (
    "storage",
    "interval_ms",
    "timeout_ms",
    "min_pause_ms",
    "max_concurrent",
    "mode",
    "retention",
    "tolerable_failed",
    "unaligned",
    "heartbeat_interval_ms",
    "heartbeat_timeout_ms",
    "default_parallelism",
    "max_parallelism",
    "checkpoint_dir",
    "restart_strategy",
    "ha_type",
    "bind_host",
)
"""Settings that the facts of this signal compare."""


def _number(value: FactValue) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _pairs(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    interval, heartbeat = _number(facts.get("interval_ms")), _number(facts.get("heartbeat_interval_ms"))
    return {
        "per_hour": 3_600_000 / interval if interval else None,
        "min_pause_to_interval_ratio": ratio(_number(facts.get("min_pause_ms")), interval),
        "timeout_to_interval_ratio": ratio(_number(facts.get("timeout_ms")), interval),
        "heartbeat_ratio": ratio(_number(facts.get("heartbeat_timeout_ms")), heartbeat),
        "parallelism_ratio": ratio(_number(facts.get("default_parallelism")), _number(facts.get("max_parallelism"))),
        "ha_without_storage": _needs_storage(facts),
        **_memory(facts),
        "local_directory": _is_local(facts.get("checkpoint_dir")),
        "bound_to_itself": _is_bound_to_itself(facts),
    }


def _memory(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """Parts of a TaskManager's memory against the whole, and the bounds of its network memory."""
    names = ("task_heap_bytes", "managed_bytes", "network_min_bytes")
    parts = known(_number(facts.get(name)) for name in names)
    whole = min(known(_number(facts.get(name)) for name in ("process_bytes", "flink_bytes")), default=None)
    return {
        "memory_parts_bytes": sum(parts) if parts else None,
        "memory_whole_bytes": whole,
        "memory_parts_ratio": ratio(sum(parts), whole) if parts else None,
        "network_bounds_ratio": ratio(_number(facts.get("network_min_bytes")), _number(facts.get("network_max_bytes"))),
    }


def _is_bound_to_itself(facts: Mapping[str, FactValue]) -> bool | None:
    """Whether the JobManager listens on loopback only although its address is a network address."""
    bound, address = facts.get("bind_host"), facts.get("rpc_address")
    if not isinstance(bound, str) or not isinstance(address, str):
        return None
    return bound.startswith(LOOPBACK) and not address.startswith(LOOPBACK)


def _waiting_rows(options: Sequence[Stated]) -> dict[str, FactValue]:
    """Rows buffered by a sink whose time-based flush is off; only tables with both options in one file."""
    never = {
        each.citation.file_id
        for each in options
        if each.scope == "table" and each.key == FLUSH_INTERVAL and duration_ms(each.value) == 0
    }
    rows = known(
        number(each.value)
        for each in options
        if each.scope == "table" and each.key == FLUSH_ROWS and each.citation.file_id in never
    )
    return {"unflushed_rows": max(rows)} if rows else {}


def _needs_storage(facts: Mapping[str, FactValue]) -> bool | None:
    """Whether high availability is on and a complete configuration has no directory for its metadata."""
    if "defaults" not in facts or not isinstance(facts.get("ha_type"), str):
        return None
    return str(facts["ha_type"]).lower() != "none" and "ha_storage" not in facts


def _is_local(directory: FactValue) -> bool | None:
    """Whether checkpoints go to a local path."""
    if not isinstance(directory, str):
        return None
    return directory.startswith(("file:", "/"))


def _against(facts: Mapping[str, FactValue], history: History, durations: Sequence[float]) -> dict[str, FactValue]:
    """Durations of checkpoints compared with interval and timeout, and values that would fit. One that expired took
    at least its timeout; values are proposed by those that completed.
    """
    longest = max(durations, default=None)
    long = interval.long_duration_ms(durations)
    timeout = _number(facts.get("timeout_ms"))
    lasted = known(lasted_ms(each, timeout) for each in history.select_statuses("completed", "expired"))
    expired = history.select_statuses("expired")
    of_all = median_high(lasted) if lasted and expired else None
    most_expired = of_all is not None and timeout is not None and of_all >= timeout
    usual = of_all if most_expired else middle(durations)
    usual_to_interval = ratio(usual, _number(facts.get("interval_ms")))
    return {
        "completed": len(durations),
        "usual_duration_ms": usual,
        "usual_of_expired": _is_of_expired(usual, timeout, has_expired=bool(expired)),
        "long_duration_ms": long if len(durations) >= FEWEST_FOR_P95 else None,
        "few_completed": len(durations) if 0 < len(durations) < FEWEST_FOR_P95 else None,
        "longest_duration_ms": longest,
        "long_to_interval_ratio": ratio(long, _number(facts.get("interval_ms"))),
        "usual_to_interval_ratio": usual_to_interval,
        "only_single_slow": (
            longest >= SLOW_MS and usual_to_interval < USUAL if longest and usual_to_interval is not None else None
        ),
        "longest_to_timeout_ratio": ratio(max(lasted, default=None), timeout),
        "proposed_interval_ms": interval.fitting_interval_ms(durations),
        "proposed_min_pause_ms": max(LEAST_PAUSE_MS, interval.rounded_up((longest or 0.0) / 2, LEAST_PAUSE_MS)),
    }


def _is_of_expired(usual_ms: float | None, timeout_ms: float | None, *, has_expired: bool) -> bool | None:
    """Whether an expired checkpoint has the usual duration; None where that or the timeout is not known."""
    if usual_ms is None or (has_expired and not timeout_ms):
        return None
    return has_expired and timeout_ms is not None and usual_ms >= timeout_ms


FACTS = {
    "misspelt": "options that Flink does not know and that are nearly named like one it knows",
    "misspelt_count": "number of misspelt options",
    "wrong": "options whose value Flink refuses, with what it allows",
    "wrong_count": "number of options with a wrong value",
    "without_effect": "options that this version of Flink does not read",
    "without_effect_count": "number of options without effect",
    "renamed": "options stated under a former name that is still read",
    "renamed_count": "how many",
    "refused": "log records in which Flink refuses its configuration",
    "missing_plugins": "records that report a missing connector, format or file system",
    "missing_plugin_text": "message of the first missing plugin",
    "fails_job": "whether a task or the job fails with an exception that a setting causes",
    "refused_text": "message of the first refused configuration",
    "ha_without_storage": "whether high availability is on and no directory for its metadata is stated",
    "storage_key": "name of the option for checkpoint storage in this version",
    "directory_key": "what the option for the checkpoint directory is called",
    "unaligned_key": "what the option for unaligned checkpoints is called",
    "restart_key": "what the option for the restart strategy is called",
    "per_hour": "checkpoints in an hour by the interval",
    "min_pause_to_interval_ratio": "least pause between checkpoints over the checkpoint interval",
    "timeout_to_interval_ratio": "timeout as a multiple of the interval",
    "heartbeat_ratio": "heartbeat timeout as a multiple of the heartbeat interval",
    "parallelism_ratio": "default parallelism over the highest that is allowed",
    "memory_parts_bytes": "task heap, managed and least network memory as stated, in total",
    "memory_whole_bytes": "the smaller of process and Flink memory as stated",
    "memory_parts_ratio": "task heap, managed and least network memory over process or Flink memory, all as stated",
    "network_bounds_ratio": "least network memory over the most",
    "hosts": "hosts that TaskManagers run on",
    "local_directory": "whether checkpoints go to a directory of one machine",
    "bound_to_itself": "whether the JobManager listens at an address that other hosts cannot reach",
    "unflushed_rows": "rows that a sink gathers when no time makes it write them",
    "completed": "completed checkpoints whose duration is known",
    "usual_duration_ms": "median duration of the completed checkpoints; where half or more expired, that of the "
    "expired ones",
    "long_duration_ms": "their 95th percentile",
    "few_completed": "completed checkpoints, when they are too few for a 95th percentile",
    "longest_duration_ms": "longest duration of a completed checkpoint",
    "long_to_interval_ratio": "duration that at most one completed checkpoint in twenty exceeds, over the checkpoint "
    "interval",
    "usual_of_expired": "whether half or more of the checkpoints that completed or expired did expire",
    "usual_to_interval_ratio": "median checkpoint duration over the checkpoint interval",
    "longest_to_timeout_ratio": "longest duration of a checkpoint that completed or expired over the timeout",
    "only_single_slow": "whether single checkpoints take 10 s or more, and the median less than half of the interval",
    "proposed_interval_ms": "twice the duration that at most one checkpoint in twenty exceeds, in steps of five "
    "seconds, at least ten seconds",
    "proposed_min_pause_ms": "half of the longest duration (rules-of-thumb.csv conf.interval), at least a second",
}

SIGNALS = (SignalDefinition("settings_check", "job", FACTS, measure),)
