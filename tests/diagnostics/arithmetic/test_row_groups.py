from __future__ import annotations

import warnings

import pyarrow as pa

from diagnostics.arithmetic.row_groups import order_of


def test_rows_without_a_pointer_come_first_and_no_library_warns_about_it() -> None:
    rows = pa.table(
        {
            "pointer": pa.array(["/b", None, "/a"], pa.string()),
            "line": pa.array([1, 1, 1], pa.int64()),
            "file_id": pa.array([0, 0, 0], pa.int64()),
            "value": pa.array([1.0, 2.0, 3.0], pa.float64()),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert order_of(rows).tolist() == [1, 2, 0]
