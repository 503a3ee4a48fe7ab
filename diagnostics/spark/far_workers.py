"""What Spark's Python workers need when they are not the server's own children: this code, and the run's folder.

In local mode both are there. On a cluster the folder has to lie on storage that every machine mounts at the same path.
The code is used where it is installed (the same files: a digest is compared); elsewhere a session brings it along.
"""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.server import is_local

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

PACKAGE = Path(__file__).resolve().parents[1]

Batches = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def for_workers(session: SparkSession, folder: Path, work: Batches) -> Batches:
    """`work`, such that any worker of the session can do it.

    folder  which `work` reads and writes
    Raises  SparkUnavailable when a worker does not see the folder.
    """
    if is_local(session.conf.get("spark.master") or ""):
        return work
    sees_folder, has_code = _asked(session, folder)
    if not sees_folder:
        raise SparkUnavailable(
            f"Spark's workers do not see {folder}: it has to be on storage that every machine mounts at this path "
            "(WORKBENCH_DATA for the workbench, TMPDIR for manage.py diagnose)"
        )
    return work if has_code else _brought_along(session, work)


def _asked(session: SparkSession, folder: Path) -> tuple[bool, bool]:
    """Whether a worker sees the folder, and whether it has this code."""
    place, expected = str(folder), digest()

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        try:
            from diagnostics.spark.far_workers import digest as own_digest

            found = own_digest()
        except ImportError:
            found = ""
        for _ in batches:
            columns = [pyarrow.array([Path(place).is_dir()]), pyarrow.array([found == expected])]
            yield pyarrow.RecordBatch.from_arrays(columns, names=["folder", "code"])

    answer = session.range(0, 1, 1, 1).mapInArrow(look, "folder BOOLEAN, code BOOLEAN").collect()[0]
    return bool(answer.folder), bool(answer.code)


@cache
def digest() -> str:
    """A digest of this package's files, the same wherever they lie."""
    found = hashlib.sha256()
    for path in _files():
        found.update(f"{path.relative_to(PACKAGE)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def _files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _brought_along(session: SparkSession, work: Batches) -> Batches:
    """`work` that imports this package from an archive which Spark has unpacked where the worker runs."""
    from pyspark import cloudpickle

    name = f"diagnostics-{digest()[:16]}"
    with tempfile.TemporaryDirectory(prefix="code-") as place:
        archive = Path(place) / f"{name}.tar.gz"
        with tarfile.open(archive, "w:gz") as packed:
            for path in _files():
                packed.add(path, Path(PACKAGE.name) / path.relative_to(PACKAGE), recursive=False)
        session.addArtifacts(f"{archive}#{name}", archive=True)
    pickled: bytes = cloudpickle.dumps(work)  # type: ignore[no-untyped-call]

    def unpacked(batches: Iterator[Any]) -> Iterator[Any]:
        # A function inside a function travels by value: nothing of this package may be named here.
        import pickle
        import sys

        folder = str(Path(name).resolve())
        if folder not in sys.path:
            sys.path.insert(0, folder)
        yield from pickle.loads(pickled)(batches)  # noqa: S301 - our own bytes

    return unpacked
