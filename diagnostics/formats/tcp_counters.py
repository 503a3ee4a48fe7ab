"""The kernel's TCP counters of a host: `/proc/net/snmp`, `/proc/net/netstat`, `netstat -s` or `nstat`, `ip -s link`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 20_000
"""Our choice: the line of extended counters has some 130 names, and kernels add more."""

COUNTERS: Mapping[str, str] = {
    "OutSegs": "segments_out",
    "RetransSegs": "segments_retransmitted",
    "TCPTimeouts": "timeouts",
    "TCPAbortOnTimeout": "aborted",
    "TcpOutSegs": "segments_out",
    "TcpRetransSegs": "segments_retransmitted",
    "TcpExtTCPTimeouts": "timeouts",
    "TcpExtTCPAbortOnTimeout": "aborted",
}
"""Counter -> column. Source: Linux, Documentation/networking/snmp_counter.rst."""

_LEGEND = re.compile(r"^(Tcp|TcpExt): ([A-Za-z]\w{1,60}(?: [A-Za-z]\w{1,60}){3,400})\s*$")
_VALUES = re.compile(r"^(Tcp|TcpExt): (-?\d{1,20}(?: -?\d{1,20}){3,400})\s*$")
_NSTAT = re.compile(r"^(Tcp(?:Ext)?[A-Z]\w{1,60})\s{1,60}(\d{1,20})\s{1,20}[\d.]{1,20}\s*$")
_STATISTICS = (
    (re.compile(r"^\s{1,8}(\d{1,20}) segments sent out\s*$"), "segments_out"),
    (re.compile(r"^\s{1,8}(\d{1,20}) segments retransmitt?ed\s*$"), "segments_retransmitted"),
    (re.compile(r"^\s{1,8}(\d{1,20}) other TCP timeouts\s*$|^\s{1,8}TCPTimeouts: (\d{1,20})\s*$"), "timeouts"),
    (re.compile(r"^\s{1,8}(\d{1,20}) connections aborted due to timeout\s*$"), "aborted"),
)
"""Lines of `netstat -s`. Source: net-tools, statistics.c."""
_MAC = re.compile(r"^\s{1,8}link/ether ([0-9a-f]{2}(?::[0-9a-f]{2}){5})\b")


@dataclass(slots=True)
class _Reading:
    """The counters of one host at one time."""

    ts_ms: int | None = None
    line: int | None = None
    last_line: int | None = None
    counters: dict[str, int] = field(default_factory=dict)
    macs: set[str] = field(default_factory=set)

    def take(self, line: int, column: str, value: int) -> None:
        self.line = self.line or line
        self.last_line = line
        self.counters[column] = value

    def row(self) -> dict[str, Any]:
        host = ",".join(sorted(self.macs)) or None
        return {"ts_ms": self.ts_ms, "host": host, **self.counters, "line": self.line, "last_line": self.last_line}


def _recognise(head: Head) -> float:
    lines = [line[:MOST_LINE] for line in head.text.splitlines()[:400]]
    legends = [line for line in lines if (found := _LEGEND.match(line)) and set(found[2].split()) & set(COUNTERS)]
    if legends and any(_VALUES.match(line) for line in lines):
        return 0.95
    if any(_NSTAT.match(line) and line.split()[0] in COUNTERS for line in lines):
        return 0.9
    stated = sum(any(pattern.match(line) for pattern, _ in _STATISTICS) for line in lines)
    return 0.9 if stated >= 2 else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    for reading in _readings(part):
        if reading.counters:
            tally.records += 1
            tally.take_time(reading.ts_ms)
            yield reading.row()


def _readings(part: Range) -> Iterator[_Reading]:
    """Readings of the counters; a new time, or a repeated counter, begins a new one."""
    reading = _Reading()
    legends: dict[str, list[str]] = {}
    for number, line in numbered_lines(part, MOST_LINE):
        moment, legend, mac = header_time(line), _LEGEND.match(line), _MAC.match(line)
        if moment is not None:
            if reading.counters:
                yield reading
                reading = _Reading()
            reading.ts_ms = moment
        elif legend:
            legends[legend[1]] = legend[2].split()
        elif mac:
            reading.macs.add(mac[1])
        else:
            for column, value in _counted(line, legends):
                if column in reading.counters:
                    yield reading
                    reading = _Reading(ts_ms=reading.ts_ms)
                reading.take(number, column, value)
    yield reading


def _counted(line: str, legends: Mapping[str, list[str]]) -> Iterator[tuple[str, int]]:
    """The columns that one line fills."""
    values, single = _VALUES.match(line), _NSTAT.match(line)
    if values:
        numbers = values[2].split()
        for name, value in zip(legends.get(values[1], ()), numbers, strict=False):
            if name in COUNTERS:
                yield COUNTERS[name], int(value)
        return
    if single and single[1] in COUNTERS:
        yield COUNTERS[single[1]], int(single[2])
        return
    for pattern, column in _STATISTICS:
        found = pattern.match(line)
        if found:
            yield column, int(next(group for group in found.groups() if group))


FORMAT = Format(
    id="tcp-counters",
    title=to_say("TCP counters of a host (/proc/net/snmp, netstat -s, nstat)"),
    documentation="https://docs.kernel.org/networking/snmp_counter.html",
    tables=("tcp_sample",),
    recognise=_recognise,
    read=row_reader("tcp_sample", _rows),
    samples=(
        Sample(
            name="net/snmp-taskmanager-1.txt",
            text="2026-11-21T01:01:58Z\n"
            "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab "
            "InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors\n"
            "Tcp: 1 200 120000 -1 3 40 0 0 4 21320 88091 167 0 0 0\n"
            "TcpExt: SyncookiesSent TCPLostRetransmit TCPTimeouts TCPAbortOnTimeout TCPSynRetrans\n"
            "TcpExt: 0 2 14 1 1\n"
            "2: eth0@if4: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT qlen 1000\n"
            "    link/ether 86:20:e7:5e:85:c8 brd ff:ff:ff:ff:ff:ff link-netns lbn-jm\n",
            rows={
                "tcp_sample": [
                    {
                        "ts_ms": 1795222918000,
                        "host": "86:20:e7:5e:85:c8",
                        "local_address": None,
                        "segments_out": 88091,
                        "segments_retransmitted": 167,
                        "timeouts": 14,
                        "aborted": 1,
                        "line": 3,
                        "last_line": 5,
                    }
                ]
            },
        ),
        Sample(
            name="netstat-s.txt",
            text="Tcp:\n"
            "    35 active connection openings\n"
            "    1527 segments sent out\n"
            "    43 segments retransmitted\n"
            "TcpExt:\n"
            "    20 other TCP timeouts\n"
            "    1 connections aborted due to timeout\n",
            rows={
                "tcp_sample": [
                    {
                        "ts_ms": None,
                        "segments_out": 1527,
                        "segments_retransmitted": 43,
                        "timeouts": 20,
                        "aborted": 1,
                        "line": 3,
                        "last_line": 7,
                    }
                ]
            },
        ),
        Sample(
            name="nstat.txt",
            text="#kernel\n"
            "TcpOutSegs                      1527               0.0\n"
            "TcpRetransSegs                  43                 0.0\n"
            "TcpExtTCPTimeouts               20                 0.0\n",
            rows={"tcp_sample": [{"segments_out": 1527, "segments_retransmitted": 43, "timeouts": 20, "line": 2}]},
        ),
    ),
)
