"""The settings in effect for each job, parsed into values with units and cited with the line that states them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import config_options, loaded_backends
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue, only_one
from diagnostics.notation.flink_values import DISABLED, duration_ms, is_never, number, size_bytes, truth
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.configuration.computed_sizes import without_computed_sizes
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import load_timelines


def _word(text: str | None) -> str | None:
    stripped = (text or "").strip()
    return stripped or None


def _backend(text: str | None) -> str | None:
    """`rocksdb`, `forst` or `hashmap`, from an option's value or from a class name."""
    lowered = (text or "").lower()
    for name in ("rocksdb", "forst"):
        if name in lowered:
            return name
    heap = ("hashmap", "fsstatebackend", "memorystatebackend", "filesystem", "jobmanager")
    return "hashmap" if any(name in lowered for name in heap) else _word(text)


def _storage(text: str | None) -> str | None:
    """`jobmanager` or `filesystem`; before Flink 1.13 the state backend determined the checkpoint storage."""
    lowered = (text or "").lower()
    if "jobmanager" in lowered or "memorystatebackend" in lowered:
        return "jobmanager"
    return "filesystem" if "filesystem" in lowered or "fsstatebackend" in lowered else None


def states_no_checkpoints(text: str | None) -> bool:
    """Whether a value of the interval says that none is taken, as Flink's answers have it."""
    return text == DISABLED or is_never(text)


def _off(text: str | None) -> bool | None:
    return states_no_checkpoints(text) or None


