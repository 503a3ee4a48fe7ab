"""What is read of the files when only one of several clusters counts."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.printed_name import normalised

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.reconstruction.job.clusters import Sign


@dataclass(frozen=True, slots=True)
class OneCluster:
    """A cluster whose files are read, and of a file of several clusters its rows only.

    files   ids of the files to read
    others  what shows that a row is of another cluster: a `job`, a `task_manager`, or the `host` of a JobManager, which
            counts where a row names neither of them
    """

    files: Set[int]
    others: Set[Sign] = frozenset()

    def own_rows(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that no other cluster is named in. An export of Prometheus holds the metrics of all its clusters."""
        import pyarrow.compute as pc

        unnamed, other = None, None
        for column, kind, written in (("job_id", "job", str), ("task_manager", "task_manager", normalised)):
            if column in rows.schema.names:
                is_other = self._name_others(rows[column], kind, written)
                other = is_other if other is None else pc.or_(other, is_other)
                unnamed = rows[column].is_null() if unnamed is None else pc.and_(unnamed, rows[column].is_null())
        if other is None:
            return rows
        if "host" in rows.schema.names:
            other = pc.or_(other, pc.and_(unnamed, self._name_others(rows["host"], "host", str)))
        return rows.filter(pc.invert(other)) if pc.any(other).as_py() else rows

    def _name_others(self, column: pa.Array, kind: str, written: Callable[[str], str]) -> pa.BooleanArray:
        import pyarrow as pa

        words = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        are_others = pa.array(
            [(kind, written(each)) in self.others for each in words.dictionary.to_pylist()], pa.bool_()
        )
        return are_others.take(words.indices).fill_null(False)
