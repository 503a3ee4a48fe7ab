"""The process that a line is of, where a tool that puts the logs of several together says so on each line.

kubectl logs --prefix, stern, docker compose logs, logcli, and the JSON lines of log shippers and stores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_KUBECTL = re.compile(rb"\[pod/([^/\]\n]{1,253})/([^/\]\n]{1,63})\] ")
STERN = (
    rb"(?:[a-z0-9-]{1,63} )?(?P<pod>[a-z0-9][a-z0-9.-]{0,246}-(?:[a-z0-9]{5}|\d{1,5}(?:-\d{1,5})?)) "
    rb"(?P<container>[a-z0-9][a-z0-9-]{0,62}) "
)
"""The pod of a Deployment, a StatefulSet or Flink's own integration, with its namespace where several are read."""
_STERN = re.compile(STERN)
COMPOSE = rb"(?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) )(?P<service>[A-Za-z0-9_.@-]{1,160}) {0,40}\| "
"""A service of docker compose. A layout of log4j may print the level of a record so."""
_COMPOSE = re.compile(COMPOSE)
_LABELS = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) \{([^}\n]{0,4000})\} ")
_LABEL = re.compile(rb'(?:^|[ ,])(pod|pod_name|instance|container|filename)="([^"\\\n]{1,300})"')
MOST_TELLING = ("pod", "pod_name", "instance", "filename", "container")
"""Labels of Loki that name a process, the surest first. Source: Grafana Alloy and Promtail, discovery of Kubernetes."""
_POD = re.compile(
    rb'"(?:pod_?[nN]ame|pod|(?:k8s|kubernetes)\.pod[._]name|kubernetes_pod_name)"\s{0,5}:\s{0,5}"([^"\\\n]{1,253})"'
    rb'|"pod"\s{0,5}:\s{0,5}\{[^{}\n]{0,500}?"name"\s{0,5}:\s{0,5}"([^"\\\n]{1,253})"'
)
_STREAM = re.compile(rb'"(?:logStreamName|log_?[sS]tream|container_?[nN]ame)"\s{0,5}:\s{0,5}"([^"\\\n]{1,500})"')

SHARE = 0.6
"""Minimum share of the first lines that name a process. Our choice, as for the prefixes of lines."""

ProcessOfLine = Callable[[bytes], bytes | None]


def process_namer(head: bytes) -> ProcessOfLine | None:
    """What gives the name of a line's process, None for a line without one; None where the lines of a text name none.

    head  the beginning of the text
    """
    lines = [line for line in head[: head.rfind(b"\n") + 1].split(b"\n") if line.strip()]
    for namer in (_pod_by_kubectl, process_of_json, _process_by_logcli, _service_by_compose, _pod_by_stern):
        if lines and sum(namer(line) is not None for line in lines) >= SHARE * len(lines):
            return namer
    return None


def _pod_by_kubectl(line: bytes) -> bytes | None:
    match = _KUBECTL.match(line)
    return match and match[1] + b"_" + match[2]


def _pod_by_stern(line: bytes) -> bytes | None:
    match = _STERN.match(line)
    return match and match["pod"] + b"_" + match["container"]


def _service_by_compose(line: bytes) -> bytes | None:
    match = _COMPOSE.match(line)
    return match and match["service"]


def _process_by_logcli(line: bytes) -> bytes | None:
    match = _LABELS.match(line)
    labels = _LABEL.findall(match[1]) if match else []
    return process_of_labels({name.decode(): value.decode("utf-8", "replace") for name, value in labels})


def process_of_labels(labels: Mapping[str, object]) -> bytes | None:
    """The process that the labels of a stream of Loki name."""
    named = (labels.get(each) for each in MOST_TELLING)
    return next((each.encode() for each in named if isinstance(each, str)), None)


def process_of_json(line: bytes) -> bytes | None:
    """The process that an object with a line of a log names: a pod, else a stream or a container."""
    if not line.startswith(b"{"):
        return None
    match = _POD.search(line)
    if match:
        return match[1] or match[2]
    stream = _STREAM.search(line)
    return stream and stream[1]
