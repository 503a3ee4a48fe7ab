"""The synthetic case that a server or a session analyses first: samples of formats, through the whole pipeline."""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from diagnostics.analyze import analyze
from diagnostics.formats import FORMATS
from diagnostics.formats.format import Format
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import connect, disconnect
from diagnostics.spark.server import Server
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, run_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def warm_up(server: Server) -> float:
    """Analyse a small synthetic case, so that the first user does not wait for class loading and compilation.

    Gives   seconds it took.
    """
    began = time.monotonic()
    session = connect(server.remote, str(uuid.uuid4()))
    try:
        analyse_samples(session, server.scratch)
    finally:
        disconnect(session)
    return time.monotonic() - began


def analyse_samples(session: SparkSession, place: Path, formats: Iterable[Format] | None = None) -> None:
    """Unpack, read, measure and judge one file per sample of these formats (of all), in a folder below `place`."""
    with tempfile.TemporaryDirectory(prefix="warm-up-", dir=place) as made:
        folder = Path(made)
        sources = []
        for one in FORMATS.values() if formats is None else formats:
            for number, sample in enumerate(one.samples):
                path = folder / f"{one.id}-{number}"
                path.write_bytes(sample.content)
                sources.append(SourceFile(path, f"{one.id}-{number}/{sample.name}"))
        workspace = folder / "workspace"
        workspace.mkdir()
        with run_folder(os.environ.get(STORAGE_VARIABLE, ""), f"warm-up-{uuid4()}") as shared:
            analyze(
                Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=session, workspace=workspace, shared=shared
            )
