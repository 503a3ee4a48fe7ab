"""The memory area that ran out, from exceptions, messages of dying JVMs and container diagnostics."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from diagnostics.arithmetic.quantiles import shown_only
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.product_frame import innermost_frames
from diagnostics.reconstruction.configuration.container_memory import (
    container_memory_facts,
    old_memory_facts,
    stores_in_files,
)
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.failures.incident_log import Failure, LogEvent, incident_log
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.vocabulary.message_remedies import remedy_of

AREAS: Mapping[str, tuple[str, ...]] = {
    "heap": ("Java heap space", "GC overhead limit exceeded", "Requested array size exceeds VM limit"),
    "metaspace": ("Metaspace", "Compressed class space"),
    "direct": (
        "Direct buffer memory",
        "direct buffer memory",
        "enough direct buffer",
        "direct out-of-memory",
        "of direct memory (used",
        "OutOfDirectMemoryError",
    ),
    "threads": ("unable to create new native thread", "unable to create native thread"),
}
"""Memory area -> text of the OutOfMemoryError that names it. Source: Flink's own log statements, mem.oom.*."""
ERRORS = ("OutOfMemoryError", "OutOfDirectMemoryError")
"""The JVM's error, and that of Netty, which counts its direct memory itself."""
RESOURCES = {
    "heap": "heap",
    "metaspace": "metaspace",
    "direct": "direct memory",
    "threads": "threads",
    "container": "container memory",
    "unspecified": "memory",
}
JOBMANAGER_POD = re.compile(r"(?i)job-?manager")
"""In the name of a pod or container that was killed. Our choice: as deployments are usually named."""
APPLICATION_MASTER = re.compile(r"AM Container for |container_(?:e\d{1,6}_)?\d{1,20}_\d{1,9}_\d{1,6}_0{1,9}1\b")
"""YARN's container of the JobManager: the first of an attempt. Source: Hadoop's RMAppAttemptImpl and ContainerId."""
NAMED = re.compile(r"(?i)container_\w|task-?manager|\bpods?\b")
"""In a record that names the container or pod which was killed. Our choice: as YARN and Kubernetes print them."""
OF_VIRTUAL_MEMORY = ("beyond virtual memory", "'VIRTUAL' memory", "ode: -103", "tatus: -103", "tatus=-103", "ode:-103")
"""Texts of YARN when only the reserved addresses exceed the limit. Source: Hadoop's ContainersMonitorImpl."""
OF_PYTHON_WORKERS = ("Process died with exit code", "org.apache.beam.runners.fnexecution.")
"""Texts of the end of a Python worker, which is no container. Source: ProcessManager of Beam's Java SDK."""
NETWORK_POOL = ("org.apache.flink.core.memory.MemorySegmentFactory", "org.apache.flink.runtime.io.network.buffer.")
"""Beginnings of frames that allocate network buffers. Source: Flink's NetworkBufferPool."""
OF_TASK_MANAGERS = "taskmanager.memory."
"""How the options of the TaskManagers' memory begin."""
OF_NETWORK_POOL = "memory segments for NetworkBufferPool"
"""Text of the error that reports the failed allocation without its frames. Source: Flink's NetworkBufferPool."""
OF_BATCH_SHUFFLE = "batch shuffle read buffer"
"""Text of the error of the pool that reads sorted shuffle files. Source: Flink's BatchShuffleReadBufferPool."""
BATCH_SHUFFLE_POOL = "org.apache.flink.runtime.io.disk.BatchShuffleReadBufferPool."
"""Beginning of its frames: it allocates segments as the network's pool does."""
OF_NETTY = ("org.apache.flink.shaded.netty4.", "org.apache.flink.runtime.io.network.netty.")
"""Beginnings of frames of Flink's own network connections, which use the framework's direct memory."""
OF_TASKS = (" switched from ", "Decline checkpoint ", "Failed to trigger or complete checkpoint ")
"""Texts of the JobManager's records about errors of tasks. Source: Flink's own log statements (jm.ckpt.*)."""
IN_A_TASK = "org.apache.flink.runtime.taskmanager.Task."
"""Frame below every error of a task, whatever the JobManager's record about it says."""
OF_FILES = ("Failed to transfer file from TaskExecutor", "FlinkException: Could not upload file ")
"""Texts of the JobManager's records about files that a TaskManager could not send it, as its log for the web page.
Source: Flink's AbstractTaskManagerFileHandler and TaskExecutor.
"""
OF_COORDINATORS = (
    "Global failure triggered by OperatorCoordinator",
    "An Exception occurred while triggering the checkpoint",
    "Thread 'SourceCoordinator-",
    "Thread 'Checkpoint Timer'",
    "Thread 'jobmanager-io-",
    "Thread 'jobmanager-future-",
)
"""Texts of failures in the JobManager itself, wherever they are pasted. Source: OperatorCoordinatorHolder,
CheckpointFailureReason and SourceCoordinatorProvider of Flink 1.11 to 2.0; threads of CheckpointCoordinator and
JobManagerSharedServices.
"""
IN_MEMORY = ("org.apache.flink.runtime.state.memory.Mem",)
"""Beginnings of frames of checkpoints that are kept in the heap and sent to the JobManager. Source: Flink 1.8 to 2.0,
MemCheckpointStreamFactory and MemoryCheckpointOutputStream.
"""
OF_SNAPSHOTS = (
    "org.apache.flink.runtime.state.heap.HeapSnapshotStrategy",
    "org.apache.flink.runtime.state.heap.HeapSnapshotResources",
    "org.apache.flink.runtime.state.heap.HeapKeyedStateBackend.snapshot",
    "org.apache.flink.runtime.state.heap.HeapKeyedStateBackend$HeapSnapshotStrategy",
    "org.apache.flink.runtime.state.heap.AbstractStateTableSnapshot",
    "org.apache.flink.runtime.state.heap.CopyOnWriteStateTableSnapshot",
    "org.apache.flink.runtime.state.heap.CopyOnWriteStateMapSnapshot",
    "org.apache.flink.runtime.state.heap.CopyOnWriteStateMap.snapshotMapArrays",
    "org.apache.flink.runtime.state.heap.CopyOnWriteStateTable.stateSnapshot",
)
"""Beginnings of frames that copy or write keyed state of the heap for a checkpoint. Source: Flink 1.8 to 2.0."""
YARNS_OWN = "beyond physical memory"
"""Text of YARN when a container uses more than it may. Source: Hadoop's ContainersMonitorImpl."""
OPERATOR_POD = re.compile(r"(?i)operator|controller-?manager")
"""In the name of a pod of an operator of Kubernetes. Our choice: as their charts name it."""
SHOWN = 8
KILLED_CHARACTERS = 300
"""Characters kept of a message about a killed process. Our choice: YARN states the limit after two names of the
container.
"""

