"""Resources of Flink's operators beyond the format's samples: lists, JSON, pieces, and what is not kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read

RESOURCE = FORMATS["operator-resource"]
TWO = """\
apiVersion: v1
items:
- apiVersion: flink.apache.org/v1beta1
  kind: FlinkDeployment
  metadata:
    annotations:
      token: abc
    name: orders
    generation: 4
  status:
    observedGeneration: 3
    lifecycleState: STABLE
- apiVersion: flink.apache.org/v1beta1
  kind: FlinkSessionJob
  metadata:
    name: clicks
  status:
    jobStatus:
      state: FAILED
    reconciliationStatus:
      lastReconciledSpec: '{"spec":{"job":{"state":"suspended","upgradeMode":"savepoint"}}}'
kind: List
"""
JSON = """\
{
  "apiVersion": "flink.apache.org/v1beta1",
  "kind": "FlinkDeployment",
  "metadata": {
    "name": "orders"
  },
  "status": {
    "jobManagerDeploymentStatus": "READY",
    "jobStatus": {
      "state": "RECONCILING"
    }
  }
}
"""
DESCRIBED = """\
Name:         orders
API Version:  flink.apache.org/v1beta1
Kind:         FlinkDeployment
Metadata:
  Generation:  2
Spec:
  Job:
    State:         suspended
    Upgrade Mode:  savepoint
Status:
  Job Manager Deployment Status:  MISSING
  Lifecycle State:                SUSPENDED
"""


def fields(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["key"]: row["value"] for row in rows if row["scope"] == "resource"}


def test_each_resource_of_a_list_is_its_own(tmp_path: Path) -> None:
    assert fields(read(RESOURCE, TWO, tmp_path).rows["config_option"]) == {
        "orders/metadata.generation": "4",
        "orders/status.observedGeneration": "3",
        "orders/status.lifecycleState": "STABLE",
        "clicks/status.jobStatus.state": "FAILED",
        "clicks/status.reconciliationStatus.lastReconciledSpec.state": "suspended",
        "clicks/status.reconciliationStatus.lastReconciledSpec.upgradeMode": "savepoint",
    }


def test_indented_json_is_read_like_yaml(tmp_path: Path) -> None:
    assert fields(read(RESOURCE, JSON, tmp_path).rows["config_option"]) == {
        "orders/status.jobManagerDeploymentStatus": "READY",
        "orders/status.jobStatus.state": "RECONCILING",
    }


def test_a_description_gives_the_same_fields(tmp_path: Path) -> None:
    assert fields(read(FORMATS["kubernetes-text"], DESCRIBED, tmp_path).rows["config_option"]) == {
        "orders/metadata.generation": "2",
        "orders/spec.job.state": "suspended",
        "orders/spec.job.upgradeMode": "savepoint",
        "orders/status.jobManagerDeploymentStatus": "MISSING",
        "orders/status.lifecycleState": "SUSPENDED",
    }


def test_a_value_that_goes_on_in_the_next_line_is_kept_whole(tmp_path: Path) -> None:
    text = "status:\n  lifecycleState: FAILED\n  error: 'cannot start\n    the job'\n"
    found = read(RESOURCE, text, tmp_path).rows
    assert fields(found["config_option"])["/status.error"] == "cannot start the job'"
    assert found["log_record"][0]["event"] == "op.resource.error"


@pytest.mark.parametrize(
    "text",
    [TWO, JSON, "job:\n  upgradeMode: savepoint\n  state: running\n", "  jobManagerDeploymentStatus: READY\n"],
)
def test_resources_and_pieces_are_recognised(text: str) -> None:
    assert recognise(head_of(text)).format_id == RESOURCE.id


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: []\n",
        "state.checkpoints.dir: s3://a\njobmanager.rpc.address: a\n",
        "2026-11-21 01:00:00,000 INFO  o.a.f.A [] - the kind: FlinkDeployment was seen\n",
    ],
)
def test_other_texts_are_not(text: str) -> None:
    assert recognise(head_of(text)).format_id != RESOURCE.id
