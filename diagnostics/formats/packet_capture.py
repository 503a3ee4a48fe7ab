"""Packets printed by `tcpdump` and `tshark`: data sent and retransmitted by each side of a connection.

tshark marks retransmissions itself. For tcpdump they are derived from sequence numbers: bytes seen before, or bytes
that fill a hole later than reordering explains. Payloads (`-X`, `-A`) are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 2_000
MOST_SIDES = 20_000
"""Sides of connections that are tracked. Our choice: a cluster of a hundred processes has some thousand."""
MOST_HOLES = 64
MOST_ROWS = 200_000
SLICE_S = 10.0
"""Interval of the rows per side. Our choice: short enough to see when loss began."""
REORDERED_S = 0.003
"""A hole filled sooner was reordered, not lost. Source: Wireshark's TCP analysis, out-of-order."""
SEEN_TWICE_S = 0.001
"""The same bytes within this time are one packet seen on two interfaces. Our choice: TCP waits for an answer or at
least 10 ms, while a packet passes a host in microseconds.
"""
MOST_RECENT = 64
DAY_S = 86_400.0

_WHEN = r"(?:(\d{4}-\d\d-\d\d) )?(?:(\d\d):(\d\d):(\d\d\.\d{3,9})|(\d{9,11}\.\d{3,9}))"
_HEAD = re.compile(
    rf"^\s{{0,4}}(?:\d{{1,12}}\s{{1,4}})?{_WHEN}\s{{1,4}}(?:(\S{{1,40}})\s{{1,12}}(?:In|Out|B|M|P)\s{{1,4}})?IP6? "
)
_PACKET = re.compile(
    r"(?:^\s{1,12}|IP6? |\)\s)([0-9A-Za-z][\w.:%-]{0,200})\.([\w-]{1,30}) > "
    r"([0-9A-Za-z][\w.:%-]{0,200})\.([\w-]{1,30}): "
    r"Flags \[([A-Z.]{1,8})\], (?:cksum [^,]{1,60}, )?(?:seq (\d{1,12})(?::(\d{1,12}))?, )?.{0,400}?length (\d{1,8})\b"
)
_SHARK = re.compile(
    rf"^\s{{0,12}}(?:\d{{1,12}})\s{{1,12}}(?:{_WHEN}|(\d{{1,9}}\.\d{{3,9}}))"
    r"\s{1,12}([\w.:%-]{2,200}) (?:→|->) ([\w.:%-]{2,200})"
    r"\s{1,12}\S{1,20}\s{1,6}\d{1,9}\s"
)
_SHARK_PORTS = re.compile(
    r"(?:\[TCP ([^\]]{1,60})\] )*(\d{1,5}) (?:→|->) (\d{1,5}) \[([A-Z, ]{1,40})\]"
    r".{0,40}? Seq=(\d{1,12}).{0,120}? Len=(\d{1,8})\b"
)
_RETRANSMITTED = "Retransmission"
_CLOSING = re.compile(r"\d{1,12} packets? (?:captured|received by filter|dropped by (?:kernel|interface))")
_ABOUT = ("tcpdump:", "listening on", "dropped privs", "Capturing on", "reading from")
"""Beginnings of lines in which the program reports about itself."""


@dataclass(slots=True)
class _Side:
    """Data sent by one side of a connection since the first captured packet."""

    segments: int = 0
    again: int = 0
    octets: int = 0
    octets_again: int = 0
    end: int | None = None
    began: bool = False
    holes: list[tuple[int, int, float]] = field(default_factory=list)
    recent: dict[tuple[int, int], float] = field(default_factory=dict)
    last: tuple[int, float] | None = None
    repeats: int = 0
    worst_repeats: int = 0
    pause_s: float = 0.0
    reported_at: float | None = None
    line: int = 0
    ts_ms: int | None = None

    def sent(self, at_s: float, first: int, length: int, marked_again: bool | None) -> None:
        """Count one segment with data or a SYN; `marked_again` when the program itself marks it as retransmitted."""
        if self._seen_twice(at_s, (first, length)):
            return
        again = self._is_again(at_s, first, first + length) if marked_again is None else marked_again
        self.segments += 1
        self.octets += length
        self.again += again
        self.octets_again += length if again else 0
        if again and self.last is not None and self.last[0] == first:
            self.repeats += 1
            self.pause_s = max(self.pause_s, at_s - self.last[1])
        else:
            self.repeats = int(again)
        self.worst_repeats = max(self.worst_repeats, self.repeats)
        self.last = (first, at_s)

    def _seen_twice(self, at_s: float, what: tuple[int, int]) -> bool:
        before = self.recent.pop(what, None)
        self.recent[what] = at_s
        if len(self.recent) > MOST_RECENT:
            del self.recent[next(iter(self.recent))]
        return before is not None and at_s - before < SEEN_TWICE_S

    def _is_again(self, at_s: float, first: int, end: int) -> bool:
        if self.end is None:
            self.end = end
            return False
        if not self.began:
            # tcpdump prints the first sequence number of a side in full and later ones relative to it.
            self.began = True
            if first < self.end:
                self.end = end
                return False
        if first >= self.end:
            if first > self.end and len(self.holes) < MOST_HOLES:
                self.holes.append((self.end, first, at_s))
            self.end = end
            return False
        hole = next((each for each in self.holes if each[0] <= first < each[1]), None)
        self.end = max(self.end, end)
        if hole is None:
            return True
        self.holes.remove(hole)
        self.holes += [(start, stop, hole[2]) for start, stop in ((hole[0], first), (end, hole[1])) if start < stop]
        return at_s - hole[2] > REORDERED_S


