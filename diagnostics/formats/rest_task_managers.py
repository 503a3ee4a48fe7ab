"""Flink REST `/taskmanagers` and `/taskmanagers/<id>`: TaskManagers with slots, memory and network buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Key, Outline
from diagnostics.notation.rest_document import (
    RestDocument,
    fields,
    items,
    moment,
    number,
    rest_reader,
    rest_shape,
    small,
    text,
    whole,
)


def _fits(seen: Outline) -> bool:
    is_list = seen.has("taskmanagers/*", "id", "slotsNumber")
    is_empty_list = seen.keys.get("") == frozenset({"taskmanagers"}) and "taskmanagers/*" not in seen.keys
    return is_list or is_empty_list or seen.has("", "id", "slotsNumber")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    if "slotsNumber" in answer:
        rows = [_task_manager(document, answer)]
    else:
        listed = items(answer["taskmanagers"])
        rows = [_task_manager(document, each, "taskmanagers", place) for place, each in enumerate(listed)]
        if not listed:
            yield Rows("metric_sample", [_none_registered(document)])
            yield Coverage(records=1)
            return
    yield Rows("task_manager", rows)
    yield Rows("metric_sample", list(_collectors(document)))
    yield Coverage(records=len(rows))


def _none_registered(document: RestDocument) -> dict[str, Any]:
    """The number of registered TaskManagers, 0, from an empty list."""
    return {
        "ts_ms": document.snapshot_ms,
        "metric": "numRegisteredTaskManagers",
        "scope": "jobmanager",
        "value": 0.0,
        **document.at("taskmanagers"),
    }


def _collectors(document: RestDocument) -> Iterator[dict[str, Any]]:
    """The garbage collectors of one TaskManager, under the names of their metrics."""
    collectors = items(fields(document.value.get("metrics")).get("garbageCollectors"))
    for place, collector in enumerate(collectors):
        for name, what in (("count", "Count"), ("time", "Time")):
            yield {
                "ts_ms": document.snapshot_ms or moment(document.value.get("timeSinceLastHeartbeat")),
                "metric": f"Status.JVM.GarbageCollector.{text(collector['name'])}.{what}",
                "scope": "taskmanager",
                "task_manager": text(document.value["id"]),
                "value": number(collector.get(name)),
                **document.at("metrics", "garbageCollectors", place, name),
            }


def _task_manager(document: RestDocument, answer: Mapping[str, Any], *path: Key) -> dict[str, Any]:
    """The row of one TaskManager. Its time is the last heartbeat, up to one heartbeat interval (10 s) before the
    answer.
    """
    hardware, memory = fields(answer.get("hardware")), fields(answer.get("memoryConfiguration"))
    metrics = fields(answer.get("metrics"))
    return {
        "ts_ms": document.snapshot_ms or moment(answer.get("timeSinceLastHeartbeat")),
        "task_manager": text(answer["id"]),
        "host": _host(answer.get("path")),
        "slots": small(answer.get("slotsNumber")),
        "free_slots": small(answer.get("freeSlots")),
        "heap_used_bytes": number(metrics.get("heapUsed")),
        "heap_max_bytes": number(metrics.get("heapMax", hardware.get("freeMemory"))),
        "direct_used_bytes": number(metrics.get("directUsed")),
        "metaspace_max_bytes": number(memory.get("jvmMetaspace")),
        "managed_bytes": number(hardware.get("managedMemory", memory.get("managedMemory"))),
        "network_bytes": number(metrics.get("nettyShuffleMemoryTotal", memory.get("networkMemory"))),
        "framework_heap_bytes": number(memory.get("frameworkHeap")),
        "task_heap_bytes": number(memory.get("taskHeap")),
        "framework_off_heap_bytes": number(memory.get("frameworkOffHeap")),
        "task_off_heap_bytes": number(memory.get("taskOffHeap")),
        "configured_network_bytes": number(memory.get("networkMemory")),
        "configured_managed_bytes": number(memory.get("managedMemory")),
        "jvm_overhead_bytes": number(memory.get("jvmOverhead")),
        "process_bytes": number(memory.get("totalProcessMemory")),
        "segments_total": _segments(metrics, "nettyShuffleMemorySegmentsTotal", "memorySegmentsTotal"),
        "segments_used": _segments_used(metrics),
        "cpu_cores": number(hardware.get("cpuCores")),
        **document.at(*path),
    }


def _segments(metrics: Mapping[str, Any], name: str, name_until_1_11: str) -> int | None:
    return whole(metrics.get(name, metrics.get(name_until_1_11)))


def _segments_used(metrics: Mapping[str, Any]) -> int | None:
    used = whole(metrics.get("nettyShuffleMemorySegmentsUsed"))
    total, available = whole(metrics.get("memorySegmentsTotal")), whole(metrics.get("memorySegmentsAvailable"))
    if used is not None or total is None or available is None:
        return used
    return total - available


def _host(address: Any) -> str | None:
    """The host of `pekko.tcp://flink@host:port/user/...` (before 1.18 `akka.tcp`)."""
    known = text(address)
    if not known or "@" not in known:
        return None
    return known.split("@", 1)[1].split("/", 1)[0].rsplit(":", 1)[0] or None


FORMAT = Format(
    id="flink-rest-task-managers",
    title=to_say("Flink REST: TaskManagers"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#taskmanagers",
    tables=("task_manager", "metric_sample"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/taskmanagers_localhost_18040-ef0dc3.json",
            text='{"id":"localhost:18040-ef0dc3","path":"pekko.tcp://flink@localhost:18040/user/rpc/taskmanager_0",'
            '"dataPort":18050,"jmxPort":-1,"timeSinceLastHeartbeat":1795222135628,"slotsNumber":2,"freeSlots":0,'
            '"hardware":{"cpuCores":2,"physicalMemory":25276514304,"freeMemory":536870912,"managedMemory":536870920},'
            '"memoryConfiguration":{"networkMemory":134217730,"jvmMetaspace":268435456},"metrics":{"heapUsed":90706944,'
            '"heapMax":536870912,"directUsed":144068637,"memorySegmentsAvailable":4070,"memorySegmentsTotal":4096,'
            '"nettyShuffleMemorySegmentsUsed":26,"nettyShuffleMemorySegmentsTotal":4096,'
            '"nettyShuffleMemoryTotal":134217728,"garbageCollectors":[{"name":"All","count":13,"time":394}]}}',
            rows={
                "metric_sample": [
                    {"metric": "Status.JVM.GarbageCollector.All.Count", "scope": "taskmanager", "value": 13.0},
                    {"metric": "Status.JVM.GarbageCollector.All.Time", "value": 394.0},
                ],
                "task_manager": [
                    {
                        "ts_ms": 1795222135628,
                        "task_manager": "localhost:18040-ef0dc3",
                        "host": "localhost",
                        "slots": 2,
                        "free_slots": 0,
                        "heap_used_bytes": 90706944.0,
                        "heap_max_bytes": 536870912.0,
                        "direct_used_bytes": 144068637.0,
                        "metaspace_max_bytes": 268435456.0,
                        "managed_bytes": 536870920.0,
                        "network_bytes": 134217728.0,
                        "segments_total": 4096,
                        "segments_used": 26,
                        "cpu_cores": 2.0,
                        "pointer": "",
                    }
                ],
            },
        ),
    ),
)
