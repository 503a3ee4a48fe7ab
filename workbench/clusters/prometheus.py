"""Asks a Prometheus server for the metrics of a Flink job, and writes the answers into one zip.

Thanos, Mimir, Cortex and VictoriaMetrics answer the same two calls. Source: Prometheus documentation, "HTTP API", range
queries and label values (https://prometheus.io/docs/prometheus/latest/querying/api/).
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from diagnostics.collect_flink import Bundle, Cluster, Progress, Stopped, Unanswered
from diagnostics.notation.metric_name import from_prometheus
from diagnostics.vocabulary.followed_metrics import is_followed
from workbench.languages.sentences import say

LONGEST_SELECTOR = 500
POINTS = 400
"""Of one series over the window. Our choice: a chart is some 1,000 points wide; the server allows 11,000."""
LEAST_STEP = 15
"""Seconds. Prometheus' usual scrape interval is 15 s to a minute; closer points would repeat values."""
MOST_METRICS = 200
MOST_REASONS = 3
"""Shown where nothing could be read. Our choice: they mostly have one cause."""
JOB_SCOPES = ("flink_jobmanager_job_", "flink_taskmanager_job_")
"""How the names of metrics begin that carry the label `job_name`. Source: Flink documentation, "Metrics", scope."""


class SelectorRefused(Exception):
    """The matchers cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class MetricWindow:
    """What is asked for.

    selector  matchers that select this cluster's series; empty where the server has no others
    job       name of the job; empty for all
    """

    begin: dt.datetime
    end: dt.datetime
    selector: str = ""
    job: str = ""

    @property
    def step(self) -> int:
        """Seconds between two points."""
        return max(LEAST_STEP, round((self.end - self.begin).total_seconds() / POINTS))


def gather_metrics(server: Cluster, target: Path, window: MetricWindow, progress: Progress) -> int:
    """Writes the zip; gives the number of metrics in it. Raises Unanswered when there is none or nobody answers.

    What `progress` raises when it is shown something, but for Stopped, ends the run without a zip.
    """
    progress.label = "metrics"
    names = _names(server, window)
    bundle, skipped, count = Bundle(target), [], 0
    try:
        try:
            for name in names[:MOST_METRICS]:
                progress.show(server, name)
                try:
                    content, _ = server.json(_range_query(name, window))
                except Unanswered as error:
                    skipped.append(say("{name} was not read: {error}", name=name, error=error))
                    continue
                bundle.add(f"prometheus/{name}.json", content)
                count += 1
        except Stopped as error:
            skipped.append(say("everything after: {error}", error=error))
        skipped += [
            say("{name}: more than {most} metrics", name=name, most=MOST_METRICS) for name in names[MOST_METRICS:]
        ]
        report = {
            "collector": "prometheus 1",
            "prometheus": server.shown,
            "selector": window.selector,
            "job": window.job,
            "started": window.begin.isoformat(timespec="milliseconds"),
            "ended": window.end.isoformat(timespec="milliseconds"),
            "step_s": window.step,
            "requests": server.requests,
            "bytes": server.bytes,
            "skipped": skipped,
        }
        bundle.add("prometheus/collected.json", json.dumps(report, indent=1).encode())
        if not count:
            raise Unanswered(say("no metric could be read: {reasons}", reasons="; ".join(skipped[:MOST_REASONS])))
        bundle.finish()
    except BaseException:
        bundle.discard()
        raise
    return count


def selector_read(written: str) -> str:
    """The matchers as they were typed, with or without braces. Raises SelectorRefused."""
    plain = written.strip().removeprefix("{").removesuffix("}").strip().rstrip(",")
    matcher = r'[a-zA-Z_][a-zA-Z0-9_]*\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"'
    if len(plain) > LONGEST_SELECTOR:
        raise SelectorRefused(say("Matchers have at most {most} letters.", most=LONGEST_SELECTOR))
    if plain and not re.fullmatch(rf"{matcher}(?:\s*,\s*{matcher})*", plain):
        raise SelectorRefused(say('Matchers are written as in Prometheus: namespace="payments", cluster=~"prod-.*".'))
    return plain


def _names(server: Cluster, window: MetricWindow) -> list[str]:
    """Names of Flink's metrics that signals and charts look at. Raises Unanswered, also when there is none."""
    asked = {
        "match[]": _series('__name__=~"flink_.+"', window.selector),
        "start": _seconds(window.begin),
        "end": _seconds(window.end),
    }
    _, answer = server.json(f"/api/v1/label/__name__/values?{urlencode(asked)}")
    names = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(names, list):
        raise Unanswered(say("what answers there is no Prometheus API"))
    followed = sorted(name for name in names if isinstance(name, str) and _is_followed(name))
    if not followed:
        span = {"begin": f"{window.begin:%F %T}", "end": f"{window.end:%F %T} UTC"}
        if window.selector:
            raise Unanswered(
                say(
                    "it has no metric of Flink with {selector} between {begin} and {end}",
                    selector=window.selector,
                    **span,
                )
            )
        raise Unanswered(say("it has no metric of Flink between {begin} and {end}", **span))
    return followed


def _is_followed(name: str) -> bool:
    metric = from_prometheus(name)
    return metric is not None and is_followed(metric.metric)


def _range_query(name: str, window: MetricWindow) -> str:
    job = f"job_name=~{_quoted(_as_label(window.job))}" if window.job and name.startswith(JOB_SCOPES) else ""
    asked: dict[str, Any] = {
        "query": _series(f"__name__={_quoted(name)}", job, window.selector),
        "start": _seconds(window.begin),
        "end": _seconds(window.end),
        "step": window.step,
    }
    return f"/api/v1/query_range?{urlencode(asked)}"


def _as_label(job: str) -> str:
    """An expression for the job's name, unchanged and as Flink's reporter writes it.

    The reporter puts `_` for every character of a label but letters, digits, `:` and `_`, unless configured otherwise.
    Source: Flink documentation, "Metric Reporters", `filterLabelValueCharacters`.
    """
    return "".join(letter if re.match(r"[A-Za-z0-9:_]", letter) else "." for letter in job)


def _series(*matchers: str) -> str:
    return "{" + ",".join(each for each in matchers if each) + "}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _seconds(moment: dt.datetime) -> str:
    return f"{moment.timestamp():.3f}"
