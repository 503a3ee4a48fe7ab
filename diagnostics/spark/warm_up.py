"""The made-up case that a new server analyses first: every format's samples, through the whole pipeline."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORED = ("metric_sample",)
"""Tables of most cases with so many rows that Spark reads their files."""

STORED_BYTES = 2**20
"""How long a file is that fills one of them so far. Our choice: some thousand rows."""


def analyse_samples(session: SparkSession, place: Path) -> None:
    """Unpack, read, measure and judge a file of each sample of each format, in a folder made below `place`.

    Samples are so short that their rows travel with each query; one for each of STORED is repeated until they do not.
    """
    from diagnostics.analyze import analyze
    from diagnostics.formats import FORMATS
    from diagnostics.intake import SourceFile
    from diagnostics.rule import Ruleset, shipped_rules
    from diagnostics.shared_folder import STORAGE_VARIABLE, run_folder

    with tempfile.TemporaryDirectory(prefix="warm-up-", dir=place) as made:
        folder = Path(made)
        sources = []
        for one in FORMATS.values():
            for number, sample in enumerate(one.samples):
                path = folder / f"{one.id}-{number}"
                path.write_bytes(sample.content)
                sources.append(SourceFile(path, f"{one.id}-{number}/{sample.name}"))
        for table in STORED:
            one = next(each for each in FORMATS.values() if each.splittable and each.tables[0] == table)
            content = one.samples[0].content
            path = folder / table
            path.write_bytes(content * (STORED_BYTES // len(content)))
            sources.append(SourceFile(path, f"{table}/{one.samples[0].name}"))
        workspace = folder / "workspace"
        workspace.mkdir()
        with run_folder(os.environ.get(STORAGE_VARIABLE, ""), f"warm-up-{uuid4()}") as shared:
            analyze(sources, ruleset=Ruleset.of(shipped_rules()), spark=session, workspace=workspace, shared=shared)
