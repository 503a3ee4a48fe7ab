"""Sampled stacks written by hand, as the profiles of an analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diagnostics.aggregators.stack_samples import CODE
from diagnostics.evidence.tables import TABLES
from diagnostics.profiles.stored import StoredProfiles, profiles_of

ROOT, OWN, PARK = "java.lang.Thread.run", "com.acme.Scoring.score", "jdk.internal.misc.Unsafe.park"


def row(*frames: str, weight: float = 1.0, **told: Any) -> dict[str, Any]:
    known = {"profile": "collapsed", "mode": "wall", "job_id": None, "vertex_id": None, "vertex": "Score"}
    rest = {"subtask": 0, "thread": "Score (1/2)#0", "ts_ms": None, "state": None}
    return {**known, **rest, "frames": list(frames), "weight": weight, **told}


def profiles_of_rows(rows: Sequence[Mapping[str, Any]]) -> StoredProfiles:
    """The stacks of some rows whose frames are texts, root first."""
    names = sorted({name for each in rows for name in each["frames"]})
    code_of = {name: code for code, name in enumerate(names)}
    codes = [np.array([code_of[name] for name in each["frames"]], CODE).tobytes() for each in rows]
    schema = TABLES["stack_sample"].arrow_schema()
    columns = {name: [each[name] for each in rows] for name in rows[0] if name != "frames"} if rows else {}
    stacks = pa.table({name: pa.array(values, schema.field(name).type) for name, values in columns.items()})
    return profiles_of(stacks.append_column("frames", pa.array(codes, pa.binary())), names)
