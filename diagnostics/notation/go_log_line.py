"""A record of a program written in Go, such as Kubernetes' own or an operator of Flink: of logrus, klog and zap."""

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
_ZAP = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]{0,10}(?:Z|[+-]\d\d:?\d\d)\t(?P<level>[A-Z]{4,6})\t"
    r"(?:(?!\S{1,80}\.go:)[\w./-]{1,80}\t)?(?:\S{1,80}\.go:\d{1,6}\t)?(?P<message>[^\t]{1,2000})(?P<fields>\t\{.{0,2000})?"
)
_JSON = re.compile(
    r'\{(?=.{0,2000}"level":"(?P<level>error|fatal|panic|dpanic)")(?=.{0,2000}"msg":"(?P<message>(?:[^"\\]|\\.){1,2000})")'
)
_ERROR_FIELD = re.compile(r'"error": ?"(?P<error>(?:[^"\\]|\\.){1,2000})"')
"""Source: the text and JSON formatters of sirupsen/logrus; the header of k8s.io/klog; the console and JSON encoders of
go.uber.org/zap as controller-runtime sets them.
"""
FAILED = ("error", "fatal", "panic", "dpanic", "E", "F", "ERROR", "FATAL", "PANIC", "DPANIC")


def error_line(line: str) -> str:
    """A record of the level of an error as `ERROR: message`, without its quotes; any other line unchanged."""
    if structured := _ZAP.match(line) or _JSON.match(line):
        if structured["level"] not in FAILED:
            return line
        error = _ERROR_FIELD.search(line)
        said = [structured["message"], *([error["error"]] if error else [])]
        return "ERROR: " + ": ".join(_unquoted(f'"{each}"') for each in said)
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
