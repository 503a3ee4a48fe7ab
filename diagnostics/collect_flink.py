#!/usr/bin/env python3
"""Collects the evidence of a running cluster from Flink's REST API into one zip for the Flink workbench.

    python3 collect_flink.py --rest http://jobmanager:8081

A cluster that asks for a login gets it from a file, so that no list of processes shows it: `--token-file` (a token,
as Kubernetes mounts one) or `--login-file` (user:password on one line).

Takes snapshots over a chosen time: overview, configuration, TaskManagers, jobs, vertices, checkpoints, back pressure,
watermarks, metrics, flame graphs, thread dumps, and at last the logs. It only reads (GET and nothing else), follows no
redirect, asks a bounded number of questions a second, waits at least as long as the last answer took, and stops at
a bounded size. What it did not get and why is in `collected.json` of the zip.

One file, Python 3.8 or newer, nothing to install. Exit status 0 when the zip was written, 2 when nothing answered.
What it prints is in the language of the terminal or of `--language`; the zip is English.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import datetime
import http.client
import itertools
import json
import os
import re
import ssl
import sys
import time
import urllib.parse
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

VERSION = 1
UTC = datetime.timezone.utc  # noqa: UP017 - its short name is of Python 3.11
PARTS = ("metrics", "flame-graphs", "thread-dumps", "logs")
ENGLISH, CHINESE = LANGUAGES = ("en", "zh-hans")

PIECE_BYTES = 64 * 1024
MOST_ANSWER_BYTES = 64 * 1024 * 1024
"""Bytes of one JSON answer. Our choice: metric names of a vertex of some thousand subtasks take a few MB."""
LONGEST_QUERY = 3000
"""Characters of one list of metric names; Flink's REST server refuses a request line of more than 4,096."""
LONGEST_WAIT_S = 5.0
MOST_JOBS = 20
MOST_TASK_MANAGERS = 50
MOST_CHECKPOINTS = 5
"""Checkpoints of one job whose subtasks are requested: the newest, the newest failed and the slowest are among them."""
SAMPLES_PENDING = -3
"""`endTimestamp` of a flame graph that is being sampled. Source: Flink, JobVertexFlameGraphHandler."""

TASK_METRICS = (
    "busyTimeMsPerSecond",
    "backPressuredTimeMsPerSecond",
    "idleTimeMsPerSecond",
    "numRecordsIn",
    "numRecordsOut",
    "numRecordsInPerSecond",
    "numRecordsOutPerSecond",
    "currentInputWatermark",
    "currentOutputWatermark",
    "checkpointStartDelayNanos",
    "checkpointAlignmentTime",
    "numLateRecordsDropped",
    "lateRecordsDropped",
    "pendingRecords",
    "records-lag-max",
    "buffers.inPoolUsage",
    "buffers.outPoolUsage",
    "buffers.inputExclusiveBuffersUsage",
    "buffers.inputFloatingBuffersUsage",
    "buffers.inputQueueLength",
    "buffers.outputQueueLength",
    "buffers.inputQueueSize",
    "buffers.outputQueueSize",
    "isBackPressured",
    "softBackPressuredTimeMsPerSecond",
    "hardBackPressuredTimeMsPerSecond",
    "accumulateBusyTimeMs",
    "accumulateBackPressuredTimeMs",
    "accumulateIdleTimeMs",
    "numBytesIn",
    "numBytesOut",
    "numBytesInPerSecond",
    "numBytesOutPerSecond",
    "watermarkLag",
    "currentEmitEventTimeLag",
    "currentFetchEventTimeLag",
    "sourceIdleTime",
    "watermarkAlignmentDrift",
    "numRecordsInErrors",
    "numRecordsOutErrors",
    "numRecordsSendErrors",
    "currentSendTime",
    "mailboxLatencyMs_p99",
    "mailboxLatencyMs_mean",
    "mailboxQueueSize",
    "numFiredTimersPerSecond",
    "debloatedBufferSize",
    "estimatedTimeToConsumeBuffersMs",
    "pendingCommittables",
    "failedCommittables",
    "retriedCommittables",
    "KafkaSourceReader.commitsFailed",
    "KafkaProducer.record-error-rate",
    "KafkaProducer.request-latency-avg",
    "cache.hitCount",
    "cache.missCount",
    "cache.latestLoadTime",
    "asyncStateProcessing.numInFlightRecords",
)
"""Metrics of tasks and operators that are requested, the most important first; `rocksdb.` ones come after them. Source:
Flink documentation, "Metrics".
"""

PLACES_BY_METRIC = {name: place for place, name in enumerate(TASK_METRICS)}
PROCESS_METRICS = re.compile(r"(?:Status|System)\.|(?:num|task)[A-Z]\w*$")


