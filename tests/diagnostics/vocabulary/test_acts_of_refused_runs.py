"""What the runtime, its clients and its REST API refuse, by the sentence of Flink's own sources."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Watermark alignment is not supported in concurrent execution attempts scenario", "speculative.enabled"),
        ("Cannot set a custom UID hash on a non-legacy sink", "CustomSinkOperatorUidHashes"),
        ("java.lang.UnsupportedOperationException: Type mismatch in input LegacySource{id=2}", "connect("),
        ("InvalidTypesException: This key operation requires a composite type such as Tuples", "keyBy(value"),
        ("Externalized checkpoints enabled, but no cleanup mode configured.", "RETAIN_ON_CANCELLATION"),
        ("java.lang.UnsupportedOperationException: State is not supported.", "getEventsForPattern"),
        ("The requested state does not exist. Check for typos in your state descriptor, or", "MapStateDescriptor"),
        ("Current State Backend doesn't support async access, AsyncExecutionController could", "forst"),
        ("User functions are not allowed to implement CheckpointedFunction AND ListCheckpointed.", "Remove"),
        ("For heap backends, the new namespace serializer (a) must be compatible with the old", "new uid"),
        ("Tried to restore timers for the same service with different key serializers.", "keyBy"),
        ("Rescaling max parallelism from 128 to 256 is not allowed: x", "pipeline.max-parallelism: 128"),
        ("The upload for 12 has already failed previously", "dstl.dfs.upload.timeout"),
        ("The threshold for file state size cannot be larger than 1048576", "data-inline-threshold"),
        ("Job did not reach the FINISHED state while performing stop-with-savepoint.", "start from that savepoint"),
        (
            "The DefaultScheduler does not support changing the parallelism without a job restart.",
            "jobmanager.scheduler: adaptive",
        ),
        ("Flink does not support triggering incremental checkpoint explicitly. See FLINK-33723.", "CONFIGURED"),
        ("Could not find checkpointing statistics for checkpoint 7.", "web.checkpoints.history"),
        ("NotFoundException: Operation not found under key: AsynchronousJobOperationKey{}", "rest.async.store"),
        ("The requested operation is not available while the JobManager is initializing.", "INITIALIZING"),
        ("RestHandlerException: No jobs included in application.", "env.execute()"),
        (
            "org.apache.flink.runtime.rest.handler.RestHandlerException: Jar file /a/b.jar does not exist",
            "web.upload.dir",
        ),
        ("There isn't a log file in TaskExecutor", "taskmanager.log.path"),
        (
            "Key: 'historyserver.archive.fs.dir' , default: null (fallback keys: []) was not configured.",
            "jobmanager.archive.fs.dir",
        ),
        ("There is an inconsistency between loaded delegation token providers and receivers.", "plugins/"),
        ("FlinkException: The discovery script /a/gpu.sh is not executable.", "chmod +x"),
        ("Per-Job Mode not supported by Active Kubernetes deployments.", "-t kubernetes-application"),
        ("UnsupportedOperationException: Can't deploy a standalone cluster.", "execution.target"),
        ("KubernetesClientException: Load kubernetes config failed.", "kubernetes.config.file"),
        ("FlinkExpectedException: Task manager could not be registered to SlotManager.", "slotmanager.max-total"),
        (
            "TaskManager a re-registered with a new session id. This indicates a restart of the TaskManager.",
            "OOMKilled",
        ),
        ("since current KubernetesCheckpointIDCounter does not have the leadership.", "kubernetes.cluster-id"),
        ("Please verify that all components have the same version.", "exactly one Flink release"),
        ("java.io.IOException: Could not create root directory for local recovery: /tmp/a", "fsGroup"),
        ("Not enough memory left to reserve from the slot's managed memory.", "consumer-weights"),
        ("fail-on-missing-field and ignore-parse-errors shouldn't both be true.", "'json.fail-on-missing-field'"),
        ("Option avro-confluent.subject is required for serialization", "'<topic>-value'"),
        ('The Avro schema is not a nullable type: ["string","long","null"]', "NOT NULL"),
        ("Failed to find related Parquet column descriptor with type optional int64 a", "parquet-tools"),
        (
            "Please implement available reader for compaction: BulkFormat, FileInputFormat.",
            "'auto-compaction' = 'false'",
        ),
        ("Can not new instance for custom class from a.B", "without arguments"),
        ("java.io.IOException: Failed to deserialize PB object.", "message-class-name"),
    ],
)
def test_the_act_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
