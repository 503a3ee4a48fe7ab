"""Transactions of an exactly-once sink over time: begun, pre-committed, committed or aborted, against their timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, Panel, Threshold, axis_unit, escaped, job_title, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.checkpoints.transactions import transactions_of_jobs
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.phrase import duration, exact_duration

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.transactions import Transactions

MOST_TRANSACTIONS, MOST_FAILURES = 400, 100
"""Transactions and failures of a job in the chart, the latest. Our choice."""
TEXT_LENGTH = 160

NUMBER, BEGUN, PREPARED, COMMITTED = range(4)


def points(evidence: Evidence) -> Points | None:
    """Times of each transaction, the timeout, and the records that report an abort.

    Reads   config_option, checkpoint, log_record, job.
    Gives   {from_ms, to_ms, jobs: [{job_id, name, timeout_ms, is_assumed, limit_ms, observed_ms, transactions:
            [[checkpoint, begun_ms, prepared_ms, committed_ms]], failures: [[ts_ms, text]]}]}; committed_ms is null for
            one that no checkpoint committed.
    Empty   None without a job that writes with transactions and has two checkpoints.
    """
    names = cluster_of(evidence).job_names
    jobs = [
        _job(job_id, names.get(job_id) if job_id else None, each)
        for job_id, each in sorted(transactions_of_jobs(evidence).items(), key=lambda item: str(item[0]))
    ]
    if not jobs:
        return None
    stamps = [stamp for job in jobs for row in job["transactions"] for stamp in row[BEGUN:] if stamp is not None]
    stamps += [ts_ms for job in jobs for ts_ms, _ in job["failures"]]
    return {"from_ms": min(stamps), "to_ms": max(stamps), "jobs": jobs}


def _job(job_id: str | None, name: str | None, known: Transactions) -> dict[str, Any]:
    latest = known.sequence[-MOST_TRANSACTIONS:]
    return {
        "job_id": job_id,
        "name": name,
        "timeout_ms": known.timeout_ms,
        "is_assumed": known.is_assumed,
        "limit_ms": known.limit_ms,
        "observed_ms": known.observed_ms,
        "transactions": [[each.number, each.begun_ms, each.prepared_ms, each.committed_ms] for each in latest],
        "failures": [[ts_ms, " ".join(text.split())[:TEXT_LENGTH]] for ts_ms, text in known.failures[-MOST_FAILURES:]],
    }


def _open_ms(row: Sequence[Any], job: Mapping[str, Any]) -> float:
    """How long a transaction was open; up to the last look for one that was not committed."""
    ends = (row[COMMITTED], job["observed_ms"], row[PREPARED])
    end: int = next(each for each in ends if each is not None)
    begun: int = row[BEGUN]
    return float(max(end - begun, 0))


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A bar for each transaction at its pre-commit: time until the pre-commit, and from there to the commit."""
    colours = palette(theme)
    panels = [_panel(job, points, colours, first=index == 0) for index, job in enumerate(points["jobs"])]
    return stacked(panels, theme, axis="time")


def _panel(job: Mapping[str, Any], points: Points, colours: Palette, *, first: bool) -> Panel:
    rows = job["transactions"]
    longest = max(_open_ms(row, job) for row in rows)
    is_near = job["timeout_ms"] <= 4 * longest
    highest = max(longest, job["timeout_ms"] if is_near else 0.0, 1.0)
    divisor, unit = axis_unit(highest, DURATION_UNITS, "ms")
    committed = [row for row in rows if row[COMMITTED] is not None]
    open_ones = [row for row in rows if row[COMMITTED] is None]
    parts = (
        (say("Begun, written to"), rows, [row[PREPARED] - row[BEGUN] for row in rows], colours.load["working"]),
        (
            say("Pre-committed until committed"),
            committed,
            [max(row[COMMITTED] - row[PREPARED], 0) for row in committed],
            colours.series[2],
        ),
        (
            say("Pre-committed, never committed"),
            open_ones,
            [_open_ms(row, job) - (row[PREPARED] - row[BEGUN]) for row in open_ones],
            colours.warning,
        ),
    )
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": name,
            "legendgroup": name,
            "showlegend": first,
            "x": [row[PREPARED] for row in shown],
            "y": [length / divisor for length in lengths],
            "marker": {"color": colour},
            "text": [_hover_text(row, job) for row in shown],
            "textposition": "none",
            "hovertemplate": f"<b>{name}</b><br>%{{text}}<extra></extra>",
        }
        for name, shown, lengths, colour in parts
        if shown
    ]
    if job["failures"]:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": say("Aborted or fenced"),
                "legendgroup": "aborted",
                "showlegend": first,
                "x": [ts_ms for ts_ms, _ in job["failures"]],
                "y": [0.0] * len(job["failures"]),
                "marker": {"symbol": "x", "size": 10, "color": colours.alarm},
                "text": [escaped(text) for _, text in job["failures"]],
                "hovertemplate": "%{text}<br>%{x}<extra></extra>",
            }
        )
    label = (
        to_say("transaction.timeout.ms {timeout} (default)")
        if job["is_assumed"]
        else to_say("transaction.timeout.ms {timeout}")
    )
    name = say(label, timeout=duration(job["timeout_ms"]))
    return Panel(
        title=say("Open time of each transaction{job}", job=job_title(job, points)),
        unit=say("Open ({unit})", unit=unit),
        height=190,
        traces=traces,
        thresholds=[Threshold(job["timeout_ms"] / divisor, name)] if is_near else [],
        y={"range": [0, 1.15 * highest / divisor]},
    )


