"""The outside system behind an address that an exception chain names, by its port or the domain of its host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue

PORT = re.compile(
    r"(?:(?<![\w.-])[A-Za-z][\w.-]{0,200}|\d{1,3}(?:\.\d{1,3}){3}|[\]>])\]?:(\d{4,5})(?![\d:.\w])"
    r"|, port:? (\d{4,5})\b|\(port=(\d{4,5})\)"
)
"""A port behind a host: `es-1/10.0.0.7:9200`, `host: ch-1, port: 8123`, `(host=db)(port=3306)`."""
HOST = re.compile(r"(?<![\w.-])((?:[A-Za-z0-9_-]{1,63}\.){2,8}[a-z]{2,8})(?![\w-])")
REGION = re.compile(r"(?<=\.)(?:[a-z]{2}(?:-[a-z]+)+-\d|dualstack)\.|(?<=\.)cn$|\.cn(?=$)")
"""Parts of a provider's name that differ by region: `b.s3.cn-north-1.amazonaws.com.cn` is `b.s3.amazonaws.com`."""


@cache
def _catalogue() -> Mapping[str, Mapping[str, Any]]:
    content: Any = catalogue("outside_addresses.yaml")
    return dict(content)


@cache
def _by_port() -> Mapping[str, str]:
    return {str(port): system for system, each in _catalogue().items() for port in each.get("ports", ())}


def system_at(text: str) -> str | None:
    """The system of the first address that is known; None where no address in the text is."""
    for found in HOST.findall(text):
        host = REGION.sub("", found)
        for system, each in _catalogue().items():
            if host.endswith(tuple(each.get("domains", ()))):
                return system
    ports = (next(filter(None, found)) for found in PORT.findall(text))
    return next((_by_port()[port] for port in ports if port in _by_port()), None)
