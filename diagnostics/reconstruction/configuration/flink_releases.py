"""The Flink releases of the processes: which release wrote a log record or answered a REST request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.aggregators import jobs
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.vocabulary.known_bug import Release, release_of

VERSION = re.compile(r"\(Version: (\d[\w.+-]{2,40})")
"""The version that every process logs when it starts. Source: Flink's own log statements (layout.banner)."""


@dataclass(frozen=True, slots=True)
class FlinkReleases:
    """The releases that logs and REST answers state.

    by_file  file -> (start time or None, release) of each process start in that log
    stated   all releases of logs and REST answers
    """

    by_file: Mapping[int, Sequence[tuple[int | None, Release]]] = field(default_factory=dict)
    stated: frozenset[Release] = frozenset()

    def at(self, file_id: int, ts_ms: int | None) -> Release | None:
        """The release of the process that wrote to the file at that time, else the only release in the evidence."""
        started = self.by_file.get(file_id, ())
        before = [release for since, release in started if since is None or ts_ms is None or since <= ts_ms]
        if before:
            return before[-1]
        return only_one(self.stated)


@read_once
def flink_releases(evidence: Evidence) -> FlinkReleases:
    """The releases of an analysis, computed once for each Evidence; versions without a patch number are left out.

    Reads   log_record (process starts), job, config_option (the version of the cluster's REST answer).
    """
    by_file: dict[int, list[tuple[int | None, Release]]] = defaultdict(list)
    for event in incident_log(evidence).of("version"):
        named = VERSION.search(event.message)
        release = release_of(named[1]) if named else None
        if release:
            by_file[event.file_id].append((event.ts_ms, release))
    stated = {release for started in by_file.values() for _, release in started}
    answered = [row["flink_version"] for row in evidence.answer(jobs.AGGREGATOR).to_pylist()]
    settings, _ = settings_of(stated_options(evidence), None)
    answered.append(settings.get("flink_version"))
    stated |= {release for text in answered if isinstance(text, str) and (release := release_of(text))}
    return FlinkReleases(dict(by_file), frozenset(stated))