class Sentence(str):
    """An English sentence, as the report has it, that carries its Chinese one for the terminal."""

    chinese: str


def say(text: str, **values: Any) -> Sentence:
    """The sentence of a literal that SENTENCES has in Chinese, with its values by name; these may be sentences too."""
    sentence = Sentence(text.format(**values))
    in_chinese = {name: getattr(value, "chinese", value) for name, value in values.items()}
    sentence.chinese = SENTENCES.get(text, text).format(**in_chinese)
    return sentence


class Terminal:
    """Who reads what is printed: `main` sets the language. A program that imports this file gets English."""

    language = ENGLISH


def shown(text: str) -> str:
    """The text in the language of the terminal."""
    return text.chinese if Terminal.language == CHINESE and isinstance(text, Sentence) else text


class Stopped(Exception):
    """A limit of the whole collection is reached; its argument, a sentence, names it."""


class Unanswered(Exception):
    """A useless answer: refused, too large, not JSON, or none at all; its argument, a sentence, says why."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Limits:
    """Limits that protect the cluster and this machine."""

    requests_per_second: float
    most_bytes: int
    most_log_bytes: int
    most_metrics: int
    answer_seconds: float


class Cluster:
    """The REST API of one cluster, at a limited request rate. Sends only GET."""

    def __init__(self, url: str, limits: Limits, headers: dict[str, str], context: ssl.SSLContext | None) -> None:
        parts = urllib.parse.urlsplit(url if "//" in url else "http://" + url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(say("--rest is an address such as http://jobmanager:8081"))
        self._limits = limits
        self._headers = {"Accept-Encoding": "identity", "User-Agent": f"collect_flink/{VERSION}", **headers}
        if parts.username is not None:
            secret = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(secret.encode()).decode()
        self._base = parts.path.rstrip("/")
        place = parts.hostname if ":" not in parts.hostname else f"[{parts.hostname}]"
        self.shown = f"{parts.scheme}://{place}{'' if parts.port is None else f':{parts.port}'}{self._base}"
        self._secure = parts.scheme == "https"
        self._host, self._port, self._context = parts.hostname, parts.port, context
        self._connection: http.client.HTTPConnection | None = None
        self._free_at = 0.0
        self.requests = 0
        self.bytes = 0

    def json(self, path: str) -> tuple[bytes, Any]:
        """The answer to `path`, as bytes and parsed. Raises Unanswered, Stopped."""
        content = b"".join(self.pieces(path, MOST_ANSWER_BYTES))
        try:
            return content, json.loads(content)
        except (ValueError, RecursionError):
            raise Unanswered(say("the answer is no JSON")) from None

    def pieces(self, path: str, most: int) -> Iterator[bytes]:
        """The body of the answer in pieces. Raises Unanswered, Stopped."""
        if self.bytes >= self._limits.most_bytes:
            raise Stopped(say("{most:,} bytes were collected (--most-megabytes)", most=self._limits.most_bytes))
        time.sleep(max(0.0, self._free_at - time.monotonic()))
        begun = time.monotonic()
        self.requests += 1
        try:
            response = self._ask(path)
            if response.status != 200:
                raise Unanswered(_refusal(response), response.status)
            size = 0
            while True:
                piece = response.read(PIECE_BYTES)
                if not piece:
                    break
                size += len(piece)
                self.bytes += len(piece)
                if size > most:
                    raise Unanswered(say("the answer has more than {most:,} bytes", most=most))
                if self.bytes > self._limits.most_bytes:
                    raise Unanswered(
                        say("more than {most:,} bytes in total (--most-megabytes)", most=self._limits.most_bytes)
                    )
                yield piece
            if response.length:
                raise Unanswered(say("the answer ended {missing:,} bytes too early", missing=response.length))
        except (OSError, http.client.HTTPException) as error:
            self._close()
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unanswered(say("no answer: {reason}", reason=reason)) from None
        except (Unanswered, GeneratorExit):
            self._close()
            raise
        finally:
            took = time.monotonic() - begun
            pause = max(1.0 / self._limits.requests_per_second - took, min(took, LONGEST_WAIT_S))
            self._free_at = time.monotonic() + pause

    def _ask(self, path: str) -> http.client.HTTPResponse:
        """The head of the answer. Reopens a connection once that the other side closed meanwhile."""
        for attempt in (1, 2):
            kept = self._connection is not None
            connection = self._connection or self._connect()
            self._connection = connection
            try:
                connection.request("GET", self._base + path, headers=self._headers)
                return connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self._close()
                if attempt == 2 or not kept:
                    raise
        raise AssertionError("unreachable")

    def _connect(self) -> http.client.HTTPConnection:
        wait = self._limits.answer_seconds
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=wait, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=wait)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _refusal(response: http.client.HTTPResponse) -> str:
    if 300 <= response.status < 400:
        return say("it redirects to {address}: use that address as --rest", address=response.getheader("Location"))
    body = response.read(4096).decode("utf-8", "replace")
    with contextlib.suppress(ValueError, KeyError, TypeError):
        body = " ".join(str(error) for error in json.loads(body)["errors"])
    return f"HTTP {response.status}: {' '.join(body.split())[:200]}"


class Bundle:
    """The zip being written: answers by path, an `index.json` per snapshot, and the list of missing answers."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._part = target.with_name(target.name + ".part")
        self._zip = zipfile.ZipFile(self._part, "w", zipfile.ZIP_DEFLATED, allowZip64=True)
        self._names: set[str] = set()
        self.files = 0

    def add(self, name: str, content: bytes) -> None:
        """Add a complete file."""
        self._zip.writestr(self._free(name), content)
        self.files += 1

    def add_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a file in pieces; after an error the received pieces are kept."""
        with self._zip.open(self._free(name), "w", force_zip64=True) as target:
            self.files += 1
            for piece in pieces:
                target.write(piece)

    def finish(self) -> None:
        """Rename the zip to its final name, which only complete files have."""
        self._zip.close()
        self._part.replace(self._target)

    def discard(self) -> None:
        """Delete the unfinished zip."""
        self._zip.close()
        self._part.unlink()

    def _free(self, name: str) -> str:
        """A unique path that is valid on any file system."""
        safe = "/".join(re.sub(r"[^A-Za-z0-9._-]", "_", part)[:150].strip(".") or "_" for part in name.split("/"))
        free, count = safe, 1
        while free in self._names:
            count += 1
            free = f"{safe}.{count}"
        self._names.add(free)
        return free


class Collection:
    """One run: queries the cluster, fills the bundle, records missing answers."""

    def __init__(
        self, cluster: Cluster, bundle: Bundle, options: argparse.Namespace, limits: Limits, progress: Progress
    ) -> None:
        self._cluster, self._bundle, self._options, self._limits = cluster, bundle, options, limits
        self._folder = ""
        self._index: list[dict[str, Any]] = []
        self._absent: set[str] = set()
        self._settled: set[str] = set()
        self._over: set[str] = set()
        self._cut: set[str] = set()
        self.skipped: list[str] = []
        self.progress = progress

    def snapshot(self, number: int) -> None:
        """All answers of one moment, in their own folder."""
        self._folder, self._index = f"rest/snapshot-{number}", []
        try:
            self._processes(first=number == 1)
            for job in self._jobs():
                # The answers about a job that is over do not change.
                if job not in self._over:
                    self._job(job, first=number == 1)
        finally:
            self._bundle.add(f"{self._folder}/index.json", json.dumps(self._index, indent=1).encode())

    def logs(self) -> None:
        """The log files of JobManager and TaskManagers, newest first, without large ones."""
        if "logs" in self._options.without:
            return
        self._folder, self._index = "logs", []
        processes = [("jobmanager", "/jobmanager")]
        processes += [(f"taskmanager-{each}", f"/taskmanagers/{_quoted(each)}") for each in self._task_managers()]
        for name, path in processes:
            listed = self._ask(f"{path}/logs", keep=False)
            files = [each for each in _list(listed, "logs") if isinstance(each.get("name"), str)]
            for each in sorted(files, key=lambda each: -_number(each.get("mtime"))):
                self._log(name, path, each["name"], _number(each.get("size")))

    def _log(self, process: str, path: str, name: str, size: float) -> None:
        if not size:
            return
        if size > self._limits.most_log_bytes:
            large = say("{size:,.0f} bytes, more than --log-megabytes; copy it from its host", size=size)
            self._skip(say("{path}: {reason}", path=f"{process}/{name}", reason=large))
            return
        asked = f"{path}/logs/{_quoted(name)}"
        self.progress.show(self._cluster, asked)
        try:
            # The file may have grown since it was listed.
            pieces = self._cluster.pieces(asked, 2 * self._limits.most_log_bytes)
            begin = next(pieces, b"")
            self._bundle.add_pieces(f"logs/{process}/{name}", itertools.chain([begin], pieces))
        except Unanswered as error:
            self._skip(say("{path}: {reason}", path=asked, reason=error.args[0]))

    def _processes(self, *, first: bool) -> None:
        self._ask("/overview")
        if first:
            for path in ("/config", "/jobmanager/config", "/jobmanager/environment"):
                self._ask(path)
        self._process_metrics("/jobmanager")
        if "thread-dumps" not in self._options.without:
            self._ask("/jobmanager/thread-dump")
        for each in self._task_managers():
            path = f"/taskmanagers/{_quoted(each)}"
            self._ask(path, f"taskmanagers/{each}")
            self._process_metrics(path, f"taskmanagers/{each}")
            if "thread-dumps" not in self._options.without:
                self._ask(f"{path}/thread-dump", f"taskmanagers/{each}/thread-dump")

    def _task_managers(self) -> list[str]:
        answer = self._ask("/taskmanagers", keep=self._folder != "logs")
        found = sorted(each["id"] for each in _list(answer, "taskmanagers") if isinstance(each.get("id"), str))
        if found[MOST_TASK_MANAGERS:]:
            beyond = _beyond(found, MOST_TASK_MANAGERS)
            self._skip(say("{count} TaskManagers beyond the first {most}: {names} ...", **beyond))
        return found[:MOST_TASK_MANAGERS]

    def _jobs(self) -> list[str]:
        """The jobs to examine: the requested one, or running ones and then those that ended last."""
        answer = self._ask("/jobs/overview")
        listed = [each for each in _list(answer, "jobs") if re.fullmatch(r"[0-9a-f]{32}", str(each.get("jid")))]
        if self._options.job:
            return [each["jid"] for each in listed if each["jid"] == self._options.job] or [self._options.job]
        listed.sort(key=lambda each: (_number(each.get("end-time")) > 0, -_number(each.get("last-modification"))))
        if listed[MOST_JOBS:]:
            beyond = _beyond([each["jid"] for each in listed], MOST_JOBS)
            self._skip(say("{count} jobs beyond the first {most}: {names} ...", **beyond))
        return [each["jid"] for each in listed[:MOST_JOBS]]

    def _job(self, job: str, *, first: bool) -> None:
        path = f"/jobs/{job}"
        answer = self._ask(path)
        if first:
            for part in ("/config", "/plan", "/checkpoints/config"):
                self._ask(path + part)
        self._ask(f"{path}/exceptions?maxExceptions=50", path[1:] + "/exceptions")
        vertices = [each["id"] for each in _list(answer, "vertices") if isinstance(each.get("id"), str)]
        self._checkpoints(path, vertices)
        self._metrics(f"{path}/metrics", lambda names: names)
        is_over = isinstance(answer, dict) and _number(answer.get("end-time")) > 0
        if is_over:
            self._over.add(job)
        for vertex in vertices:
            self._vertex(f"{path}/vertices/{_quoted(vertex)}", is_over=is_over)

    def _vertex(self, path: str, *, is_over: bool) -> None:
        self._ask(path)
        if is_over:
            return
        self._ask(f"{path}/backpressure")
        self._ask(f"{path}/watermarks")
        self._metrics(f"{path}/metrics", _by_importance)
        if "flame-graphs" not in self._options.without:
            self._flame_graph(path)

    def _flame_graph(self, path: str) -> None:
        """Flink starts sampling at the first request, once for all kinds; the next snapshot gets the samples."""
        name = path[1:] + "/flamegraph"
        answer = self._ask(f"{path}/flamegraph?type=FULL", f"{name}-full", keep=False)
        if not isinstance(answer, dict):
            return
        if not isinstance(answer.get("data"), dict):
            if answer.get("endTimestamp") != SAMPLES_PENDING:
                self._absent.add(f"{path}/flamegraph?type=FULL")
            return
        self._bundle.add(f"{self._folder}/{name}-full.json", json.dumps(answer).encode())
        for kind in ("ON_CPU", "OFF_CPU"):
            self._ask(f"{path}/flamegraph?type={kind}", f"{name}-{kind.lower()}")

    def _checkpoints(self, path: str, vertices: Sequence[str]) -> None:
        answer = self._ask(f"{path}/checkpoints")
        for checkpoint in _chosen_checkpoints(_list(answer, "history")):
            details = f"{path}/checkpoints/details/{checkpoint['id']}"
            if details in self._settled:
                continue
            if checkpoint.get("status") != "IN_PROGRESS":
                self._settled.add(details)
            if self._ask(details) is not None:
                for vertex in vertices:
                    self._ask(f"{details}/subtasks/{_quoted(vertex)}")

    def _process_metrics(self, path: str, name: str = "") -> None:
        self._metrics(
            f"{path}/metrics",
            lambda names: [each for each in names if PROCESS_METRICS.match(each)],
            f"{name or path[1:]}/metrics",
        )

    def _metrics(self, path: str, choose: Any, name: str = "") -> None:
        """The values of selected metrics, in as few requests as possible, joined in one file."""
        if "metrics" in self._options.without:
            return
        listed = self._ask(path, name, keep=False)
        names = choose([each["id"] for each in _list(listed) if isinstance(each.get("id"), str)])
        if len(names) > self._limits.most_metrics:
            if path not in self._cut:
                self._cut.add(path)
                beyond = {"count": len(names) - self._limits.most_metrics, "total": len(names)}
                many = say("{count} of {total} metrics (--most-metrics)", **beyond)
                self._skip(say("{path}: {reason}", path=path, reason=many))
            self._sums(path, names)
        name = name or path[1:]
        values: list[Any] = []
        for query in _queries(names[: self._limits.most_metrics]):
            values += _list(self._ask(f"{path}?get={query}", name, keep=False))
        if values:
            self._bundle.add(f"{self._folder}/{name}.json", json.dumps(values).encode())

    def _sums(self, path: str, names: Sequence[str]) -> None:
        """Aggregates over the subtasks of a vertex that has too many of them for single requests."""
        listed = {name.partition(".")[2] for name in names}
        query = ",".join(name for name in TASK_METRICS if name in listed)
        if query:
            sums = path.replace("/metrics", "/subtasks/metrics")
            self._ask(f"{sums}?get={query}&agg=min,max,avg,sum", sums[1:])

    def _ask(self, path: str, name: str = "", *, keep: bool = True) -> Any:
        """The parsed answer, stored under its path; None when there is none. A missing path is requested once."""
        if path in self._absent:
            return None
        self.progress.show(self._cluster, path)
        name = f"{name or urllib.parse.unquote(path[1:])}.json"
        entry: dict[str, Any] = {"file": name, "path": path, "at": time.time(), "status": 200}
        try:
            content, answer = self._cluster.json(path)
        except Unanswered as error:
            entry["status"] = error.status or 0
            self._index.append(entry)
            if error.status == 404:
                self._absent.add(path)
            self._skip(say("{path}: {reason}", path=path, reason=error.args[0]))
            return None
        self._index.append(entry)
        if keep:
            self._bundle.add(f"{self._folder}/{name}", content)
        return answer

    def _skip(self, what: str) -> None:
        if what not in self.skipped:
            self.skipped.append(what)


def _beyond(names: Sequence[str], most: int) -> dict[str, Any]:
    """The values of a sentence about the names after the first ones; it has some of these names."""
    return {"count": len(names) - most, "most": most, "names": ", ".join(names[most:][:5])}


def _chosen_checkpoints(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The newest failed, the newest completed, the one in progress, and then the slowest."""
    known = [each for each in history if isinstance(each.get("id"), int)]
    chosen: dict[int, dict[str, Any]] = {}
    for status in ("FAILED", "COMPLETED", "IN_PROGRESS"):
        newest = next((each for each in known if each.get("status") == status), None)
        if newest is not None:
            chosen[newest["id"]] = newest
    for each in sorted(known, key=lambda each: -_number(each.get("end_to_end_duration"))):
        if len(chosen) < MOST_CHECKPOINTS:
            chosen[each["id"]] = each
    return list(chosen.values())


