"""What containers and terminals put around the lines of a log, taken away without changing how many lines there are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_CONTAINERD = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ")
_KUBECTL_TIMESTAMP = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}(?:Z|[+-]\d\d:\d\d) ")
_KUBECTL_PREFIX = re.compile(rb"(?m)^\[pod/[^\]\n]{1,300}\] ")
_COMPOSE = re.compile(rb"(?m)^[A-Za-z0-9_.-]{1,100} {0,40}\| ")
_STERN = re.compile(
    rb"(?m)^[a-z0-9][a-z0-9.-]{1,253} [a-z0-9][a-z0-9-]{0,62} (?=\d{4}-\d\d-\d\d[ T]\d\d:|\s|Caused by|[a-z]+\.)"
)
_DOCKER_JSON = re.compile(rb'(?m)^\{"log":"')
_ANSI = re.compile(rb"\x1b\[[0-9;]{0,20}[A-Za-z]")

_TIME = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")

MOST_OF_A_HEAD = 0.6
"""So many of the first lines must carry a prefix for all lines to be freed of it. Our choice."""

Cleaner = Callable[[bytes], bytes]


def cleaner_for(head: bytes) -> Cleaner:
    """How to free the lines of a file from what its container put around them, judged by its first lines."""
    shown = _plain(head)
    steps: list[Cleaner] = []
    if _carried(_DOCKER_JSON, shown):
        steps.append(_from_docker_json)
        shown = _from_docker_json(shown)
    for pattern in (_KUBECTL_PREFIX, _COMPOSE, _STERN, _CONTAINERD):
        if _carried(pattern, shown):
            steps.append(_remover(pattern))
            shown = pattern.sub(b"", shown)
    if _carried(_KUBECTL_TIMESTAMP, shown) and len(_TIME.findall(_KUBECTL_TIMESTAMP.sub(b"", shown))) > 0:
        steps.append(_remover(_KUBECTL_TIMESTAMP))

    def clean(text: bytes) -> bytes:
        text = _plain(text)
        for step in steps:
            text = step(text)
        return text

    return clean


def _carried(pattern: re.Pattern[bytes], head: bytes) -> bool:
    lines = sum(1 for line in head.split(b"\n")[:-1] if line.strip()) or 1
    return len(pattern.findall(head)) / lines >= MOST_OF_A_HEAD


def _remover(pattern: re.Pattern[bytes]) -> Cleaner:
    return lambda text: pattern.sub(b"", text)


def _plain(text: bytes) -> bytes:
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    return text.replace(b"\r\n", b"\n") if b"\r\n" in text else text


def _from_docker_json(text: bytes) -> bytes:
    """Lines of Docker's json-file driver as the lines that the process wrote."""
    lines = text.split(b"\n")
    for place, line in enumerate(lines):
        if line.startswith(b'{"log":"'):
            try:
                said = json.loads(line).get("log")
            except (ValueError, RecursionError):
                continue
            if isinstance(said, str):
                lines[place] = said.rstrip("\r\n").replace("\n", " ").encode("utf-8", "replace")
    return b"\n".join(lines)
