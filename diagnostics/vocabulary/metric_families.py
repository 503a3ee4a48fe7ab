"""Headings of similar metrics, for lists that hold every metric of a case."""

from __future__ import annotations

import re

from diagnostics.language import to_say

FAMILIES = (
    (
        to_say("Records and bytes"),
        re.compile(r"num(Records|Bytes|Buffers)|currentInput|currentOutput|pendingRecords|Dropped"),
    ),
    (
        to_say("Busy, idle and back-pressured time"),
        re.compile(r"(?i)busy|idle|backpressur|mailbox|latency|initiali|deploying"),
    ),
    (to_say("Watermarks"), re.compile(r"[wW]atermark|[eE]ventTime")),
    (to_say("Checkpoints"), re.compile(r"[cC]heckpoint")),
    (to_say("RocksDB"), re.compile(r"rocksdb")),
    (to_say("Network buffers"), re.compile(r"buffers\.|Buffers\.|Network\.|Netty\.")),
    (to_say("Memory of the JVM"), re.compile(r"Memory\.")),
    (to_say("Garbage collection"), re.compile(r"GarbageCollector")),
    (to_say("CPU, threads and classes"), re.compile(r"CPU|Threads|ClassLoader")),
    (
        to_say("Jobs and slots"),
        re.compile(r"[tT]askSlots|numRunningJobs|uptime|downtime|runningTime|[rR]estart|registered"),
    ),
)
"""Headings of similar metrics, by part of their name; the first that matches counts."""
OTHERS = to_say("Others")


def family_of(metric: str) -> str:
    """The heading under which a metric is listed."""
    return next((title for title, part in FAMILIES if part.search(metric)), OTHERS)