def _by_importance(names: Sequence[str]) -> list[str]:
    """Metric ids of a vertex (`<subtask>.<metric>`, `<subtask>.<operator>.<metric>`), the most important first."""
    ranked = []
    for name in names:
        parts = name.split(".")
        places = [PLACES_BY_METRIC.get(".".join(parts[start:])) for start in range(1, len(parts))]
        place = min((place for place in places if place is not None), default=None)
        if place is None and "rocksdb" in name:
            place = len(TASK_METRICS)
        if place is not None:
            ranked.append((place, name))
    return [name for _, name in sorted(ranked)]


def _queries(names: Sequence[str]) -> Iterator[str]:
    """The names, quoted, as lists that fit into one request each."""
    query: list[str] = []
    for name in names:
        quoted = _quoted(name)
        if query and sum(map(len, query)) + len(query) + len(quoted) > LONGEST_QUERY:
            yield ",".join(query)
            query = []
        query.append(quoted)
    if query:
        yield ",".join(query)


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _list(answer: Any, key: str = "") -> list[dict[str, Any]]:
    """The objects of a list (of `answer[key]`), an empty one for anything else."""
    found = answer.get(key) if key and isinstance(answer, dict) else answer
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


class Progress:
    """Progress on the terminal: a line that changes, or occasional lines in a log."""

    def __init__(self) -> None:
        self.label = ""
        self._begun = self._shown = time.monotonic()
        self._changes = sys.stderr.isatty()

    def show(self, cluster: Cluster, path: str) -> None:
        """Show a request before it is sent."""
        now = time.monotonic()
        if now - self._shown < (0.2 if self._changes else 10.0):
            return
        self._shown = now
        text = shown(
            say(
                "{seconds:4.0f} s  {label}: {requests} requests, {size:.1f} MB",
                seconds=now - self._begun,
                label=self.label,
                requests=cluster.requests,
                size=cluster.bytes / 1e6,
            )
        )
        sys.stderr.write(f"\r{text}  {path[:60]:60}" if self._changes else f"{text}\n")
        sys.stderr.flush()

    def say(self, text: str) -> None:
        """Print a permanent line."""
        sys.stderr.write(f"\r{shown(text):100}\n" if self._changes else f"{shown(text)}\n")
        sys.stderr.flush()