REASON_BEGIN = 40
"""Characters of a reason that its message is searched for. Our choice: more than a name that a message repeats."""


def measure(evidence: Evidence) -> Measured:
    """OutOfMemoryErrors by kind of memory, and processes killed for their memory.

    Reads   log_record (also `.out` files, which have no time stamps), failure, config_option (the heap's option).
    Gives   one signal of the case, also when nothing ran out; without Flink's own logs only when other files report it.
    Empty   NotMeasured without logs and exceptions.
    """
    if not (evidence.has("log_record") or evidence.has("failure")):
        yield NotMeasured("out_of_memory", "taskmanager-log", "no log and no exceptions were given")
        return
    log = incident_log(evidence)
    errors: list[LogEvent | Failure] = [*log.of("oom"), *(each for each in log.failures if _is_error(each))]
    of_jobmanager = [each for each in errors if _is_of_jobmanager(each)]
    by_area: dict[str, list[LogEvent | Failure]] = defaultdict(list)
    for error in errors:
        if error not in of_jobmanager:
            by_area[_area(error)].append(error)
    killed = [each for each in log.of("killed") if not any(text in _everything(each) for text in OF_PYTHON_WORKERS)]
    others = len(log.of("killed")) - len(killed)
    resource = max((area for area in AREAS if by_area[area]), key=lambda area: len(by_area[area]), default=None)
    facts: dict[str, FactValue] = {f"{area}_errors": len(by_area[area]) for area in (*AREAS, "unspecified")}
    facts |= {
        "errors": max(log.count("oom"), len(errors)),
        "files": len({error.file_id for error in errors}),
        "killed": log.count("killed") - others,
        **_killed_facts(killed),
        "direct_network_errors": sum(map(_is_of_network_pool, by_area["direct"])),
        "direct_batch_errors": sum(OF_BATCH_SHUFFLE in _everything(each) for each in by_area["direct"]),
        "direct_netty_errors": _netty_errors(by_area["direct"]),
        **_jobmanager_facts(of_jobmanager),
    }
    facts["resource"] = RESOURCES.get(resource or ("container" if killed else "unspecified"))
    stamps = [error.ts_ms for error in (*errors, *killed) if error.ts_ms is not None]
    if stamps:
        facts["first_ms"] = min(stamps)
    if errors:
        facts["first_text"] = _line(errors[0])
        facts["heap_remedy"] = next(filter(None, map(_remedy, by_area["heap"])), None)
    on_yarn = any(YARNS_OWN in _everything(each) for each in killed)
    facts |= old_memory_facts(stated_options(evidence), on_yarn)
    if errors:
        places = IN_MEMORY if stores_in_files(stated_options(evidence)) else (*IN_MEMORY, *OF_SNAPSHOTS)
        if snapshots := sum(_passed(places, each) for each in by_area["heap"]):
            facts |= {"snapshot_errors": snapshots, "heap_errors": len(by_area["heap"]) - snapshots}
        facts["heap_frame"] = next(filter(None, (each.user_frame for each in by_area["heap"])), None)
    if killed:
        facts["killed_text"] = " ".join(_whole_message(killed[0])[:KILLED_CHARACTERS].split())
        facts |= container_memory_facts(stated_options(evidence))
    yield Signal(
        key="out_of_memory",
        subject=Subject(),
        facts=shown_only(facts, evidence.has_logs() or evidence.has("failure")),
        citations=tuple(each.cite() for each in _leading_errors({"": of_jobmanager, **by_area}, killed)),
        citation_count=len(errors) + len(killed),
    )


