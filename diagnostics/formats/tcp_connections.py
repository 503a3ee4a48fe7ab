"""TCP connections of a host with kernel statistics: `ss -tin`, also with `-p`, `-e`, `-m`, once or repeatedly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000

_ADDRESS = r"(\[[0-9A-Fa-f:.%\w]{2,60}\]|[^\s\[\]]{1,200}?):(\d{1,5}|\*|[a-z][\w-]{0,30})"
_CONNECTION = re.compile(
    r"^(?:tcp\s{1,8})?(ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|CLOSE-WAIT|LAST-ACK|CLOSING|LISTEN|UNCONN)"
    rf"\s{{1,40}}(\d{{1,12}})\s{{1,40}}(\d{{1,12}})\s{{1,80}}{_ADDRESS}\s{{1,80}}{_ADDRESS}(?:\s|$)"
)
_TITLE = re.compile(r"^(?:Netid\s{1,20})?State\s{1,40}Recv-Q\s{1,40}Send-Q\s", re.MULTILINE)
_DETAILS = re.compile(r"\b(?:rto|cwnd|bytes_acked|segs_out):\d")
_NUMBER = re.compile(
    r"(?:^|\s)(rto|rtt|backoff|retrans|data_segs_out|segs_out|bytes_sent|bytes_retrans|lastack):(\d{1,18}(?:\.\d{1,9})?)"
    r"(?:/(\d{1,18}(?:\.\d{1,9})?))?"
)
_MAPPED = re.compile(r"^\[?::ffff:([\d.]{7,15})\]?$")
"""An IPv4 address as a dual-stack socket shows it."""


def _recognise(head: Head) -> float:
    connections = sum(1 for line in head.text.splitlines()[:200] if _CONNECTION.match(line[:MOST_LINE]))
    if not connections:
        return 0.0
    if not _TITLE.search(head.text):
        return 0.6 if _DETAILS.search(head.text) else 0.0
    return 0.95


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    """Rows of the connections; a time above them is theirs."""
    row: dict[str, Any] | None = None
    ts_ms: int | None = None
    for number, line in numbered_lines(part, MOST_LINE):
        moment, connection = header_time(line), _CONNECTION.match(line)
        if moment is not None:
            ts_ms = moment
            tally.take_time(moment)
        elif connection:
            tally.records += 1
            if connection[1] not in ("LISTEN", "UNCONN"):
                if row:
                    yield row
                row = {"ts_ms": ts_ms, **_row(connection), "line": number, "last_line": number}
                _take(row, line[connection.end() :])
        elif row and line[:1] in (" ", "\t"):
            _take(row, line)
            row["last_line"] = number
        elif line and not _TITLE.match(line):
            tally.odd(number, line)
    if row:
        yield row


def _row(connection: re.Match[str]) -> dict[str, Any]:
    state, _, waiting, local, local_port, peer, peer_port = connection.groups()
    return {
        "state": state,
        "waiting_bytes": int(waiting),
        "local_address": _address(local),
        "local_port": _port(local_port),
        "peer_address": _address(peer),
        "peer_port": _port(peer_port),
    }


def _port(printed: str) -> int | None:
    return int(printed) if printed.isdecimal() and len(printed) < 6 else None


def _address(printed: str) -> str:
    mapped = _MAPPED.match(printed)
    return mapped[1] if mapped else printed.strip("[]")


def _take(row: dict[str, Any], text: str) -> None:
    """Add the numbers of a line of details. `retrans:0/16` is current/total; ss omits zeros."""
    numbers = {found[1]: (found[2], found[3]) for found in _NUMBER.finditer(text)}
    if "rto" not in numbers and "segs_out" not in numbers:
        return
    row["rto_ms"] = _number(numbers, "rto")
    row["rtt_ms"] = _number(numbers, "rtt")
    row["silent_ms"] = _number(numbers, "lastack")
    row["backoff"] = int(_number(numbers, "backoff") or 0)
    row["segments_retransmitted"] = int(numbers["retrans"][1] or 0) if "retrans" in numbers else 0
    sent = _number(numbers, "data_segs_out") or _number(numbers, "segs_out")
    row["segments_out"] = int(sent) if sent is not None else None
    if "bytes_sent" in numbers:
        row["bytes_out"] = int(numbers["bytes_sent"][0])
        row["bytes_retransmitted"] = int(_number(numbers, "bytes_retrans") or 0)


def _number(numbers: dict[str, tuple[str, str | None]], name: str) -> float | None:
    return float(numbers[name][0]) if name in numbers else None


FORMAT = Format(
    id="tcp-connections",
    title=to_say("TCP connections (ss -tin)"),
    documentation="https://man7.org/linux/man-pages/man8/ss.8.html",
    tables=("tcp_sample",),
    recognise=_recognise,
    read=row_reader("tcp_sample", _rows),
    samples=(
        Sample(
            name="net/ss-jobmanager.txt",
            text="2026-11-21T01:00:25Z\n"
            "State Recv-Q Send-Q       Local Address:Port         Peer Address:Port Process       \n"
            'ESTAB 0      0      [::ffff:10.77.0.10]:19323 [::ffff:10.77.0.11]:46526 users:(("java",pid=3608,fd=86))\n'
            "\t bbr wscale:2,10 rto:220 rtt:18.425/21.423 ato:40 mss:1448 cwnd:231 bytes_sent:455296 bytes_retrans:775 "
            "bytes_acked:454521 segs_out:656 segs_in:1575 data_segs_out:452 lastsnd:2284 lastrcv:2288 lastack:2240 "
            "busy:3688ms retrans:0/2 dsack_dups:2\n"
            'ESTAB 0      8884   10.77.0.10:19323 10.77.0.12:53980 users:(("java",pid=3608,fd=85))\n'
            "\t bbr wscale:2,10 rto:14336 backoff:6 rtt:17.75/20.418 cwnd:1 bytes_sent:481194 bytes_retrans:23592 "
            "segs_out:689 data_segs_out:489 lastsnd:24 lastrcv:15736 lastack:15736 unacked:1 retrans:1/37 lost:1\n",
            rows={
                "tcp_sample": [
                    {
                        "ts_ms": 1795222825000,
                        "local_address": "10.77.0.10",
                        "local_port": 19323,
                        "peer_address": "10.77.0.11",
                        "peer_port": 46526,
                        "state": "ESTAB",
                        "segments_out": 452,
                        "segments_retransmitted": 2,
                        "bytes_out": 455296,
                        "bytes_retransmitted": 775,
                        "backoff": 0,
                        "rto_ms": 220.0,
                        "rtt_ms": 18.425,
                        "silent_ms": 2240.0,
                        "waiting_bytes": 0,
                        "line": 3,
                        "last_line": 4,
                    },
                    {
                        "peer_address": "10.77.0.12",
                        "segments_retransmitted": 37,
                        "backoff": 6,
                        "rto_ms": 14336.0,
                        "silent_ms": 15736.0,
                        "waiting_bytes": 8884,
                        "line": 5,
                        "last_line": 6,
                    },
                ]
            },
        ),
    ),
)
