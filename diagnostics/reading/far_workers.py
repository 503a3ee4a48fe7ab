"""Provides Spark's Python workers on other machines with this code and the run's folder.

In local mode both exist already. On a cluster the folder must be reachable from every machine, see `shared_folder`. An
installed copy of the code is used when its digest is the same; otherwise the session ships it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.server import is_local
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, SharedFolder

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

PACKAGE = Path(__file__).resolve().parents[1]

_TOLD_BY_A_WORKER = re.compile(rf"\b{SparkUnavailable.__name__}: (.+)")

NEAR_LOOK_SECONDS = 0.2
"""Interval of checking a run's folder in the file system. Our choice: cancelling takes less than a second."""

FAR_LOOK_SECONDS = 2.0
"""Interval of checking it in remote storage, where it is a request. Our choice."""

Batches = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]

_prepared: WeakKeyDictionary[SparkSession, Callable[[Batches], Batches]] = WeakKeyDictionary()
"""How each session gets this code: an archive is sent once, a second one is refused."""


def shipped_to_workers(session: SparkSession, folder: SharedFolder) -> Callable[[Batches], Batches]:
    """A decorator that makes work executable on any worker of the session.

    folder  of the run, which the work reads and writes
    Raises  SparkUnavailable naming the folder and the reason when a worker cannot use it
    """
    in_the_server = is_local(session.conf.get("spark.master") or "")
    if in_the_server and folder.is_path:
        return lambda work: _while_run_lasts(work, folder)
    with_code = unchanged if in_the_server else _with_code(session)
    refusal = _answer(session, with_code(_refusal_of(folder)))
    if refusal:
        hint = (
            f" It has to be on storage that every machine mounts at this path, or {STORAGE_VARIABLE} names a URL."
            if folder.is_path
            else ""
        )
        raise SparkUnavailable(f"Spark's workers cannot use {folder.location}: {refusal}.{hint}")
    return lambda work: with_code(_while_run_lasts(work, folder))


def _while_run_lasts(work: Batches, folder: SharedFolder) -> Batches:
    """`work` in a worker that ends as soon as the run's folder is removed.

    Spark waits two seconds for the Python worker of a cancelled task before it kills it, and a killed client cancels
    nothing. The folder is removed at the end of every run.
    """

    def watched(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ended = threading.Event()
        threading.Thread(target=_exit_without, args=(folder, ended), name="run-watch", daemon=True).start()
        try:
            yield from work(batches)
        finally:
            ended.set()

    return watched


def _exit_without(folder: SharedFolder, ended: threading.Event) -> None:
    """End this process when the folder is removed before `ended` is set."""
    while not ended.wait(NEAR_LOOK_SECONDS if folder.is_path else FAR_LOOK_SECONDS):
        with contextlib.suppress(SparkUnavailable):  # the work itself reports a storage that does not answer
            if not folder.exists():
                os._exit(1)


def _with_code(session: SparkSession) -> Callable[[Batches], Batches]:
    if session not in _prepared:
        _prepared[session] = unchanged if _has_code(session) else _shipped_code(session)
    return _prepared[session]


@contextlib.contextmanager
def failures_of_workers() -> Iterator[None]:
    """Raises  SparkUnavailable with the worker's reason when a worker raised one in the block."""
    try:
        yield
    except Exception as error:
        told = _TOLD_BY_A_WORKER.search(str(error))
        if told:
            raise SparkUnavailable(told[1]) from error
        raise


def _refusal_of(folder: SharedFolder) -> Batches:
    """The reason why a worker cannot use the folder; nothing when it can."""

    def report_refusal(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield _text_batch(folder.refusal())

    return report_refusal


def _has_code(session: SparkSession) -> bool:
    """Whether the workers have this code."""

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        try:
            from diagnostics.reading.far_workers import digest as own_digest

            found = own_digest()
        except ImportError:
            found = ""
        for _ in batches:
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array([found])], names=["answer"])

    return _answer(session, look) == digest()


def _answer(session: SparkSession, asked: Batches) -> str | None:
    """The answer of a worker."""
    told = session.range(0, 1, 1, 1).mapInArrow(asked, "answer STRING").collect()[0].answer
    return None if told is None else str(told)


def _text_batch(told: str | None) -> pa.RecordBatch:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays([pyarrow.array([told], pyarrow.string())], names=["answer"])


@cache
def digest() -> str:
    """A digest of this package's files, independent of their location."""
    found = hashlib.sha256()
    for path in _files():
        found.update(f"{path.relative_to(PACKAGE)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def _files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def unchanged(work: Batches) -> Batches:
    """`work`, for workers that need nothing."""
    return work


def _shipped_code(session: SparkSession) -> Callable[[Batches], Batches]:
    """Wraps work to import this package from an archive, which Spark unpacks in the worker's folder."""
    from pyspark import cloudpickle

    name = f"diagnostics-{digest()[:16]}"
    with tempfile.TemporaryDirectory(prefix="code-") as place:
        archive = Path(place) / f"{name}.tar.gz"
        with tarfile.open(archive, "w:gz") as packed:
            for path in _files():
                packed.add(path, Path(PACKAGE.name) / path.relative_to(PACKAGE), recursive=False)
        session.addArtifacts(f"{archive}#{name}", archive=True)

    def with_code(work: Batches) -> Batches:
        pickled: bytes = cloudpickle.dumps(work)  # type: ignore[no-untyped-call]

        def unpacked(batches: Iterator[Any]) -> Iterator[Any]:
            # A nested function is pickled by value: it must not refer to this package.
            import pickle
            import sys

            folder = str(Path(name).resolve())
            if folder not in sys.path:
                sys.path.insert(0, folder)
            yield from pickle.loads(pickled)(batches)  # noqa: S301 - our own bytes

        return unpacked

    return with_code