_Place = tuple[str, str, str, str, str]
"""Interface, address and port of the sender, address and port of the receiver."""


@dataclass(slots=True)
class _Capture:
    """State of reading the file."""

    tally: Tally
    sides: dict[_Place, _Side] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    beyond: int = 0
    days: float = 0.0
    clock_s: float = 0.0
    ts_ms: int | None = None
    interface: str = ""

    def take(self, line: str, at: int) -> None:
        shark = _SHARK.match(line)
        head = None if shark else _HEAD.match(line)
        if shark:
            self._now(shark.group(1, 2, 3, 4, 5), shark[6])
            self._shark(shark, line, at)
            return
        if head:
            self._now(head.group(1, 2, 3, 4, 5), None)
            self.interface = head[6] or ""
        packet = _PACKET.search(line) if head or line[:1] in (" ", "\t") else None
        if packet:
            source, source_port, target, target_port, flags, first, end, length = packet.groups()
            place = (self.interface, source, source_port, target, target_port)
            self.tally.records += 1
            size = int(length) or int("S" in flags)
            if first and size and ("S" in flags or end):
                self._sent(place, at, int(first), size, None, is_syn="S" in flags)
        elif head:
            self.tally.records += 1
        elif line and line[:1] not in (" ", "\t") and not line.startswith(_ABOUT) and not _CLOSING.match(line):
            # Such lines are not quoted: they may be payload that `-A` prints.
            self.tally.not_understood += 1

    def _shark(self, shark: re.Match[str], line: str, at: int) -> None:
        self.tally.records += 1
        found = _SHARK_PORTS.match(line, shark.end())
        if found:
            note, source_port, target_port, flags, first, length = found.groups()
            size = int(length) or int("SYN" in flags)
            if size and "Keep-Alive" not in (note or ""):
                place = ("", shark[7], source_port, shark[8], target_port)
                self._sent(place, at, int(first), size, _RETRANSMITTED in (note or ""), is_syn="SYN" in flags)

    def _sent(self, place: _Place, at: int, first: int, size: int, again: bool | None, *, is_syn: bool) -> None:
        side = self.sides.get(place)
        if side is None:
            if len(self.sides) >= MOST_SIDES:
                self.beyond += 1
                return
            side = self.sides[place] = _Side(reported_at=self.clock_s)
        if is_syn:
            # A SYN is no data: the same sequence number again is its only sign of retransmission.
            known = side.last is not None and side.last[0] == first
            side.sent(self.clock_s, first, size, known if again is None else again)
        else:
            side.sent(self.clock_s, first, size, again)
        side.line, side.ts_ms = at, self.ts_ms
        if side.reported_at is not None and self.clock_s - side.reported_at >= SLICE_S:
            self._add_row(place, side)

    def _add_row(self, place: _Place, side: _Side) -> None:
        _, source, source_port, target, target_port = place
        self.rows.append(
            {
                "ts_ms": side.ts_ms,
                "seen_by": "capture",
                "local_address": source,
                "local_port": int(source_port) if source_port.isdecimal() else None,
                "peer_address": target,
                "peer_port": int(target_port) if target_port.isdecimal() else None,
                "segments_out": side.segments,
                "segments_retransmitted": side.again,
                "bytes_out": side.octets,
                "bytes_retransmitted": side.octets_again,
                "backoff": side.worst_repeats,
                "rto_ms": round(side.pause_s * 1000, 3) or None,
                "line": side.line,
                "last_line": side.line,
            }
        )
        side.worst_repeats, side.pause_s, side.reported_at = side.repeats, 0.0, self.clock_s

    def close(self) -> None:
        for place, side in self.sides.items():
            self._add_row(place, side)

    def _now(self, told: Sequence[str | None], relative: str | None) -> None:
        """Set the monotonic clock in seconds, and the packet's epoch ms where its date is known."""
        day, hour, minute, second, epoch = told
        if epoch or relative:
            self.clock_s = float(epoch or relative or 0)
            self.ts_ms = round(self.clock_s * 1000) if epoch else None
        elif hour and minute and second:
            of_day = int(hour) * 3600 + int(minute) * 60 + float(second)
            midnight = header_time(f"{day}T00:00:00Z") if day else None
            if midnight is not None:
                self.clock_s = midnight / 1000 + of_day
                self.ts_ms = round(self.clock_s * 1000)
            else:
                if of_day + self.days < self.clock_s - DAY_S / 2:
                    self.days += DAY_S
                self.clock_s, self.ts_ms = of_day + self.days, None
        self.tally.take_time(self.ts_ms)


