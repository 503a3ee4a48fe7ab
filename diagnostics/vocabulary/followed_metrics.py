"""The metrics that signals and charts read over time, from `followed_metrics.yaml`."""

from __future__ import annotations

from functools import cache

from diagnostics.vocabulary.catalogue_file import catalogue

FILE = "followed_metrics.yaml"


@cache
def followed_metrics() -> tuple[frozenset[str], tuple[str, ...]]:
    """Exact names, and prefixes of the others."""
    content = catalogue(FILE)
    names = [str(name) for group in content.values() for name in group]
    return frozenset(names), tuple(name.removesuffix("*") for name in names if name.endswith("*"))


def is_followed(metric: str) -> bool:
    """Whether the samples of a metric are kept as a series."""
    names, beginnings = followed_metrics()
    return metric in names or metric.startswith(beginnings)
