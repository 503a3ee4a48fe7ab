"""Records of programs written in Go."""

from __future__ import annotations

import pytest

from diagnostics.notation.go_log_line import error_line


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (
            'time="2023-11-27T18:01:02Z" level=error msg="no matches for kind \\"Ingress\\"" app=orders',
            'ERROR: no matches for kind "Ingress" app=orders',
        ),
        ("E1127 18:01:02.123456       1 reflector.go:178] Failed to list pods", "ERROR: Failed to list pods"),
        (
            '2020-03-29T07:00:37.662Z\tERROR\tsetup\tUnable to create controller\t{"controller": "FlinkCluster", '
            '"error": "no matches for kind \\"FlinkCluster\\" in version \\"flinkoperator.k8s.io/v1beta1\\""}',
            'ERROR: Unable to create controller: no matches for kind "FlinkCluster" in version '
            '"flinkoperator.k8s.io/v1beta1"',
        ),
        (
            '{"level":"error","ts":1711.5,"msg":"problem running manager","error":"leader election lost"}',
            "ERROR: problem running manager: leader election lost",
        ),
        (
            '{"json":{"app_name":"a"},"level":"error","msg":"Failed to reconcile","ts":"2022"}',
            "ERROR: Failed to reconcile",
        ),
    ],
)
def test_an_error_is_read_with_its_message(line: str, read: str) -> None:
    assert error_line(line) == read


@pytest.mark.parametrize(
    "line",
    [
        'time="2023-11-27T18:01:02Z" level=info msg="started"',
        "I1127 18:01:02.123456       1 main.go:7] started",
        '2020-03-29T07:00:37.662Z\tINFO\tsetup\tStarting manager\t{"error": "none"}',
        '{"level":"info","msg":"started","error":"none"}',
        "a line of anything else",
    ],
)
def test_any_other_line_stays_as_it_is(line: str) -> None:
    assert error_line(line) == line