def _mode(text: str | None) -> str | None:
    return (text or "").strip().upper().replace("-", "_") or None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as a fact: the option keys that state it, the newest first, and how its text is parsed.

    default  Flink's default, used when a complete configuration does not mention the option; None when it differs
             between versions
    """

    fact: str
    meaning: str
    read: Callable[[str | None], FactValue]
    keys: tuple[str, ...]
    default: FactValue = None


CHECKPOINTING = "execution.checkpointing."
ROCKSDB = "state.backend.rocksdb."
SETTINGS = (
    Setting("interval_ms", "checkpoint interval", duration_ms, (CHECKPOINTING + "interval",)),
    Setting(
        "checkpoints_off",
        "whether Flink answers that the job takes no checkpoints",
        _off,
        (CHECKPOINTING + "interval",),
    ),
    Setting("timeout_ms", "checkpoint timeout", duration_ms, (CHECKPOINTING + "timeout",), 600_000.0),
    Setting("min_pause_ms", "least pause between checkpoints", duration_ms, (CHECKPOINTING + "min-pause",), 0.0),
    Setting(
        "max_concurrent",
        "concurrent checkpoints that are allowed",
        number,
        (CHECKPOINTING + "max-concurrent-checkpoints",),
        1.0,
    ),
    Setting(
        "mode", "checkpointing mode; EXACTLY_ONCE or AT_LEAST_ONCE", _mode, (CHECKPOINTING + "mode",), "EXACTLY_ONCE"
    ),
    Setting(
        "incremental",
        "whether checkpoints are incremental",
        truth,
        (CHECKPOINTING + "incremental", "state.backend.incremental"),
        False,
    ),
    Setting(
        "unaligned",
        "whether checkpoints are unaligned",
        truth,
        (CHECKPOINTING + "unaligned.enabled", CHECKPOINTING + "unaligned"),
        False,
    ),
    Setting(
        "aligned_timeout_ms",
        "after which time an aligned checkpoint goes on unaligned",
        duration_ms,
        (CHECKPOINTING + "aligned-checkpoint-timeout", CHECKPOINTING + "alignment-timeout"),
    ),
    Setting(
        "task_off_heap_bytes",
        "off-heap memory that is reserved for the tasks' code",
        size_bytes,
        ("taskmanager.memory.task.off-heap.size",),
    ),
    Setting(
        "tolerable_failed",
        "number of failed checkpoints that are tolerated",
        number,
        (CHECKPOINTING + "tolerable-failed-checkpoints",),
    ),
    Setting(
        "retention",
        "checkpoint retention after a cancel",
        _mode,
        (CHECKPOINTING + "externalized-checkpoint-retention",),
    ),
    Setting(
        "checkpoint_dir",
        "checkpoint directory",
        _word,
        (CHECKPOINTING + "dir", "state.checkpoints.dir", "state.backend.fs.checkpointdir"),
    ),
    Setting(
        "savepoint_dir",
        "default savepoint directory",
        _word,
        (CHECKPOINTING + "savepoint-dir", "state.savepoints.dir", "savepoints.state.backend.fs.dir"),
    ),
    Setting(
        "storage",
        "checkpoint storage; jobmanager or filesystem",
        _storage,
        (CHECKPOINTING + "storage", "state.checkpoint-storage", "state.backend.type", "state.backend"),
    ),
    Setting(
        "state_backend", "state backend; rocksdb, forst or hashmap", _backend, ("state.backend.type", "state.backend")
    ),
    Setting(
        "changelog",
        "whether the changelog is on",
        truth,
        ("state.changelog.enabled", "state.backend.changelog.enabled"),
    ),
    Setting(
        "transfer_threads", "threads that upload RocksDB files", number, (ROCKSDB + "checkpoint.transfer.thread.num",)
    ),
    Setting("rocksdb_threads", "flush and compaction threads of RocksDB", number, (ROCKSDB + "thread.num",)),
    Setting("rocksdb_dir", "local directory of RocksDB", _word, (ROCKSDB + "localdir", ROCKSDB + "checkpointdir")),
    Setting(
        "debloating",
        "whether buffers are debloated",
        truth,
        ("taskmanager.network.memory.buffer-debloat.enabled",),
        False,
    ),
    Setting("slots", "slots of a TaskManager", number, ("taskmanager.numberOfTaskSlots",), 1.0),
    Setting("default_parallelism", "default parallelism", number, ("parallelism.default",), 1.0),
    Setting("process_bytes", "memory of a TaskManager process", size_bytes, ("taskmanager.memory.process.size",)),
    Setting("flink_bytes", "Flink memory of a TaskManager", size_bytes, ("taskmanager.memory.flink.size",)),
    Setting("task_heap_bytes", "task heap", size_bytes, ("taskmanager.memory.task.heap.size",)),
    Setting(
        "managed_bytes",
        "size of managed memory",
        size_bytes,
        ("taskmanager.memory.managed.size", "taskmanager.memory.size"),
    ),
    Setting("managed_fraction", "managed memory, share", number, ("taskmanager.memory.managed.fraction",), 0.4),
    Setting(
        "network_min_bytes",
        "least network memory",
        size_bytes,
        ("taskmanager.memory.network.min", "taskmanager.network.memory.min"),
    ),
    Setting(
        "network_max_bytes",
        "largest network memory",
        size_bytes,
        ("taskmanager.memory.network.max", "taskmanager.network.memory.max"),
    ),
    Setting(
        "network_fraction",
        "network memory, share",
        number,
        ("taskmanager.memory.network.fraction", "taskmanager.network.memory.fraction"),
    ),
    Setting("max_parallelism", "most parallelism that the key groups allow", number, ("pipeline.max-parallelism",)),
    Setting(
        "watermark_interval_ms", "interval of periodic watermarks", duration_ms, ("pipeline.auto-watermark-interval",)
    ),
    Setting("state_ttl_ms", "time to live of the state of SQL operators", duration_ms, ("table.exec.state.ttl",)),
    Setting("rpc_address", "where TaskManagers look for the JobManager", _word, ("jobmanager.rpc.address",)),
    Setting("bind_host", "address that the JobManager listens at", _word, ("jobmanager.bind-host",)),
    Setting("heartbeat_interval_ms", "heartbeat interval", duration_ms, ("heartbeat.interval",), 10_000.0),
    Setting("heartbeat_timeout_ms", "heartbeat timeout", duration_ms, ("heartbeat.timeout",), 50_000.0),
    Setting("restart_strategy", "restart strategy", _word, ("restart-strategy.type", "restart-strategy")),
    Setting("restart_attempts", "attempts of the restart strategy", number, ("restart-strategy.fixed-delay.attempts",)),
    Setting("ha_type", "high availability", _word, ("high-availability.type", "high-availability", "recovery.mode")),
    Setting(
        "ha_storage",
        "where metadata for high availability lies",
        _word,
        ("high-availability.storageDir", "high-availability.zookeeper.storageDir"),
    ),
    Setting("object_reuse", "whether records are handed on without a copy", truth, ("pipeline.object-reuse",)),
    Setting("flink_version", "Flink's version from the REST API", _word, ("flink.version",)),
    Setting("flame_graphs", "whether flame graphs are on", truth, ("rest.flamegraph.enabled",), False),
)
"""Names and defaults: Flink documentation, Configuration."""

WHOLE_CONFIGURATION = ("jobmanager.rpc.address", "jobmanager.memory.process.size", "taskmanager.numberOfTaskSlots")
"""A file with one of these options is a complete configuration: options that it does not mention have their default."""

TELLING = frozenset(key for setting in SETTINGS for key in setting.keys) - {*WHOLE_CONFIGURATION, "flink.version"}
"""At least one of these options must be stated for settings to be reported."""


@dataclass(frozen=True, slots=True)
class Stated:
    """One option with its value in one file.

    process  jobmanager, taskmanager or client, when a log states it
    """

    scope: str
    job_id: str | None
    key: str
    value: str | None
    citation: Citation
    process: str | None = None


@read_once
def stated_options(evidence: Evidence) -> tuple[Stated, ...]:
    """The stated options of clusters, jobs and programs, the latest first, computed once for each Evidence.

    Reads   config_option.
    """
    rows = without_computed_sizes(named_rows(evidence.answer(config_options.AGGREGATOR)))
    options = tuple(
        Stated(
            row.scope or "cluster",
            row.job_id,
            row.key,
            row.value,
            Citation.of(row, "config", _text(row.key, row.value), name=row.key, value=row.value),
            row.process,
        )
        for row in sorted(rows, key=lambda row: (-(row.ts_ms or 0), row.file_id, row.line or 0, row.key))
    )
    return (*options, *_loaded_backend(evidence))


BACKEND_KEYS = ("state.backend.type", "state.backend")
LOADED = "log"
"""Scope of the state backend that a log shows to be loaded, whatever files state."""


def _loaded_backend(evidence: Evidence) -> Iterator[Stated]:
    """The state backend that the logs show to be loaded, if all of them name one."""
    rows = evidence.answer(loaded_backends.AGGREGATOR).to_pylist()
    known: list[tuple[str, Mapping[str, Any]]] = []
    for row in rows:
        name = "hashmap" if row["event"] in loaded_backends.HEAP_EVENTS else _backend(row["message"])
        if name in ("rocksdb", "forst", "hashmap"):
            known.append((name, row))
    if name := only_one({name for name, _ in known}):
        row = known[-1][1]
        citation = Citation.cite_row(row, "config", row["message"], name=BACKEND_KEYS[0], value=name)
        yield Stated(LOADED, None, BACKEND_KEYS[0], name, citation)


def unused_backend(options: Iterable[Stated]) -> str | None:
    """The option of a state backend that files state while a log shows another one to be loaded; None without one."""
    stated = [each for each in options if each.key in BACKEND_KEYS and each.value]
    loaded = next((each.value for each in stated if each.scope == LOADED), None)
    other = next((each for each in stated if each.scope != LOADED), None)
    if loaded is None or other is None or _backend(other.value) == loaded:
        return None
    return f"{other.key}: {other.value}"


def _text(key: str, value: str | None) -> str:
    """The option with its value; the class that REST names instead follows in brackets."""
    read = {"state.backend.type": _backend, "execution.checkpointing.storage": _storage}.get(key)
    is_class = read is not None and value is not None and value[:1].isupper()
    return f"{key}: {read(value)} ({value})" if read and is_class else f"{key}: {value}"


RANKS: Mapping[str, int] = {"job": 0, LOADED: 1, "program": 2, "session": 3, "cluster": 4}
"""Precedence of scopes: the job's REST answer, what its log shows to be loaded, the code of the program, its SQL
session, the files of the cluster.
"""


def options_of_one_program(options: Iterable[Stated]) -> Iterable[Stated]:
    """The options, without those of programs when there are several: which program belongs to a job is not known."""
    listed = list(options)
    sources = {each.citation.file_id for each in listed if each.scope in ("program", "session")}
    return listed if len(sources) < 2 else [each for each in listed if each.scope not in ("program", "session")]


def settings_of(options: Iterable[Stated], job_id: str | None) -> tuple[dict[str, FactValue], dict[str, Citation]]:
    """The settings of one job as facts, and the citation of each; RANKS decides between scopes.

    job_id  None for the settings of all jobs
    """
    by_key: dict[str, list[Stated]] = defaultdict(list)
    for option in options_of_one_program(options):
        if option.job_id is None or option.job_id == job_id or job_id is None:
            by_key[option.key].append(option)
    facts: dict[str, FactValue] = {}
    citations: dict[str, Citation] = {}
    for setting in SETTINGS:
        stated = [each for key in setting.keys for each in by_key.get(key, ())]
        for option in sorted(stated, key=lambda each: RANKS.get(each.scope, len(RANKS))):
            value = setting.read(option.value)
            if value is not None:
                facts[setting.fact] = value
                citations[setting.fact] = option.citation
                break
    if any(each.scope == "cluster" for key in WHOLE_CONFIGURATION for each in by_key.get(key, ())):
        facts |= _defaults(facts)
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in facts.items()
    }, citations


def _defaults(facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """The settings that a complete configuration leaves at their default; the fact `defaults` lists them."""
    left = {each.fact: each.default for each in SETTINGS if each.fact not in facts and each.default is not None}
    return {**left, "defaults": sorted(left)} if left else {}


def jobs_of(evidence: Evidence) -> list[str | None]:
    """The ids of all jobs in the evidence; [None] when no file names a job."""
    known = {*cluster_of(evidence).job_names, *checkpoint_histories(evidence), *load_timelines(evidence)}
    known |= {each.job_id for each in stated_options(evidence)}
    return [*sorted(job_id for job_id in known if job_id)] or [None]
