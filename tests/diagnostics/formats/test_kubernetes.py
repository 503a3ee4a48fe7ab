"""Pods and events of Kubernetes beyond the formats' samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read

TEXT, OBJECTS = FORMATS["kubernetes-text"], FORMATS["kubernetes-objects"]


def description(name: str, more: str) -> str:
    return f"Name:   {name}\nNamespace: flink\nNode: worker-1/10.0.0.1\nStatus: Running\n{more}"


def test_each_pod_of_a_description_is_its_own(tmp_path: Path) -> None:
    container = (
        "Containers:\n  flink-main-container:\n    Last State: Terminated\n      Reason: {}\n      Exit Code: {}\n"
    )
    text = description("a-taskmanager-1-1", container.format("Error", 1)) + description(
        "a-7c9-x", container.format("Completed", 0)
    )
    rows = read(TEXT, text, tmp_path).rows["log_record"]
    assert [(row["message"].split(":")[0], row["level"], row.get("process")) for row in rows] == [
        ("Pod a-taskmanager-1-1", "ERROR", "taskmanager"),
        ("Pod a-7c9-x", "INFO", None),
    ]


def test_a_pod_that_was_evicted_says_why(tmp_path: Path) -> None:
    text = description(
        "a-taskmanager-1-1", "Reason: Evicted\nMessage: The node was low on resource: memory.\nContainers:\n"
    )
    (row,) = read(TEXT, text, tmp_path).rows["log_record"]
    assert (row["event"], row["reason"]) == ("k8s.event.evicted", "Evicted")
    assert "low on resource: memory" in row["message"]


def test_pods_of_other_programs_are_left_out_with_a_warning(tmp_path: Path) -> None:
    text = description("kafka-0", "Containers:\n  kafka:\n    Last State: Terminated\n      Reason: OOMKilled\n")
    found = read(TEXT, text, tmp_path)
    assert not found.rows.get("log_record")
    assert "other programs" in found.warnings[0]


DEPLOYMENT = """\
Name:         orders
Namespace:    flink
Labels:       <none>
API Version:  flink.apache.org/v1beta1
Kind:         FlinkDeployment
Spec:
  Flink Configuration:
    taskmanager.numberOfTaskSlots:  2
Status:
  Error:  {"type":"org.apache.flink.kubernetes.operator.exception.UpgradeFailureException","message":"HA metadata not\
 available to restore from last state."}
  Job Manager Deployment Status:  MISSING
  Job Status:
    Job Name:  orders
    State:     RECONCILING
  Lifecycle State:  FAILED
Events:
  Type     Reason        Age    From                  Message
  ----     ------        ----   ----                  -------
  Warning  JobException  3m     Job                   java.lang.NullPointerException: null
  Normal   Submit        9m     JobManagerDeployment  Starting deployment
