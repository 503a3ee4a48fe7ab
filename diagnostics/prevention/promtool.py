"""The alerts as a rule file of Prometheus, with a unit test for `promtool test rules`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import yaml

from diagnostics.language import listed, say
from diagnostics.notation.control_characters import show_controls
from diagnostics.prevention.alert import Alert, duration
from diagnostics.prevention.series import STEP_MS, CaseSeries, Labels, Series
from diagnostics.wording import phrase

RULES_FILE, TEST_FILE = "flink-alerts.yaml", "flink-alerts-test.yaml"
PLANNED_RULES_FILE, PLANNED_TEST_FILE = "flink-alerts-after-plan.yaml", "flink-alerts-after-plan-test.yaml"
"""The same for the settings that the plan of a case proposes."""
AFTER_MS = 30 * 60_000
"""How long the incident goes on in the test, so that an alert that waits has time. Our choice."""
REPEATED_PART = 3
"""A count goes on growing as in the last third of the evidence: a job that completes checkpoints keeps doing so, one
that fails them too. So does a heap, which rises and falls. Any other value keeps its last one: what became worse does
not become better. Where the job ended nothing goes on, and a series that ended stays so. Our choice."""
SAW_TOOTH = "Heap_Used"
"""End of the metric that rises and falls from collection to collection: its last value says little."""
COUNTERS = (
    "numberOfCompletedCheckpoints",
    "numberOfFailedCheckpoints",
    "numLateRecordsDropped",
    "numRecordsIn",
    "numRestarts",
    "currentInputWatermark",
)
"""Ends of the metrics that count up; a watermark goes on with the clock."""
OPENING = re.compile(r"\{(?=\{)")
"""Every brace before another one: two begin a template of Prometheus."""
PLACEHOLDER = re.compile(r"\{(job_name|task_name)\}")


def rules_file(alerts: Sequence[Alert], case: str) -> str:
    """The rule file. `case` is its origin, for a comment."""
    groups = [{"name": "flink", "rules": [_rule(alert) for alert in alerts]}]
    made = say("# Made by the Flink workbench from {case}.", case=_one_line(case))
    return f"{made}\n{_yaml({'groups': groups})}"


def _rule(alert: Alert) -> dict[str, Any]:
    rule: dict[str, Any] = {"alert": alert.name, "expr": alert.expr}
    if alert.for_ms:
        rule["for"] = alert.waits
    rule["labels"] = {"severity": alert.severity}
    summary = PLACEHOLDER.sub(lambda found: f"{{{{ $labels.{found[1]} }}}}", alert.summary)
    rule["annotations"] = {"summary": summary, "description": _one_line(alert.why)}
    return rule


def unit_test(
    alerts: Sequence[Alert], series: CaseSeries, case: str, files: tuple[str, str] = (RULES_FILE, TEST_FILE)
) -> str | None:
    """The unit test; None when the case has no series that an alert reads. `files` are the names of rules and test.

    Each alert is evaluated just before it fires and when it fires, or at the end when this incident does not make it
    fire. An alert on metrics that the case does not have is left out, with a comment.
    """
    covered = [alert for alert in alerts if alert.is_covered_by(series)]
    if not covered:
        return None
    whole = continued(series)
    used = {metric for alert in covered for metric in alert.needs}
    test = {
        "interval": duration(STEP_MS),
        "input_series": [_input(each) for each in whole.series if each.metric in used],
        "alert_rule_test": [asked for alert in covered for asked in _asked(alert, whole)],
    }
    left_out = [alert.name for alert in alerts if alert not in covered]
    silent = [alert.name for alert in covered if not alert.firing(whole)]
    comments = [
        say("# The series of {case}, for: promtool test rules {file}", case=_one_line(case), file=files[1]),
        _after(series),
        *([say("# Not fired by this incident: {names}.", names=listed(silent))] if silent else []),
        *(
            [say("# Not tested, because the case holds no such series: {names}.", names=listed(left_out))]
            if left_out
            else []
        ),
    ]
    content = {"rule_files": [files[0]], "evaluation_interval": duration(STEP_MS), "tests": [test]}
    return "\n".join(comments) + "\n" + _yaml(content)


def _after(series: CaseSeries) -> str:
    """What the test does after the evidence, as a comment."""
    begin, end = (phrase.FORMATS["time"](moment) for moment in (series.from_ms, series.evidence_to_ms))
    if series.is_over:
        return say("# The series run from {begin} to {end}; the trouble was over within it.", begin=begin, end=end)
    if series.job_ended:
        return say(
            "# The series run from {begin} to {end}; the job ended within it, and its own series with it.",
            begin=begin,
            end=end,
        )
    return say(
        "# The series run from {begin} to {end}; after that counts grow as in their last third, a heap in use goes "
        "through its last third again and again, and other values stay.",
        begin=begin,
        end=end,
    )


def outcome(alert: Alert, series: CaseSeries) -> str:
    """What the alert does on the incident, as a sentence; the unit test expects the same."""
    if not alert.is_covered_by(series):
        missing = listed(metric for metric in alert.needs if not series.of(metric))
        return say("Not tested: the charts of this case hold no series of {metrics}.", metrics=missing)
    firing = alert.firing(continued(series))
    if not firing and series.is_over:
        if not any(any(holds) for holds in alert.condition(continued(series)).values()):
            return say("The series of this case never meet its condition.")
        held_ms = alert.longest_ms(continued(series))
        if not held_ms:
            return say(
                "This incident does not fire it: its condition holds at single looks only, and it waits for {waits}.",
                waits=phrase.duration(alert.for_ms),
            )
        return say(
            "This incident does not fire it: its condition holds for {held} at most, and it waits for {waits}.",
            held=phrase.duration(held_ms),
            waits=phrase.duration(alert.for_ms),
        )
    if not firing and series.job_ended:
        return say("The series do not fire it: the job ended before, and a job that ended has no series any more.")
    if not firing:
        return say("The series of this case do not fire it, not even if they go on as at the end of the evidence.")
    first_ms = _moment_ms(series, firing)
    # The step before the onset counts: what begins between two steps may show in the earlier one already.
    since = 0 if alert.since_ms is None else math.floor((alert.since_ms - series.from_ms) / STEP_MS)
    of_incident = alert.firing(continued(series), since)
    if of_incident and first_ms < (incident_ms := _moment_ms(series, of_incident)) <= series.to_ms:
        if alert.since_ms is not None and _goes_on(alert, series, min(firing.values()), min(of_incident.values())):
            return say(
                "This incident fires it at {time}, {ahead} before the trouble began.",
                time=phrase.FORMATS["time"](first_ms),
                ahead=phrase.duration(alert.since_ms - first_ms),
            )
        return say(
            "This incident fires it at {time}. It also fires at {before}, before the trouble began.",
            time=phrase.FORMATS["time"](incident_ms),
            before=phrase.FORMATS["time"](first_ms),
        )
    first, end = (phrase.FORMATS["time"](moment) for moment in (first_ms, series.evidence_to_ms))
    if first_ms <= series.to_ms:
        return say("This incident fires it at {time}.", time=first)
    if series.job_ended:
        return say(
            "This incident fires it at {time} if nobody starts the job again; its metrics end at {end}.",
            time=first,
            end=end,
        )
    return say(
        "This incident fires it at {time} if it goes on as at the end of its metrics, {end}.",
        time=first,
        end=end,
    )


def _goes_on(alert: Alert, series: CaseSeries, first: int, last: int) -> bool:
    """Whether the alert fires without a break between two steps: once, and not before the incident and in it."""
    return any(all(holds[first : last + 1]) for holds in alert.condition(series).values())


def _moment_ms(series: CaseSeries, firing: Mapping[Labels, int]) -> float:
    """When the first of these label sets fires, epoch ms."""
    return series.from_ms + min(firing.values()) * STEP_MS


def continued(series: CaseSeries) -> CaseSeries:
    """The incident, and how it goes on for AFTER_MS; one that is over does not."""
    if series.is_over:
        return series
    more = AFTER_MS // STEP_MS
    after = _held if series.job_ended else _gone_on
    longer = [replace(each, values=[*each.values, *after(each, more)]) for each in series.series]
    return replace(series, steps=series.steps + more, series=longer)


def _held(series: Series, more: int) -> list[float | None]:
    return [series.values[-1]] * more


def _gone_on(series: Series, more: int) -> list[float | None]:
    """The last value; of a counter the growth of the last part again and again, of a heap that part."""
    values = series.values
    if values[-1] is None or not series.metric.endswith((*COUNTERS, SAW_TOOTH)):
        return _held(series, more)
    last = values[-max(len(values) // REPEATED_PART, 1) :]
    if series.metric.endswith(SAW_TOOTH):
        return [last[step % len(last)] for step in range(more)]
    before = values[-len(last) - 1] if len(values) > len(last) else last[0]
    grown = [_growth(earlier or 0.0, each or 0.0) for earlier, each in zip([before, *last], last, strict=False)]
    found: list[float | None] = []
    total = values[-1] or 0.0
    for step in range(more):
        total += grown[step % len(grown)]
        found.append(round(total, 3))
    return found


def _growth(earlier: float, value: float) -> float:
    """What a count has grown by; one that began again has grown from 0."""
    return value - earlier if value >= earlier else value


def _input(series: Series) -> dict[str, str]:
    return {"series": f"{series.metric}{_labels(series.labels)}", "values": " ".join(_runs(series.values))}


def _runs(values: Sequence[float | None]) -> Iterator[str]:
    """`3+0x9` for ten times 3, `_x4` for four missing samples, in promtool's notation.

    A series that ends is marked, as Prometheus marks one that its target does not expose any more; without the mark
    its last value counts for five minutes.
    """
    for place, (value, group) in enumerate(groupby(values)):
        length = len(list(group))
        if value is None:
            if place:
                yield "stale"
                length -= 1
            if length:
                yield "_" if length == 1 else f"_x{length}"
        else:
            yield _exact(value) if length == 1 else f"{_exact(value)}+0x{length - 1}"


def _exact(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _asked(alert: Alert, series: CaseSeries) -> Iterator[dict[str, Any]]:
    firing = alert.firing(series)
    if not firing:
        yield _expected(alert, series.steps - 1, [])
        return
    first = min(firing.values())
    if first > 0:
        yield _expected(alert, first - 1, [])
    yield _expected(alert, first, sorted(labels for labels, step in firing.items() if step == first))


def _expected(alert: Alert, step: int, labels: Sequence[Labels]) -> dict[str, Any]:
    asked: dict[str, Any] = {"eval_time": duration(step * STEP_MS) if step else "0s", "alertname": alert.name}
    asked["exp_alerts"] = [_exp_alert(alert, dict(each)) for each in labels]
    return asked


def _exp_alert(alert: Alert, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "exp_labels": {"severity": alert.severity, **labels},
        "exp_annotations": {
            "summary": PLACEHOLDER.sub(lambda found: labels.get(found[1], ""), alert.summary),
            "description": _one_line(alert.why),
        },
    }


def _labels(labels: Labels) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}"


def _one_line(text: str) -> str:
    """Untrusted text on one line, without control characters, which YAML refuses, and without the start of a
    template.
    """
    return OPENING.sub("{ ", show_controls(" ".join(text.split())))


def _yaml(content: Any) -> str:
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000))