def _hover_text(row: Sequence[Any], job: Mapping[str, Any]) -> str:
    committed = (
        say("never committed")
        if row[COMMITTED] is None
        else say("committed after {committed}", committed=duration(row[COMMITTED] - row[BEGUN]))
    )
    return say(
        "Transaction of checkpoint {number}<br>pre-committed after {prepared}<br>{committed}<br>open for {time}",
        number=row[NUMBER],
        prepared=duration(row[PREPARED] - row[BEGUN]),
        committed=committed,
        time=exact_duration(_open_ms(row, job)),
    )


def summary(points: Points) -> str:
    """How many transactions were committed, how long the longest was open, and what was aborted."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    rows = job["transactions"]
    committed = sum(row[COMMITTED] is not None for row in rows)
    longest = max(rows, key=lambda row: (_open_ms(row, job), row[NUMBER]))
    sentence = (
        to_say(
            "{committed} of {count} transactions were committed. That of checkpoint {number} was "
            "open longest, {longest}; transaction.timeout.ms is {timeout} by default."
        )
        if job["is_assumed"]
        else to_say(
            "{committed} of {count} transactions were committed. That of checkpoint {number} was "
            "open longest, {longest}; transaction.timeout.ms is {timeout} as stated."
        )
    )
    text = say(
        sentence,
        committed=committed,
        count=len(rows),
        number=longest[NUMBER],
        longest=duration(_open_ms(longest, job)),
        timeout=duration(job["timeout_ms"]),
    )
    if _open_ms(longest, job) > job["timeout_ms"]:
        text = joined_sentences((text, say("Kafka aborts a transaction that is open for longer than that.")))
    if job["failures"]:
        count = len(job["failures"])
        text = joined_sentences((text, say("Records of an abort or a fenced producer: {count}.", count=count)))
    return text


def table(points: Points) -> list[list[Any]]:
    """The events in the order of time: begin, pre-commit, commit, abort."""
    events: list[tuple[int, str, Any, str]] = []
    for job in points["jobs"]:
        name = job["name"] or job["job_id"]
        for row in job["transactions"]:
            steps = ((say("begin"), BEGUN), (say("pre-commit"), PREPARED), (say("commit"), COMMITTED))
            events += [(row[column], what, row[NUMBER], name) for what, column in steps if row[column] is not None]
        events += [(ts_ms, say("abort"), None, f"{name}: {text}") for ts_ms, text in job["failures"]]
    ordered = sorted(events, key=lambda event: (event[0], str(event[2])))
    return [
        [say("Time (UTC, epoch ms)"), say("Event"), say("Transaction of checkpoint"), say("Job")],
        *map(list, ordered),
    ]


CHART = Chart(
    id="transactions",
    title=to_say("Transactions of the sink"),
    order=18,
    axis="time",
    missing=to_say(
        "The checkpoints of a job whose sink writes with transactions would fill this chart: the JobManager's "
        "log, and "
        "the TaskManagers' logs or the job's code for the sink's settings."
    ),
    panels=(),  # no metric of Flink shows how long a transaction is open
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