def _recognise(head: Head) -> float:
    if " Flags [" not in head.text and " Seq=" not in head.text:
        return 0.0
    lines = [line[:MOST_LINE] for line in head.text.splitlines()[:300] if line.strip()]
    packets = sum(1 for line in lines if (_HEAD.match(line) and _PACKET.search(line)) or _is_shark(line))
    verbose = sum(1 for line in lines if line[:1] in (" ", "\t") and _PACKET.search(line))
    return 0.9 if packets + verbose and packets + verbose >= 0.2 * len(lines) else 0.0


def _is_shark(line: str) -> bool:
    found = _SHARK.match(line)
    return found is not None and _SHARK_PORTS.match(line, found.end()) is not None


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    capture, kept = _Capture(tally), 0
    for at, line in numbered_lines(part, MOST_LINE):
        capture.take(line, at)
        yield from capture.rows
        kept += len(capture.rows)
        capture.rows.clear()
        if kept >= MOST_ROWS:
            tally.warn(say("only the beginning is read: it gave {kept:,} numbers", kept=kept))
            break
    capture.close()
    yield from capture.rows
    if capture.beyond:
        tally.warn(
            say(
                "{count:,} packets of more than {bound:,} connections are left out",
                count=capture.beyond,
                bound=MOST_SIDES,
            )
        )


FORMAT = Format(
    id="packet-capture",
    title=to_say("TCP packets (tcpdump, tshark)"),
    documentation="https://www.tcpdump.org/manpages/tcpdump.1.html",
    tables=("tcp_sample",),
    recognise=_recognise,
    read=row_reader("tcp_sample", _rows),
    samples=(
        Sample(
            name="net/tcpdump.txt",
            text="listening on eth0, link-type EN10MB (Ethernet), snapshot length 262144 bytes\n"
            "2026-11-21 00:59:18.000000 IP 10.0.0.12.19341 > 10.0.0.11.40688: Flags [P.], seq 2317049713:2317049813, "
            "ack 643799581, win 64, length 100\n"
            "2026-11-21 00:59:18.100000 IP 10.0.0.11.40688 > 10.0.0.12.19341: Flags [.], ack 100, win 64, length 0\n"
            "2026-11-21 00:59:18.200000 IP 10.0.0.12.19341 > 10.0.0.11.40688: Flags [P.], seq 100:200, ack 1, win 64, "
            "length 100\n"
            "2026-11-21 00:59:18.400000 IP 10.0.0.12.19341 > 10.0.0.11.40688: Flags [P.], seq 100:200, ack 1, win 64, "
            "length 100\n"
            "2026-11-21 00:59:18.800000 IP 10.0.0.12.19341 > 10.0.0.11.40688: Flags [P.], seq 100:200, ack 1, win 64, "
            "length 100\n"
            "5 packets captured\n",
            rows={
                "tcp_sample": [
                    {
                        "ts_ms": 1795222758800,
                        "seen_by": "capture",
                        "local_address": "10.0.0.12",
                        "local_port": 19341,
                        "peer_address": "10.0.0.11",
                        "peer_port": 40688,
                        "segments_out": 4,
                        "segments_retransmitted": 2,
                        "bytes_out": 400,
                        "bytes_retransmitted": 200,
                        "backoff": 2,
                        "rto_ms": 400.0,
                        "line": 6,
                    }
                ]
            },
        ),
        Sample(
            name="net/tshark.txt",
            text="    1   0.000000    10.0.0.1 → 10.0.0.2 TCP 66 6123 → 40000 [PSH, ACK] Seq=1 Ack=1 Win=64 Len=100\n"
            "    2   0.000100    10.0.0.2 → 10.0.0.1 TCP 66 40000 → 6123 [ACK] Seq=1 Ack=101 Win=64 Len=0\n"
            "    3   0.400100    10.0.0.1 → 10.0.0.2 TCP 66 [TCP Retransmission] 6123 → 40000 [PSH, ACK] Seq=1 "
            "Ack=1 Win=64 Len=100\n",
            rows={
                "tcp_sample": [
                    {
                        "ts_ms": None,
                        "local_address": "10.0.0.1",
                        "peer_port": 40000,
                        "segments_out": 2,
                        "segments_retransmitted": 1,
                        "line": 3,
                    }
                ]
            },
        ),
    ),
)