def _killed_facts(killed: Sequence[LogEvent]) -> dict[str, FactValue]:
    """How many of them were JobManagers, and how many only exceeded YARN's limit of virtual memory."""
    of_virtual = [each for each in killed if any(text in _everything(each) for text in OF_VIRTUAL_MEMORY)]
    others = [each for each in killed if each not in of_virtual]
    masters = [each for each in others if _is_master(each)]
    # Beside a JobManager's end, a record without a name only repeats it.
    workers = [each for each in others if each not in masters and (not masters or NAMED.search(_everything(each)))]
    return {
        "killed_virtual": len(of_virtual),
        "killed_jobmanagers": len(masters),
        "killed_workers": len(workers),
        "killed_operators": sum(bool(OPERATOR_POD.search(each.message)) for each in workers),
    }


def _is_master(event: LogEvent) -> bool:
    return bool(JOBMANAGER_POD.search(event.message) or APPLICATION_MASTER.search(_everything(event)))


def _everything(event: LogEvent | Failure) -> str:
    """All its texts, with those of its causes."""
    return f"{event.texts}\n{event.causes or ''}"


def _is_of_network_pool(error: LogEvent | Failure) -> bool:
    if BATCH_SHUFFLE_POOL in (error.frames or ""):
        return False
    return _is_thrown_in(NETWORK_POOL, error) or OF_NETWORK_POOL in _everything(error)


def _netty_errors(errors: Sequence[LogEvent | Failure]) -> int:
    """Errors of direct memory in Flink's connections; none where another failed first, as then anybody fails next."""
    return sum(_is_thrown_in(OF_NETTY, each) for each in errors) if errors and _is_thrown_in(OF_NETTY, errors[0]) else 0


def _passed(places: tuple[str, ...], error: LogEvent | Failure) -> bool:
    """Whether one of the frames that asked for the memory, or that called these, begins so."""
    callers = tuple(each.name for each in innermost_frames(error.frames))
    return any(frame.startswith(places) for frame in (error.root_cause_frame, error.thrown_in, *callers) if frame)


def _is_thrown_in(places: tuple[str, ...], error: LogEvent | Failure) -> bool:
    return any(frame.startswith(places) for frame in (error.root_cause_frame, error.thrown_in) if frame)


def _remedy(error: LogEvent | Failure) -> str | None:
    """What is known to repair it by the code that asked for the memory."""
    frames = [frame for frame in (error.root_cause_frame, error.thrown_in) if frame]
    return remedy_of(_everything(error), frames)


def _whole_message(event: LogEvent) -> str:
    """The message with its reason, which may go on below it: YARN names the limit there."""
    begin = event.message.find(event.reason[:REASON_BEGIN]) if event.reason else -1
    return event.message if begin < 0 else event.message[:begin] + (event.reason or "")


def _is_of_jobmanager(event: LogEvent | Failure) -> bool:
    """Whether the JobManager itself ran out of memory; its log also reports the errors of tasks on TaskManagers."""
    if any(text in _everything(event) for text in OF_COORDINATORS):
        return True
    if isinstance(event, Failure):
        return False
    of_task = event.vertex is not None or event.task_manager is not None
    of_task = of_task or IN_A_TASK in (event.frames or "")
    of_task = of_task or any(text in f"{event.message}\n{event.causes or ''}" for text in OF_FILES)
    return event.process == "jobmanager" and not of_task and not any(text in event.message for text in OF_TASKS)