"""


STATUS = (
    "Name: orders\nKind: FlinkDeployment\nStatus:\n"
    '  Error: {"type":"org.apache.flink.kubernetes.operator.exception.ReconciliationException","message":"failed",'
    '"throwableList":[{"type":"java.net.UnknownHostException","message":"lake.s3.amazonaws.com"}]}\n'
)


def test_the_exceptions_of_a_resources_status_are_read_as_a_trace(tmp_path: Path) -> None:
    (row,) = read(TEXT, STATUS, tmp_path).rows["log_record"]
    assert row["exception_class"].endswith(".ReconciliationException")
    assert (row["root_cause_class"], row["root_cause_message"]) == (
        "java.net.UnknownHostException",
        "lake.s3.amazonaws.com",
    )


def test_a_description_of_a_deployment_gives_its_error_its_states_and_its_events(tmp_path: Path) -> None:
    assert recognise(head_of(DEPLOYMENT)).format_id == TEXT.id
    rows = read(TEXT, DEPLOYMENT, tmp_path).rows["log_record"]
    assert [row.get("event") for row in rows] == ["op.resource.event", None, "op.restore", None]
    assert "HA metadata not available" in rows[2]["message"]
    assert rows[3]["message"] == (
        "FlinkDeployment orders: JobManager deployment MISSING, job RECONCILING, lifecycle FAILED"
    )


def test_a_description_of_another_resource_is_not_taken_for_a_deployment() -> None:
    text = DEPLOYMENT.replace("FlinkDeployment", "KafkaTopic")
    found = recognise(head_of(text))
    assert found is None or found.format_id != TEXT.id


def test_events_of_deployments_and_nodes_are_kept_and_those_of_other_pods_are_not(tmp_path: Path) -> None:
    text = (
        "LAST SEEN   TYPE      REASON         OBJECT                   MESSAGE\n"
        "3m12s       Warning   JobException   flinkdeployment/orders   java.lang.NullPointerException: null\n"
        "2m          Normal    NodeNotReady   node/worker-3            Node worker-3 status is now: NodeNotReady\n"
        "2m          Warning   NodeNotReady   pod/kafka-0              Node is not ready\n"
    )
    rows = read(TEXT, text, tmp_path).rows["log_record"]
    assert [row["event"] for row in rows] == ["op.resource.event", "k8s.event.node_lost"]


def test_events_of_all_namespaces_have_one_more_column(tmp_path: Path) -> None:
    text = (
        "NAMESPACE   LAST SEEN   TYPE      REASON      OBJECT                      MESSAGE\n"
        "flink       2m          Warning   Unhealthy   pod/a-jobmanager-6c-x       Liveness probe failed: refused\n"
        "no columns\n"
    )
    assert recognise(head_of(text)).format_id == TEXT.id
    found = read(TEXT, text, tmp_path)
    (row,) = found.rows["log_record"]
    assert (row["event"], row["process"], row["line"]) == ("k8s.event.unhealthy", "jobmanager", 2)
    assert found.coverage[0].not_understood == 1


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\n" + "a: &x [1]\nb: *x\n",
        "kind: Pod\na: " + "[" * 5_000,
        '{"kind": "Pod", "a": ' + "[" * 50_000,
        "kind: Pod\n\tb: c\n",
    ],
)
def test_hostile_objects_are_refused_with_a_reason(text: str, tmp_path: Path) -> None:
    from diagnostics.errors import DiagnosticsError

    with pytest.raises(DiagnosticsError):
        read(OBJECTS, text, tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "deployment.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers: []\n",
        ),
        ("service.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: flink-jobmanager\n"),
        ("notes.txt", "Name: the incident of Friday\nStatus: open\n"),
    ],
)
def test_other_texts_are_not_taken_for_pods(name: str, text: str) -> None:
    assert recognise(head_of(text, name)).format_id not in (TEXT.id, OBJECTS.id)


def test_a_list_of_pods_in_all_namespaces_shows_those_of_flink(tmp_path: Path) -> None:
    text = (
        "NAMESPACE   NAME                     READY   STATUS             RESTARTS      AGE   IP       NODE\n"
        "flink       orders-taskmanager-1-1   0/1     CrashLoopBackOff   5 (12s ago)   9m    <none>   worker-3\n"
        "flink       orders-taskmanager-1-2   1/1     Running            0             9m    <none>   worker-3\n"
        "db          postgres-0               0/1     OOMKilled          3             9m    <none>   worker-1\n"
    )
    assert recognise(head_of(text)).format_id == "kubernetes-text"
    found = read(FORMATS["kubernetes-text"], text, tmp_path)
    (record,) = found.rows["log_record"]
    assert (record["event"], record["line"]) == ("k8s.event.restarts", 2)
    assert "orders-taskmanager-1-1" in record["message"]
    assert [each["value"] for each in found.rows["config_option"]] == ["5"]
    assert found.records == 3


def test_a_pod_that_is_pending_for_minutes_has_found_no_node(tmp_path: Path) -> None:
    text = (
        "NAME                     READY   STATUS              RESTARTS   AGE\n"
        "orders-taskmanager-1-1   0/1     Pending             0          5m29s\n"
        "orders-taskmanager-1-2   0/1     Pending             0          29s\n"
        "orders-taskmanager-1-3   0/1     ContainerCreating   0          5m29s\n"
    )
    records = read(FORMATS["kubernetes-text"], text, tmp_path).rows["log_record"]
    assert [each.get("event") for each in records] == ["k8s.event.unschedulable", None, "k8s.event.mount"]
    assert records[0]["reason"] == "FailedScheduling"
    assert "Pending for 5m29s" in records[0]["message"]
    assert "no container of the pod has been created for 5m29s" in records[2]["message"]


@pytest.mark.parametrize(
    "command", ["$ kubectl get pods -n flink\n", "[root@a ~]# kubectl get po\n\n", "kubectl get po\n"]
)
def test_a_list_below_its_command_is_read(command: str, tmp_path: Path) -> None:
    text = f"{command}NAME                     READY   STATUS    RESTARTS   AGE\n"
    text += "orders-jobmanager-x      0/1     Pending   0          5m\n"
    assert recognise(head_of(text)).format_id == TEXT.id
    (row,) = read(TEXT, text, tmp_path).rows["log_record"]
    assert (row["event"], row["line"]) == ("k8s.event.unschedulable", text.count("\n"))


def test_an_event_without_its_age_and_its_reporter_is_read(tmp_path: Path) -> None:
    text = "Events:\n  Warning  FailedScheduling  0/3 nodes are available: 3 Insufficient cpu.\n"
    assert recognise(head_of(text)).format_id == TEXT.id
    row = read(TEXT, text, tmp_path).rows["log_record"][0]
    assert (row["event"], row["line"]) == ("k8s.event.unschedulable", 2)
    assert "3 Insufficient cpu" in row["message"]


def test_the_pod_of_a_deployment_that_is_called_as_the_cluster_is_its_jobmanager(tmp_path: Path) -> None:
    others = "".join(f"other-7c9f6d8b7-x2x4{place}    0/1     CrashLoopBackOff   3   9m\n" for place in range(6))
    text = (
        "NAME                      READY   STATUS             RESTARTS   AGE\n"
        "orders-7c9f6d8b7-x2x4p    0/1     CrashLoopBackOff   3          9m\n"
        "orders-taskmanager-1-1    1/1     Running            0          9m\n"
    )
    records = read(FORMATS["kubernetes-text"], text + others, tmp_path).rows["log_record"]
    assert [each["line"] for each in records] == [2]


def test_a_pod_that_somebody_copied_alone_is_asked_about(tmp_path: Path) -> None:
    head = "NAME                     READY   STATUS             RESTARTS   AGE\n"
    pods = [f"orders-7c9f6d8b7-x2x4{place}   0/1     ImagePullBackOff   0          9m\n" for place in range(6)]
    for many, events in ((1, 1), (6, 0)):
        rows = read(FORMATS["kubernetes-text"], head + "".join(pods[:many]), tmp_path).rows
        assert len(rows.get("log_record", [])) == events


def test_events_whose_columns_a_copy_has_moved_are_read(tmp_path: Path) -> None:
    text = (
        "LAST SEEN   TYPE      REASON             OBJECT                                    MESSAGE\n"
        "2m  Warning  FailedScheduling  pod/a-taskmanager-1-1  0/3 nodes are available: 2 Insufficient cpu.\n"
    )
    (row,) = read(TEXT, text, tmp_path).rows["log_record"]
    assert (row["event"], row["process"]) == ("k8s.event.unschedulable", "taskmanager")
    assert "2 Insufficient cpu" in row["message"]


OF_A_DEPLOYMENT = """\
20m   Normal    Submit      flinkdeployment/orders            Starting deployment
19m   Warning   Unhealthy   pod/orders-868c48cf67-6qgrr       Startup probe failed: connect: connection refused
15m   Warning   BackOff     pod/orders-868c48cf67-6qgrr       Back-off restarting failed container
2m    Warning   BackOff     pod/web-868c48cf67-aaaaa          Back-off restarting failed container
"""


def test_rows_without_titles_are_read_and_the_pod_of_a_deployment_of_the_operator_is_flinks(tmp_path: Path) -> None:
    assert recognise(head_of(OF_A_DEPLOYMENT)).format_id == TEXT.id
    found = read(TEXT, OF_A_DEPLOYMENT, tmp_path)
    rows = [(row["line"], row["reason"], row.get("process")) for row in found.rows["log_record"]]
    assert rows == [(1, "Submit", None), (2, "Unhealthy", "jobmanager"), (3, "BackOff", "jobmanager")]
    assert found.coverage[0].warnings


def test_a_pod_of_a_deployment_that_no_row_says_to_be_the_operators_is_left_out(tmp_path: Path) -> None:
    text = OF_A_DEPLOYMENT.replace("flinkdeployment/orders", "flinkdeployment/other")
    assert [row["line"] for row in read(TEXT, text, tmp_path).rows["log_record"]] == [1]


@pytest.mark.parametrize("text", ["19m Warning of the disk\n", "5s   Normal   Life   goes on/off here\n"])
def test_a_sentence_is_no_row_of_events(text: str) -> None:
    assert recognise(head_of(text)).format_id != TEXT.id


def test_a_cell_that_is_empty_below_its_title_stays_empty(tmp_path: Path) -> None:
    text = (
        "LAST SEEN   TYPE      REASON             OBJECT                  MESSAGE\n"
        "2m          Warning   FailedScheduling   pod/a-taskmanager-1-1   \n"
    )
    (row,) = read(TEXT, text, tmp_path).rows["log_record"]
    assert row["message"].startswith("FailedScheduling: ")


LISTED = """\
NAME                                                                         READY   STATUS             RESTARTS   AGE
pod/flink-operator-controller-manager-6886b99d68-2ktzd   1/2   CrashLoopBackOff   112        43h
    Last State:     Terminated
      Reason:       OOMKilled
"""


def test_an_operators_own_pod_is_read_with_what_describes_it_below(tmp_path: Path) -> None:
    rows = read(TEXT, LISTED, tmp_path).rows["log_record"]
    assert [row["event"] for row in rows] == ["k8s.event.restarts", "mem.killed.137"]
    assert all("flink-operator-controller-manager" in row["message"] for row in rows)


@pytest.mark.parametrize("name", ["strimzi-cluster-operator-5d-x", "pod/cert-manager-7c-x"])
def test_operators_of_other_programs_are_left_out(name: str, tmp_path: Path) -> None:
    text = LISTED.replace("pod/flink-operator-controller-manager-6886b99d68-2ktzd", name)
    listed = text + "orders-taskmanager-1-1   1/1   Running   0   5m\n"
    table = "\n".join(each for each in listed.split("\n") if "State" not in each and "Reason" not in each)
    assert not read(TEXT, table, tmp_path).rows.get("log_record")