def limits_of(options: argparse.Namespace) -> Limits:
    """The limits set by the options."""
    return Limits(
        requests_per_second=options.rate,
        most_bytes=int(options.most_megabytes * 1e6),
        most_log_bytes=int(options.log_megabytes * 1e6),
        most_metrics=options.most_metrics,
        answer_seconds=options.answer_seconds,
    )


def collect(options: argparse.Namespace) -> int:
    """The whole run on a terminal. Gives the exit status."""
    limits = limits_of(options)
    cluster = Cluster(options.rest, limits, {**_login(options), **dict(options.header)}, _tls(options))
    begun = datetime.datetime.now(UTC)
    target = Path(options.out or f"flink-evidence-{begun:%Y%m%dT%H%M%SZ}.zip")
    progress = Progress()
    try:
        report = gather(cluster, target, options, limits, progress)
    except Unanswered as error:
        address = f"{cluster.shown}/overview"
        progress.say(say("{address} gives no answer of Flink: {reason}", address=address, reason=error.args[0]))
        return 2
    for each in report["skipped"]:
        progress.say(say("not collected: {value}", value=each))
    progress.say(
        say(
            "{path}: {files} files, {size:.1f} MB, {requests} requests in {seconds:.0f} s",
            path=target,
            files=report["files"],
            size=target.stat().st_size / 1e6,
            requests=cluster.requests,
            seconds=(datetime.datetime.now(UTC) - begun).total_seconds(),
        )
    )
    return 0


