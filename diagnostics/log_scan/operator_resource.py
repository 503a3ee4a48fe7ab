"""The resource that a record of the Kubernetes operator's log is about, in brackets behind its level.

Source: `helm/flink-kubernetes-operator/conf/log4j-operator.properties` of the operator 1.0 to 1.15. Release 1.0 prints
`[namespace.name]`, later ones `[namespace/name]`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.log_scan.slices import slices
from diagnostics.log_scan.stretch import Stretch

HEAD_BYTES = 512
"""Bytes of a head line in which the resource is looked for: names in Kubernetes have at most 63 and 253 characters."""
_RESOURCE = (
    r"^[^\[]{1,160}\[(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) *\] ?"
    r"\[(?P<namespace>[a-z0-9-]{1,63})[./](?P<name>[a-z0-9.-]{1,253})\]"
)


def resources_of(stretch: Stretch) -> pa.Array:
    """`namespace/name` for each record of a stretch of the operator's log, null where none is printed."""
    starts = stretch.heads.start
    heads = slices(stretch.buffer, starts, np.minimum(stretch.head_ends, starts + HEAD_BYTES))
    named = pc.extract_regex(heads, pattern=_RESOURCE)
    return pc.binary_join_element_wise(pc.struct_field(named, "namespace"), pc.struct_field(named, "name"), "/")
