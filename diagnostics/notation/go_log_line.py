"""A record of a program written in Go, such as Kubernetes' own or an operator of Flink: logfmt (logrus) and klog."""

from __future__ import annotations

import json
import re

_LOGFMT = re.compile(
    r'time="?[^"\s]{8,40}"? level=(?P<level>[a-z]{4,7}) msg=(?P<message>"(?:[^"\\]|\\.){0,2000}"|[^\s"]{1,2000})'
    r"(?P<fields>.{0,2000})",
    re.DOTALL,
)
_KLOG = re.compile(
    r"(?P<level>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,10} [\w.-]{1,80}:\d{1,6}\] (?P<message>.*)"
)
"""Source: the text formatter of sirupsen/logrus; the header of k8s.io/klog."""
FAILED = ("error", "fatal", "panic", "E", "F")


def error_line(line: str) -> str:
    """A record of the level of an error as `ERROR: message`, without its quotes; any other line unchanged."""
    found = _LOGFMT.match(line) or _KLOG.match(line)
    if found is None or found["level"] not in FAILED:
        return line
    return f"ERROR: {_unquoted(found['message'])}{found.groupdict().get('fields') or ''}"


def _unquoted(message: str) -> str:
    """The message without Go's quotes; those that JSON does not know are cut off."""
    if not message.startswith('"'):
        return message
    try:
        return str(json.loads(message))
    except ValueError:
        return message[1:-1]