def gather(
    cluster: Cluster, target: Path, options: argparse.Namespace, limits: Limits, progress: Progress
) -> dict[str, Any]:
    """Write the zip, and give the content of its `collected.json`. Raises Unanswered when there is no Flink.

    An exception from `progress`, except Stopped, ends the run without a zip.
    """
    begun = datetime.datetime.now(UTC)
    cluster.json("/overview")
    bundle = Bundle(target)
    try:
        report = _gathered(cluster, bundle, options, limits, progress, begun)
        bundle.finish()
    except BaseException:
        bundle.discard()
        raise
    return report


def _gathered(
    cluster: Cluster,
    bundle: Bundle,
    options: argparse.Namespace,
    limits: Limits,
    progress: Progress,
    begun: datetime.datetime,
) -> dict[str, Any]:
    collection = Collection(cluster, bundle, options, limits, progress)
    taken = 0
    try:
        for taken in _moments(options, collection.progress):
            collection.snapshot(taken)
        collection.progress.label = say("logs")
        collection.logs()
    except Stopped as error:
        collection.skipped.append(say("everything after: {reason}", reason=error.args[0]))
    except KeyboardInterrupt:
        collection.skipped.append(say("everything after: {reason}", reason=say("it was interrupted")))
    ended = datetime.datetime.now(UTC)
    report = {
        "collector": f"collect_flink {VERSION}",
        "rest": cluster.shown,
        "started": begun.isoformat(timespec="milliseconds"),
        "ended": ended.isoformat(timespec="milliseconds"),
        "snapshots": taken,
        "requests": cluster.requests,
        "bytes": cluster.bytes,
        "skipped": collection.skipped,
    }
    bundle.add("collected.json", json.dumps(report, indent=1).encode())
    return {**report, "files": bundle.files}