def _jobmanager_facts(errors: Sequence[LogEvent | Failure]) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {"jobmanager_errors": len(errors)}
    if errors:
        areas = [_area(each) for each in errors]
        facts["jobmanager_resource"] = RESOURCES[max(dict.fromkeys(areas), key=areas.count)]
        facts["jobmanager_text"] = _line(errors[0])
        # A repair by the TaskManagers' options, which the same message has on a TaskManager, changes nothing here.
        known = [each for each in map(_remedy, errors) if each and OF_TASK_MANAGERS not in each]
        facts["jobmanager_remedy"] = next(iter(known), None)
    return facts


def _is_error(failure: Failure) -> bool:
    classes = f"{failure.exception_class} {failure.root_cause_class} {failure.texts}"
    return any(name in classes for name in ERRORS)


def _area(error: LogEvent | Failure) -> str:
    for area, words in AREAS.items():
        if any(word in error.texts for word in words):
            return area
    return "unspecified"


def _line(error: LogEvent | Failure) -> str:
    """The line that names the error."""
    lines = [line for line in error.texts.splitlines() if any(name in line for name in ERRORS)]
    if lines:
        return lines[0].strip()[:200]
    return f"{error.root_cause_class or error.exception_class}: {error.root_cause_message or error.exception_message}"[
        :200
    ]


def _leading_errors(
    by_area: Mapping[str, Sequence[LogEvent | Failure]], killed: Sequence[LogEvent]
) -> list[LogEvent | Failure]:
    """The first error of each area and of each file, then the others."""
    first = [found[0] for found in by_area.values() if found]
    files = {error.file_id: error for found in by_area.values() for error in reversed(found)}
    rest = [error for found in by_area.values() for error in found]
    return list(dict.fromkeys([*first, *killed[:2], *files.values(), *rest]))[:SHOWN]


SIGNALS = (
    SignalDefinition(
        key="out_of_memory",
        level="case",
        facts={
            "resource": "which memory ran out most often",
            "errors": "number of OutOfMemoryErrors in all processes",
            "heap_errors": "OutOfMemoryErrors of the Java heap, but for those while checkpoints were written",
            "metaspace_errors": "OutOfMemoryErrors of the metaspace, as for the heap",
            "direct_errors": "OutOfMemoryErrors of direct memory, as for the heap",
            "threads_errors": "OutOfMemoryErrors because no further thread could be created, as for the heap",
            "unspecified_errors": "OutOfMemoryErrors that do not name the memory, as for the heap",
            "jobmanager_errors": "OutOfMemoryErrors of the JobManager itself",
            "jobmanager_resource": "memory of the JobManager that ran out most often",
            "jobmanager_text": "the JobManager's first OutOfMemoryError, as printed",
            "jobmanager_remedy": "known repair of its errors, by the code that asked for the memory",
            "files": "files with OutOfMemoryErrors",
            "first_ms": "first OutOfMemoryError with a time, epoch ms",
            "first_text": "the first one, as printed",
            "heap_remedy": "known repair of an error of the heap, by the code that asked for the memory",
            "snapshot_errors": "OutOfMemoryErrors of the heap while checkpoints were written that are kept in memory",
            "heap_frame": "frame of the job's own code that asked for memory of the heap when there was none",
            "container_option": "option by which the process takes memory beyond Flink's memory model",
            "container_remedy": "remedy of an option by which the process takes memory beyond the model",
            "on_rocksdb": "whether the state lies in native memory, by RocksDB or ForSt, where a process was killed",
            "limit_bytes": "memory limit of the TaskManager's container, where its process needs more by its options",
            "needed_bytes": "memory that the TaskManager's process needs by its options, where the container has less",
            "needed_by": "option that states it",
            "killed": "processes killed for their memory (container limit, kernel)",
            "heap_option": "option of the TaskManager's heap before Flink 1.10 that a configuration states",
            "sized_by_heap": "whether the container is as large as the heap option of Flink before 1.10 asks",
            "cutoff_option": "stated part of the container that the heap leaves free before Flink 1.10",
            "killed_text": "first message about a killed process",
            "killed_jobmanagers": "killed JobManagers, by the name of their pod or by YARN's number of the container",
            "killed_workers": "killed processes that are no JobManagers, without those of YARN's virtual limit",
            "killed_operators": "killed pods of an operator of Kubernetes, by their name",
            "killed_virtual": "containers that YARN killed for their virtual memory alone",
            "direct_network_errors": "errors of direct memory while Flink allocated its network buffers",
            "direct_batch_errors": "errors of direct memory while Flink allocated buffers for sorted shuffle files",
            "direct_netty_errors": "errors of direct memory in Flink's own network connections, where the first is one",
        },
        measure=measure,
    ),
)
