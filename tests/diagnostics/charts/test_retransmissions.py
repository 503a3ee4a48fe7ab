"""The share of TCP segments that was sent again, by connection."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.retransmissions import CHART
from tests.diagnostics.hand_made import START, hand_made


def reading(second: float, peer: str, sent: int, again: int, **rest: Any) -> dict[str, Any]:
    ends = {"local_address": "10.0.0.1", "local_port": 6123, "peer_address": peer, "peer_port": 50_000}
    counted = {"segments_out": sent, "segments_retransmitted": again, "rto_ms": 204.0}
    return {"ts_ms": START + round(second * 1000), **ends, **counted, **rest}


def test_the_worst_pair_is_first_and_counts_between_its_readings() -> None:
    """Of 200 segments to the one host 40 were sent again, of 1,000 to the other 1."""
    sound = [reading(0, "10.0.0.2", 500, 0), reading(60, "10.0.0.2", 1500, 1)]
    lossy = [reading(0, "10.0.0.3", 1000, 1), reading(60, "10.0.0.3", 1200, 41, backoff=6)]
    points = CHART.points(hand_made(tcp_sample=[*sound, *lossy]))
    assert points is not None
    assert [(pair["to"], pair["sent"], pair["again"]) for pair in points["pairs"]] == [
        ("10.0.0.3", 200, 40),
        ("10.0.0.2", 1000, 1),
    ]
    assert CHART.summary(points) == (
        "Worst from 10.0.0.1 to 10.0.0.3: 40 of 200 segments between two readings of a connection (20 %). 1 of 2 pairs "
        "of addresses sent 5 % or more again. In 1 of the 2 a connection sent again and again for a time without an "
        "answer; one that both of its ends waited on counts in both directions."
    )
    lost, _, usual = CHART.figure(points, Theme("light"))["data"]
    assert (lost["name"], lost["x"]) == ("5 % or more", [20])
    assert (usual["name"], usual["x"]) == ("below 5 %", [0.1])
    assert len(CHART.table(points)) == 3


def test_a_pair_below_the_bound_with_an_unanswered_connection_has_a_colour_of_its_own() -> None:
    """0.2 % was red beside a legend of 5 % or more."""
    ends = {"from": "10.0.0.1", "sent": 1000, "again": 2}
    pairs = [{**ends, "to": "10.0.0.2", "stalled": 3}, {**ends, "to": "10.0.0.3", "stalled": 0}]
    drawn = CHART.figure({"pairs": pairs, "left_out": 0}, Theme("light"))["data"]
    shown = {each["name"]: each["marker"]["color"] for each in drawn if each["showlegend"]}
    assert list(shown) == ["below 5 %, a connection without an answer", "below 5 %"]
    assert len(set(shown.values())) == 2


def test_rows_say_what_differs_so_that_a_narrow_one_tells_the_link() -> None:
    """Cut in the middle, 10 to 12 and 11 to 12 had one label."""
    points = {"pairs": [], "left_out": 0}
    for sender, receiver in (("10.77.0.10", "10.77.0.12"), ("10.77.0.11", "10.77.0.12")):
        points["pairs"].append({"from": sender, "to": receiver, "sent": 145, "again": 18, "stalled": 0})
    drawn = CHART.figure(points, Theme("light"))
    assert drawn["data"][0]["y"] == [".10 to .12", ".11 to .12"]
    assert drawn["layout"]["annotations"][0]["text"] == "Segments sent again · addresses 10.77.0.…"
    assert "10.77.0.10 to 10.77.0.12" in drawn["data"][0]["customdata"][0]
    points["pairs"].append({"from": "fe80::1", "to": "10.77.0.12", "sent": 145, "again": 0, "stalled": 0})
    assert CHART.figure(points, Theme("light"))["data"][0]["y"][0] == "10.77.0.10 to 10.77.0.12"


def test_connections_that_lose_nothing_draw_nothing() -> None:
    assert CHART.points(hand_made(tcp_sample=[reading(0, "10.0.0.3", 500, 0)])) is None
    assert CHART.points(hand_made()) is None
