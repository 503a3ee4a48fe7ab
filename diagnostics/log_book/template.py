"""Templates of log messages: patterns that differ only in words that vary, such as names, hosts and paths, become one.

The numbers, ids and addresses of a pattern are masked already (`pattern.py`); what remains are words. They are grouped
as Drain groups them: by the number of words, then by the first one, then by the share of equal words with the template
so far. Source: P. He, J. Zhu, Z. Zheng, M. R. Lyu, "Drain: An Online Log Parsing Approach with Fixed Depth Tree", ICWS
2017. Its Python package (drain3) pins libraries of 2021, and has no place for the rules below.

A message that means something else must not disappear in a template, so three things are stricter than in the paper:
only patterns of one logger and level are grouped, a constant in upper case (RUNNING, FAILED) never varies, and a word
varies only where MANY different ones were seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

VARIES = "<*>"

LEAST_ALIKE = 0.5
"""Share of equal words from which a pattern joins a template: the upper end of what the paper uses."""
MANY = 4
"""Patterns that a template needs, and different words that a place needs to vary. Our choice: three words could be
three different messages, and a pattern too many is only one more line.
"""
LEAST_EQUAL = 2
"""Words that a template keeps. Our choice: with one, `Client <*>` would be a template."""
MOST_TEMPLATES = 200
"""Templates of one group that a pattern is compared with; more are left as they are. Our choice: it bounds the time."""
MOST_WORDS = 60


def templates_of(patterns: Sequence[str], groups: Sequence[Hashable]) -> list[str]:
    """The template of each pattern; the pattern itself where it does not vary.

    groups  logger and level of each pattern: only patterns with the same ones are grouped
    """
    buckets: dict[Hashable, list[_Cluster]] = defaultdict(list)
    member_of: list[_Cluster | None] = []
    for pattern, group in zip(patterns, groups, strict=True):
        words = pattern.split(" ")
        member_of.append(None if len(words) > MOST_WORDS else _joined(buckets, words, group))
    return [
        cluster.template() if cluster is not None and cluster.varies else pattern
        for pattern, cluster in zip(patterns, member_of, strict=True)
    ]


class _Cluster:
    """Patterns of the same number of words with the words seen at each place."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._seen: list[set[str]] = [{word} for word in words]
        self._count = 1

    def alike(self, words: Sequence[str]) -> float:
        """Share of equal words, without empty ones; -1 when a constant differs, or too few words are equal."""
        equal = 0
        for known, word in zip(self._words, words, strict=True):
            if word == known:
                equal += bool(word)
            elif _is_constant(known) or _is_constant(word):
                return -1.0
        return equal / sum(map(bool, words)) if equal >= LEAST_EQUAL else -1.0

    def add(self, words: Sequence[str]) -> None:
        self._count += 1
        for place, word in enumerate(words):
            self._seen[place].add(word)
            if word != self._words[place]:
                self._words[place] = VARIES

    @property
    def varies(self) -> bool:
        """Whether it is a template: enough patterns, and enough words at each place that varies."""
        places = [seen for seen in self._seen if len(seen) > 1]
        return self._count >= MANY and bool(places) and all(len(seen) >= MANY for seen in places)

    def template(self) -> str:
        return " ".join(self._words)


def _joined(buckets: dict[Hashable, list[_Cluster]], words: Sequence[str], group: Hashable) -> _Cluster:
    bucket = buckets[group, len(words), _lookup(words[0])]
    best, most = None, LEAST_ALIKE
    for cluster in bucket[:MOST_TEMPLATES]:
        alike = cluster.alike(words)
        if alike >= most:
            best, most = cluster, alike
    if best is None:
        best = _Cluster(words)
        bucket.append(best)
    else:
        best.add(words)
    return best


def _lookup(word: str) -> str:
    """The first word as a key; one with a masked part may vary, as in the paper."""
    return VARIES if "<" in word or "/" in word else word


def _is_constant(word: str) -> bool:
    letters = word.strip("()[]{}.,:;'\"")
    return len(letters) > 1 and letters.isupper()