def _moments(options: argparse.Namespace, progress: Progress) -> Iterator[int]:
    """Numbers of the snapshots from 1, each at its time; the last one at the end."""
    begun = time.monotonic()
    count = 1 + int(options.seconds // options.every)
    for number in range(1, count + 1):
        due = begun + (number - 1) * options.every
        if number > 2 and time.monotonic() > begun + options.seconds:
            return
        progress.label = say("snapshot {number} of {count}", number=number, count=count)
        time.sleep(max(0.0, due - time.monotonic()))
        yield number


def _tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if options.insecure:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    return ssl.create_default_context(cafile=options.ca) if options.ca else None


def _login(options: argparse.Namespace) -> dict[str, str]:
    """The header of the login in a file. Raises ValueError."""
    path = options.token_file or options.login_file
    if not path:
        return {}
    try:
        secret = Path(path).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise ValueError(say("{path} cannot be read: {reason}", path=path, reason=error)) from None
    if options.token_file:
        if not secret.isascii() or len(secret.split()) != 1:
            raise ValueError(say("{path} does not hold a token: one word on one line", path=path))
        return {"Authorization": f"Bearer {secret}"}
    if ":" not in secret or "\n" in secret:
        raise ValueError(say("{path} does not hold a login: user:password on one line", path=path))
    return {"Authorization": "Basic " + base64.b64encode(secret.encode()).decode()}


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not re.fullmatch(r"[A-Za-z0-9-]+", name.strip()) or "\n" in value:
        raise argparse.ArgumentTypeError(shown(say("a header is NAME: VALUE")))
    return name.strip(), value.strip()


def _above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(shown(say("a number above zero is expected")))
    return value


def chosen_language(arguments: Sequence[str]) -> str:
    """The language of `--language`, else of the terminal's locale, else English."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--language", nargs="?")
    chosen = parser.parse_known_args(arguments)[0].language
    if chosen in LANGUAGES:
        return str(chosen)
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return CHINESE if re.match(r"zh(?![a-z])", locale) else ENGLISH


REFUSALS: Sequence[tuple[re.Pattern[str], Callable[..., Sentence]]] = (
    (
        re.compile(r"the following arguments are required: (.+)"),
        lambda names: say("these options are required: {names}", names=names),
    ),
    (re.compile(r"unrecognized arguments: (.+)"), lambda names: say("there is no option {names}", names=names)),
    (re.compile(r"argument (\S+): expected one argument"), lambda name: say("{name} needs a value", name=name)),
    (
        re.compile(r"argument (\S+): invalid choice: (.+?) \(choose from (.+)\)"),
        lambda name, value, known: say("{name} is one of {known}, not {value}", name=name, known=known, value=value),
    ),
    (
        re.compile(r"argument (\S+): invalid int value: (.+)"),
        lambda name, value: say("{name} is a whole number, not {value}", name=name, value=value),
    ),
    (
        re.compile(r"argument (\S+): not allowed with argument (\S+)"),
        lambda name, other: say("{name} is not allowed with {other}", name=name, other=other),
    ),
    (re.compile(r"argument (\S+): (.+)"), lambda name, reason: say("{name}: {reason}", name=name, reason=reason)),
)
"""What argparse refuses, which it says in English, as a sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that says its own words in the language of the terminal, too."""

    def format_usage(self) -> str:
        return super().format_usage().replace("usage:", shown(say("usage:")), 1)

    def format_help(self) -> str:
        return super().format_help().replace("usage:", shown(say("usage:")), 1)

    def error(self, message: str) -> NoReturn:
        reason = next(
            (said(*found.groups()) for pattern, said in REFUSALS if (found := pattern.fullmatch(message))), message
        )
        self.print_usage(sys.stderr)
        self.exit(2, shown(say("{program}: error: {reason}", program=self.prog, reason=reason)) + "\n")


def command_line() -> argparse.ArgumentParser:
    """Every option with its default."""
    about = shown(say("Reads Flink's REST API into a zip."))
    parser = Parser(prog="collect_flink.py", description=about, add_help=False)
    group = parser.add_argument_group(shown(say("options")))

    def add(name: str, what: str, to: Any = group, **options: Any) -> None:
        to.add_argument(name, help=shown(what), **options)

    add("--rest", say("address of the REST API, as http://jobmanager:8081"), required=True, metavar="URL")
    add("--job", say("only this job; without it all jobs, the running ones first"), metavar="ID")
    add("--out", say("the zip to write; flink-evidence-<time>.zip without it"), metavar="FILE")
    add("--seconds", say("time over which snapshots are taken (60)"), type=_above_zero, default=60)
    add("--every", say("seconds from one snapshot to the next (20)"), type=_above_zero, default=20)
    add("--rate", say("most requests a second (10)"), type=_above_zero, default=10)
    add("--most-megabytes", say("stop at this size, uncompressed (1000)"), type=_above_zero, default=1000)
    add("--log-megabytes", say("leave out log files larger than this (100)"), type=_above_zero, default=100)
    add("--most-metrics", say("metric values of one vertex or process in a snapshot (1500)"), type=int, default=1500)
    add("--answer-seconds", say("wait for one answer at most so long (30)"), type=_above_zero, default=30)
    parts = say("leave out: {parts}", parts=", ".join(PARTS))
    add("--without", parts, nargs="*", choices=PARTS, default=[], metavar="PART")
    add("--header", say("sent with every request"), action="append", type=_header, default=[], metavar="NAME:VALUE")
    login = group.add_mutually_exclusive_group()
    add("--token-file", say("sign in with the token in this file"), login, metavar="FILE")
    add("--login-file", say("sign in with the user:password in this file"), login, metavar="FILE")
    add("--ca", say("certificate authorities to trust for https"), metavar="FILE")
    add("--insecure", say("do not check the certificate"), action="store_true")
    add("--language", say("of help and messages; without it, that of the terminal's locale"), choices=LANGUAGES)
    group.add_argument("-h", "--help", action="help", help=shown(say("show this and end")))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run with the arguments of the command line. Gives the exit status."""
    Terminal.language = chosen_language(sys.argv[1:] if arguments is None else arguments)
    parser = command_line()
    options = parser.parse_args(arguments)
    try:
        return collect(options)
    except ValueError as error:
        parser.error(error.args[0])


# manage.py translations writes what follows: a line in English, a line in Chinese.
_LINES = """\
--rest is an address such as http://jobmanager:8081
--rest 应为形如 http://jobmanager:8081 的地址
Reads Flink's REST API into a zip.
把 Flink REST API 的响应采集到一个 zip 中。
a header is NAME: VALUE
请求头的形式为 NAME: VALUE
a number above zero is expected
应为大于零的数
address of the REST API, as http://jobmanager:8081
REST API 的地址，如 http://jobmanager:8081
certificate authorities to trust for https
https 所信任的证书颁发机构
do not check the certificate
不验证证书
everything after: {reason}
此后的全部内容：{reason}
it redirects to {address}: use that address as --rest
它重定向到 {address}：请把该地址用作 --rest
it was interrupted
采集被中断
leave out log files larger than this (100)
跳过大于该大小（MB）的日志文件（100）
leave out: {parts}
不采集：{parts}
logs
日志
metric values of one vertex or process in a snapshot (1500)
一个快照中每个顶点或进程的指标值数（1500）
more than {most:,} bytes in total (--most-megabytes)
总量超过 {most:,} 字节（--most-megabytes）
most requests a second (10)
每秒最多请求数（10）
no answer: {reason}
没有响应：{reason}
not collected: {value}
未采集：{value}
of help and messages; without it, that of the terminal's locale
帮助和消息的语言；未指定时取终端的区域设置
only this job; without it all jobs, the running ones first
只采集该作业；未指定时采集所有作业，运行中的优先
options
选项
seconds from one snapshot to the next (20)
相邻快照的间隔秒数（20）
sent with every request
随每个请求发送
show this and end
显示帮助并退出
sign in with the token in this file
用该文件中的令牌登录
sign in with the user:password in this file
用该文件中的用户名和密码（USER:PASSWORD）登录
snapshot {number} of {count}
快照 {number}/{count}
stop at this size, uncompressed (1000)
达到该大小（MB，压缩前）后停止（1000）
the answer ended {missing:,} bytes too early
响应提前结束，缺少 {missing:,} 字节
the answer has more than {most:,} bytes
响应超过 {most:,} 字节
the answer is no JSON
响应不是 JSON
the zip to write; flink-evidence-<time>.zip without it
要写出的 zip；未指定时为 flink-evidence-<时间>.zip
there is no option {names}
没有这样的选项：{names}
these options are required: {names}
缺少必需的选项：{names}
time over which snapshots are taken (60)
采集快照的时长，单位秒（60）
usage:
用法：
wait for one answer at most so long (30)
单个响应的最长等待秒数（30）
{address} gives no answer of Flink: {reason}
{address} 没有返回 Flink 的响应：{reason}
{count} TaskManagers beyond the first {most}: {names} ...
前 {most} 个之外的 {count} 个 TaskManager：{names} ...
{count} jobs beyond the first {most}: {names} ...
前 {most} 个之外的 {count} 个作业：{names} ...
{count} of {total} metrics (--most-metrics)
{total} 个指标中的 {count} 个（--most-metrics）
{most:,} bytes were collected (--most-megabytes)
已采集 {most:,} 字节（--most-megabytes）
{name} is a whole number, not {value}
{name} 应为整数，而不是 {value}
{name} is not allowed with {other}
{name} 不能与 {other} 同时使用
{name} is one of {known}, not {value}
{name} 应为 {known} 之一，而不是 {value}
{name} needs a value
{name} 需要一个值
{name}: {reason}
{name}：{reason}
{path} cannot be read: {reason}
无法读取 {path}：{reason}
{path} does not hold a login: user:password on one line
{path} 中没有登录信息：应为单独一行的 USER:PASSWORD
{path} does not hold a token: one word on one line
{path} 中没有令牌：应为单独一行的一个词
{path}: {files} files, {size:.1f} MB, {requests} requests in {seconds:.0f} s
{path}：{files} 个文件，{size:.1f} MB，{requests} 次请求，用时 {seconds:.0f} s
{path}: {reason}
{path}：{reason}
{program}: error: {reason}
{program}：错误：{reason}
{seconds:4.0f} s  {label}: {requests} requests, {size:.1f} MB
{seconds:4.0f} s  {label}：{requests} 次请求，{size:.1f} MB
{size:,.0f} bytes, more than --log-megabytes; copy it from its host
{size:,.0f} 字节，超过 --log-megabytes；请从所在主机复制
""".splitlines()  # noqa: RUF001 - punctuation of Chinese
SENTENCES = dict(zip(_LINES[::2], _LINES[1::2]))  # noqa: B905 - `strict` is of Python 3.10

if __name__ == "__main__":
    sys.exit(main())
