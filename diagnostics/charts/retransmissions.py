"""The share of TCP segments that was sent again, by connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import tcp_samples
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import GrafanaPanel
from diagnostics.charting.panel import Panel, escaped, row_axis, stacked
from diagnostics.charting.theme import palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.failures.tcp_intervals import is_stalled, long_intervals_of
from diagnostics.wording.phrase import percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_ROWS = 16
"""Pairs of addresses drawn, the worst. Our choice: one screen."""
LOSSY = 0.05
"""From this share on a bar has the colour of an alarm. Source: the bound of the rules of `network_partition`."""


def points(evidence: Evidence) -> Points | None:
    """The worst interval between two readings of a connection, for each pair of addresses in the sending direction.

    Reads   tcp_sample of connections.
    Gives   {pairs: [{from, to, sent, again, stalled}], left_out}, the largest share first; `stalled` counts readings of
            connections that retransmitted without an answer.
    Empty   None without a pair of enough segments or without an answer, or when nothing was sent again.
    """
    rows = [row for row in named_rows(evidence.answer(tcp_samples.AGGREGATOR)) if row.peer_address is not None]
    worst: dict[tuple[str, str], tuple[int, int]] = {}
    for each in long_intervals_of(rows):
        ends = each.to_row.local_address, each.to_row.peer_address
        if ends not in worst or each.ratio > _share(*worst[ends]):
            worst[ends] = each.sent, each.again
    stalled = Counter((row.local_address, row.peer_address) for row in rows if is_stalled(row))
    pairs: list[dict[str, Any]] = [
        {"from": ends[0], "to": ends[1], "sent": sent, "again": again, "stalled": stalled[ends]}
        for ends in {**worst, **stalled}
        for sent, again in [worst.get(ends, (0, 0))]
    ]
    pairs.sort(key=lambda pair: (-_ratio(pair), -pair["stalled"], pair["from"], pair["to"]))
    if not any(pair["again"] or pair["stalled"] for pair in pairs):
        return None
    return {"pairs": pairs[:MOST_ROWS], "left_out": max(len(pairs) - MOST_ROWS, 0)}


def _ratio(pair: Mapping[str, Any]) -> float:
    return _share(pair["sent"], pair["again"])


def _share(sent: int, again: int) -> float:
    return min(again / max(sent, 1), 1.0)


def _name(pair: Mapping[str, Any], shared: str = "") -> str:
    """The two ends; without the beginning that all addresses of the chart share."""
    ends = {"sender": pair["from"].removeprefix(shared), "receiver": pair["to"].removeprefix(shared)}
    return say("{sender} to {receiver}", **ends)


def _shared_beginning(pairs: Sequence[Mapping[str, Any]]) -> str:
    """What all addresses begin with, up to the dot or colon before their last parts: a narrow row holds what differs.

    Empty where they share nothing. `10.77.0` of 10.77.0.10 and 10.77.0.12, so that the rows say `.10` and `.12`.
    """
    addresses: list[str] = [each for pair in pairs for each in (pair["from"], pair["to"])]
    both = takewhile(lambda letters: letters[0] == letters[1], zip(min(addresses), max(addresses), strict=False))
    start = "".join(letter for letter, _ in both)
    return start[: max(start.rfind("."), start.rfind(":"), 0)]


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A bar for each pair, with the numbers of its segments."""
    colours = palette(theme)
    pairs = points["pairs"]
    shared = _shared_beginning(pairs)
    names = [escaped(_name(pair, shared)) for pair in pairs]
    more = say(" · {count} more not drawn", count=points["left_out"]) if points["left_out"] else ""
    common = say(" · addresses {shared}.…", shared=shared) if shared else ""
    panel = Panel(
        title=say("Segments sent again") + common + more,
        unit="",
        height=max(24 * len(pairs), 60),
        traces=[
            _bars([pair for pair in pairs if _kind(pair) == kind], shared, title, colour)
            for kind, title, colour in (
                ("lossy", say("{bound} or more", bound=percent(LOSSY)), colours.alarm),
                (
                    "stalled",
                    say("below {bound}, a connection without an answer", bound=percent(LOSSY)),
                    colours.warning,
                ),
                ("sound", say("below {bound}", bound=percent(LOSSY)), colours.calm),
            )
        ],
        y=row_axis(names),
        x={"rangemode": "tozero"},
    )
    return stacked([panel], theme, axis="own", x_title=say("Part of the segments (%)"))


def _bars(pairs: Sequence[Mapping[str, Any]], shared: str, title: str, colour: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": title,
        "showlegend": bool(pairs),
        "x": [_ratio(pair) * 100 for pair in pairs],
        "y": [escaped(_name(pair, shared)) for pair in pairs],
        "marker": {"color": colour},
        "text": [say("{again} of {sent}", again=f"{pair['again']:,}", sent=f"{pair['sent']:,}") for pair in pairs],
        "textposition": "auto",
        "customdata": [_hover_text(pair) for pair in pairs],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _kind(pair: Mapping[str, Any]) -> str:
    return "lossy" if _ratio(pair) >= LOSSY else "stalled" if pair["stalled"] else "sound"


def _hover_text(pair: Mapping[str, Any]) -> str:
    counted = say("{again} of {sent}", again=f"{pair['again']:,}", sent=f"{pair['sent']:,}")
    waits = "<br>" + say("{count} readings without an answer", count=pair["stalled"]) if pair["stalled"] else ""
    return f"<b>{escaped(_name(pair))}</b><br>{percent(_ratio(pair))}: {counted}{waits}"


def summary(points: Points) -> str:
    """The worst pair, and how many others are above the bound."""
    pairs: Sequence[Mapping[str, Any]] = points["pairs"]
    worst = pairs[0]
    sentences = [
        say(
            "Worst from {sender} to {receiver}: {again} of {sent} segments between two readings of a connection "
            "({share}).",
            sender=worst["from"],
            receiver=worst["to"],
            again=f"{worst['again']:,}",
            sent=f"{worst['sent']:,}",
            share=percent(_ratio(worst)),
        ),
        say(
            "{lossy} of {pairs} pairs of addresses sent {bound} or more again.",
            lossy=sum(_ratio(pair) >= LOSSY for pair in pairs),
            pairs=len(pairs),
            bound=percent(LOSSY),
        ),
    ]
    stalled = sum(bool(pair["stalled"]) for pair in pairs)
    if stalled:
        sentences.append(
            say(
                "In {count} of the {pairs} a connection sent again and again for a time without an answer; one that "
                "both of its ends waited on counts in both directions.",
                count=stalled,
                pairs=len(pairs),
            )
        )
    return joined_sentences(sentences)


def table(points: Points) -> list[list[Any]]:
    """One row for each pair."""
    rows = [[pair["from"], pair["to"], pair["sent"], pair["again"], pair["stalled"]] for pair in points["pairs"]]
    header = [
        say("From"),
        say("To"),
        say("Segments sent"),
        say("Sent again"),
        say("Readings without an answer"),
    ]
    return [header, *rows]


CHART = Chart(
    id="retransmissions",
    title=to_say("TCP segments sent again"),
    order=66,
    axis="own",
    missing=to_say(
        "The kernels' counters of TCP connections would fill this chart: `date -u +%FT%TZ; ss -tin` on each host, "
        "twice with a minute between, in a file of its own for each host."
    ),
    panels=(
        GrafanaPanel(
            to_say("TCP segments sent again, by host"),
            "percentunit",
            {"{{instance}}": "rate(node_netstat_Tcp_RetransSegs[5m]) / rate(node_netstat_Tcp_OutSegs[5m])"},
            threshold=LOSSY,
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
