"""TCP connections and counters beyond their samples."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
CONNECTIONS, COUNTERS, PACKETS = (FORMATS[each] for each in ("tcp-connections", "tcp-counters", "packet-capture"))
TITLE = "State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
DETAILS = "\t cubic wscale:7,7 rto:204 rtt:0.5/0.2 segs_out:10 data_segs_out:8\n"


@pytest.mark.parametrize(
    ("printed", "address"),
    [
        ("10.0.0.1:6123", "10.0.0.1"),
        ("[::ffff:10.0.0.1]:6123", "10.0.0.1"),
        ("[fe80::1%eth0]:6123", "fe80::1%eth0"),
        ("flink-jobmanager:6123", "flink-jobmanager"),
    ],
)
def test_an_address_is_read_in_each_spelling(printed: str, address: str, tmp_path: Path) -> None:
    rows = read(CONNECTIONS, f"{TITLE}ESTAB 0 0 {printed} 10.0.0.2:50000\n{DETAILS}", tmp_path).rows["tcp_sample"]
    assert [(row["local_address"], row["local_port"], row["peer_address"]) for row in rows] == [
        (address, 6123, "10.0.0.2")
    ]


def test_several_readings_in_one_file_have_their_own_times(tmp_path: Path) -> None:
    one = f"{TITLE}ESTAB 0 0 10.0.0.1:6123 10.0.0.2:50000\n{DETAILS}"
    text = f"2026-11-21T01:00:25Z\n{one}2026-11-21T01:01:25Z\n{one}"
    times = [row["ts_ms"] for row in read(CONNECTIONS, text, tmp_path).rows["tcp_sample"]]
    assert times == [1_795_222_825_000, 1_795_222_885_000]


def test_sockets_that_listen_are_no_connections(tmp_path: Path) -> None:
    found = read(CONNECTIONS, f"{TITLE}LISTEN 0 4096 *:8081 *:*\n", tmp_path)
    assert not found.rows.get("tcp_sample")


def test_details_on_the_line_of_the_connection_are_read_too(tmp_path: Path) -> None:
    text = f"{TITLE}ESTAB 0 0 10.0.0.1:6123 10.0.0.2:50000 cubic rto:3264 backoff:4 retrans:1/6 data_segs_out:8\n"
    row = read(CONNECTIONS, text, tmp_path).rows["tcp_sample"][0]
    assert (row["backoff"], row["rto_ms"], row["segments_retransmitted"]) == (4, 3264.0, 6)


def test_counters_that_come_again_are_a_new_reading(tmp_path: Path) -> None:
    one = "Tcp: RtoMin OutSegs RetransSegs InErrs\nTcp: 200 {} {} 0\n"
    rows = read(COUNTERS, one.format(100, 1) + one.format(300, 9), tmp_path).rows["tcp_sample"]
    assert [(row["segments_out"], row["segments_retransmitted"]) for row in rows] == [(100, 1), (300, 9)]


def test_a_host_is_identified_by_its_network_addresses(tmp_path: Path) -> None:
    text = (
        "Tcp: RtoMin OutSegs RetransSegs InErrs\nTcp: 200 5 1 0\n"
        "    link/ether 86:20:e7:5e:85:c8 brd ff:ff:ff:ff:ff:ff\n    link/ether 02:00:00:00:00:01 brd ff:ff\n"
    )
    assert read(COUNTERS, text, tmp_path).rows["tcp_sample"][0]["host"] == "02:00:00:00:00:01,86:20:e7:5e:85:c8"


@pytest.mark.parametrize("text", ["Tcp: it works\n", "State of the art\nESTAB\n", "12 segments of an orange\n"])
def test_other_texts_are_not_taken_for_it(text: str) -> None:
    assert recognise(head_of(text)).format_id not in ("tcp-connections", "tcp-counters")


def packet(clock: str, data: str, interface: str = "") -> str:
    first, _, end = data.partition(":")
    length = int(end) - int(first)
    return f"{clock} {interface}IP 10.0.0.1.6123 > 10.0.0.2.40000: Flags [P.], seq {data}, ack 1, length {length}\n"


@pytest.mark.parametrize(
    ("packets", "sent", "again"),
    [
        ([("10:00:00.000000", "1:11"), ("10:00:00.000010", "11:21"), ("10:00:00.300000", "11:21")], 3, 1),
        ([("10:00:00.000000", "1:11"), ("10:00:00.000010", "21:31"), ("10:00:00.001000", "11:21")], 3, 0),
        ([("10:00:00.000000", "1:11"), ("10:00:00.000010", "21:31"), ("10:00:00.200000", "11:21")], 3, 1),
        ([("10:00:00.000000", "1:11"), ("10:00:00.000004", "1:11"), ("10:00:00.000008", "11:21")], 2, 0),
        ([("23:59:59.900000", "1:11"), ("23:59:59.950000", "11:21"), ("00:00:00.200000", "11:21")], 3, 1),
    ],
    ids=["sent-again", "reordered", "came-late", "seen-on-two-interfaces", "over-midnight"],
)
def test_what_was_sent_again_follows_from_the_sequence_numbers(
    packets: list[tuple[str, str]], sent: int, again: int, tmp_path: Path
) -> None:
    row = read(PACKETS, "".join(packet(*each) for each in packets), tmp_path).rows["tcp_sample"][-1]
    assert (row["segments_out"], row["segments_retransmitted"], row["ts_ms"]) == (sent, again, None)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_the_packets_of_a_cut_off_task_manager_are_all_read(tmp_path: Path) -> None:
    """Packets as tcpdump itself counted them in the last lines; 10.77.0.12 is the host that was cut off."""
    path = CORPUS / "network_partition" / "net" / "taskmanager-1-tcpdump.txt.gz"
    found = read(PACKETS, gzip.decompress(path.read_bytes()), tmp_path)
    assert (found.records, found.coverage[0].not_understood) == (1944, 0)
    unanswered = [row for row in found.rows["tcp_sample"] if row["backoff"] >= 3]
    assert {row["peer_address"] for row in unanswered} == {"10.77.0.12"}
    assert {row["local_address"] for row in unanswered} == {"10.77.0.10", "10.77.0.11"}
