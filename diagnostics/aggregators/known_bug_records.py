"""Log records that match a known bug, in any release: the earliest of each bug."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, Aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, shortened
from diagnostics.arithmetic.row_order import Order, first_rows_by_group, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.notation.product_frame import product_frames
from diagnostics.notation.stack_frame import LAMBDA, PLAIN
from diagnostics.vocabulary.known_bug import bugs_that_fit, rare_texts

if TYPE_CHECKING:
    import pyarrow as pa

MOST_OF_A_BUG = 200
"""Records of a bug kept, the earliest. Our choice: they show when it began and how it continued."""

MOST_CHARACTERS = 300
"""Characters kept of a quoted text. Our choice."""

MOST_RELEASES = 8
"""Artifacts whose releases are read from a record's frames. Our choice: Flink, a connector, its client, and some
more.
"""

ALARMING = ("WARN", "ERROR", "FATAL")
TEXTS = ("message", "causes", "root_cause_message")
FRAMES = ("root_cause_frame", "thrown_in")
BETWEEN = "\n\x1f\n"
"""Separator of a record's columns when they are searched together; no signature contains it."""

KEPT = ("ts_ms", "job_id", "vertex", "root_cause_class", "root_cause_message", "message")
ORDER: Order = (("bug", "ascending"), ("ts_ms", "ascending"), *CITATION_ORDER)


def _showing(records: pa.Table) -> pa.Table:
    """One row per record and matching bug."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    telling = records.filter(pc.or_(is_any(records["level"], ALARMING), records["causes"].is_valid()))
    columns = [telling[name] for name in TEXTS]
    columns += [pc.replace_substring_regex(telling[name], LAMBDA, PLAIN) for name in FRAMES]
    columns.append(telling["frames"])
    joined = pc.binary_join_element_wise(
        *columns, BETWEEN, null_handling="replace", null_replacement=""
    ).combine_chunks()
    texts = joined.dictionary_encode()
    places = np.flatnonzero(
        contains_any(pa.chunked_array([texts.dictionary]), rare_texts()).to_numpy(zero_copy_only=False)
    )
    shown = {place: _bugs_in(texts.dictionary[place].as_py()) for place in places.tolist()}
    codes = texts.indices.to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(np.isin(codes, [place for place, bugs in shown.items() if bugs])).tolist()
    pairs = [(row, bug) for row in rows for bug in shown[int(codes[row])]]
    kept = telling.select([*KEPT, "frames", *CITATION_COLUMNS])
    kept = kept.take(pa.array([row for row, _ in pairs], pa.int64()))
    kept = _earliest(kept.append_column("bug", pa.array([bug for _, bug in pairs], pa.string())))
    releases = [_releases_in(text) for text in kept["frames"].to_pylist()]
    kept = kept.drop_columns(["frames"]).append_column("releases", pa.array(releases, pa.string()))
    for name in ("root_cause_message", "message"):
        kept = kept.set_column(kept.column_names.index(name), name, shortened(kept[name], MOST_CHARACTERS))
    return kept


def _bugs_in(joined: str) -> list[str]:
    parts = joined.split(BETWEEN)
    frames = parts[len(TEXTS) : len(TEXTS) + len(FRAMES)]
    return bugs_that_fit("\n".join(parts[: len(TEXTS)]), [*frames, *(each.name for each in product_frames(parts[-1]))])


def _releases_in(frames: str | None) -> str | None:
    """`flink-dist 1.16.1` and others, one per line, of the JARs behind the frames of a trace."""
    found = dict.fromkeys(f"{each.artifact} {each.release}" for each in product_frames(frames) if each.artifact)
    return "\n".join(list(found)[:MOST_RELEASES]) or None


def _earliest(rows: pa.Table) -> pa.Table:
    return first_rows_by_group(rows, "bug", ORDER[1:], MOST_OF_A_BUG)


def _in_order(state: pa.Table) -> pa.Table:
    return sort_rows(state, ORDER)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="known_bug_records",
    table="log_record",
    columns=("level", "causes", *FRAMES, "frames", *KEPT),
    reduce=_showing,
    merge=_earliest,
    finish=_in_order,
)
"""Gives one row per record and bug: `bug` is its id, `releases` the artifacts that the trace's frames name."""
