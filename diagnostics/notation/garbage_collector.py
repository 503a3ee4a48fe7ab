"""The garbage collectors of the JVM: their names in the evidence, and how logs, flags and recordings name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GarbageCollector:
    """A garbage collector.

    name       in tables, facts and conditions of rules
    announced  the text after `Using ` in a log of the unified logging
    flags      that select it on the command line, written `-XX:+UseG1GC`
    recorded   name in `jdk.GarbageCollection` -> kind of the collection, as in the table `gc_pause`
    """

    name: str
    announced: str
    flags: tuple[str, ...]
    recorded: Mapping[str, str] = field(default_factory=dict)


COLLECTORS = (
    GarbageCollector("G1", "G1", ("UseG1GC",), recorded={"G1New": "young", "G1Full": "full", "G1Old": "concurrent"}),
    GarbageCollector(
        "Parallel",
        "Parallel",
        ("UseParallelGC", "UseParallelOldGC"),
        recorded={"ParallelScavenge": "young", "PSYoungGen": "young", "ParallelOld": "full", "PSMarkSweep": "full"},
    ),
    GarbageCollector("Serial", "Serial", ("UseSerialGC",), recorded={"DefNew": "young", "SerialOld": "full"}),
    GarbageCollector(
        "ZGC",
        "The Z Garbage Collector",
        ("UseZGC",),
        recorded={"Z": "concurrent", "ZGC Minor": "concurrent", "ZGC Major": "concurrent"},
    ),
    GarbageCollector("Shenandoah", "Shenandoah", ("UseShenandoahGC",), recorded={"Shenandoah": "concurrent"}),
    GarbageCollector(
        "CMS",
        "Concurrent Mark Sweep",
        ("UseConcMarkSweepGC",),
        recorded={"ParNew": "young", "SerialOld": "full", "ConcurrentMarkSweep": "concurrent"},
    ),
    GarbageCollector("Epsilon", "Epsilon", ("UseEpsilonGC",)),
)
"""Source of the recorded names: JDK, `gcName.hpp`; of the flags: `gc_globals.hpp`."""

COLLECTOR_ANNOUNCED = {collector.announced: collector.name for collector in COLLECTORS}
"""Text after `Using ` -> the collector's name."""

COLLECTOR_OF_FLAG = {flag: collector.name for collector in COLLECTORS for flag in collector.flags}
"""Flag -> the name of the collector that it selects."""

RECORDED_KINDS = {name: kind for collector in COLLECTORS for name, kind in collector.recorded.items()}
"""Name of a recorded collection -> its kind."""


def collector_recorded(collection: str) -> str | None:
    """The collector that records collections of this name; None for an unknown name, and for `SerialOld`, which both
    Serial and CMS record.
    """
    names = [collector.name for collector in COLLECTORS if collection in collector.recorded]
    return names[0] if len(names) == 1 else None
