"""Flags of a JVM's command line: heap sizes, collector, and every `-XX` flag by its own name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnostics.notation.garbage_collector import COLLECTOR_OF_FLAG

_HEAP = re.compile(r"-X(mx|ms|mn|ss)(\d{1,19})([kKmMgGtT]?)$")
_HEAP_KEYS = {"mx": "heap.max", "ms": "heap.initial", "mn": "heap.young", "ss": "thread.stack"}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SWITCH = re.compile(r"-XX:([+-])(\w{1,100})$")
_VALUE = re.compile(r"-XX:(\w{1,100})=(.{0,500})$")


def flag_facts(option: str) -> Iterator[tuple[str, str]]:
    """(key, value) of one option, sizes in bytes; nothing for options that are not JVM flags."""
    heap = _HEAP.match(option)
    if heap:
        yield _HEAP_KEYS[heap.group(1)], str(int(heap.group(2)) * _UNITS[heap.group(3).lower()])
        return
    switch = _SWITCH.match(option)
    if switch:
        name, is_on = switch.group(2), switch.group(1) == "+"
        if is_on and name in COLLECTOR_OF_FLAG:
            yield "gc.collector", COLLECTOR_OF_FLAG[name]
        else:
            yield f"flag.{name}", str(is_on).lower()
        return
    value = _VALUE.match(option)
    if value:
        yield f"flag.{value.group(1)}", value.group(2)
