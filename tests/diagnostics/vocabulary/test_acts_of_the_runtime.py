"""What operators, tasks and checkpoints refuse while a job runs is shown with the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            "Illegal thread detected. This method must be called from inside the mailbox thread!",
            "ResultFuture",
        ),
        ("A KeyedBroadcastProcessFunction can only be used on a keyed stream.", "stream.keyBy"),
        ("IllegalStateException: Network stream corrupted: received incorrect magic number.", "data port"),
        ("TaskSubmissionException: Could not deserialize the job or task information.", "same Flink release"),
        (
            "TaskSubmissionException: Could not re-integrate offloaded TaskDeploymentDescriptor data.",
            "blob.server.port",
        ),
        ("IOException: The spill file is corrupt: premature end of file", "io.tmp.dirs"),
        (
            "IllegalStateException: Cannot get old subtasks from a descriptor that represents no state.",
            "FLINK-38483",
        ),
        (
            "IllegalStateException: Incompatible subtask mappings: are multiple operators ingesting/producing",
            "parallelism of each operator",
        ),
        ("IllegalStateException: Recovered a buffer from old X that has no mapping in {}", "take a savepoint"),
        (
            "KryoException: NullPointerException bulkOperationVariant"
            " (org.apache.flink.connector.elasticsearch.sink.Operation)",
            "flink-connector-elasticsearch7",
        ),
        ('CompileException: Line 7, Column 30: Cannot determine simple type name "com"', "ADD JAR"),
        ("HeapMapState cannot be cast to org.apache.flink.api.common.state.ListState", "a name of its own"),
        ("Keyed state 'sum' with type VALUE can only be used on a 'keyed stream', i.e., after a 'keyBy()'", "keyBy"),
        (
            "Integer cannot be cast to java.lang.String. Failed to push OutputTag with id 'late' to operator.",
            "OutputTag",
        ),
        ("IllegalArgumentException: Key group index out of range of key group range [16, 32).", "hashCode"),
        (
            "java.util.ArrayList$Itr@a1cdc6d is not serializable. The implementation accesses fields",
            "fromCollection(list)",
        ),
        (
            "InvalidProgramException: com.acme.Client@1 is not serializable. The object probably contains or",
            "transient",
        ),
        ("Per-window state is not allowed when using merging windows.", "globalState()"),
        ("This trigger does not support merging.", "canMerge()"),
        ("This aggregate function cannot be a RichFunction.", "ProcessWindowFunction"),
        (
            "FlinkRuntimeException: The TypeHint is using a generic variable.This is not supported",
            "new TypeHint<Tuple2",
        ),
        ("Row arity of record (3) does not match this serializer's field length (2).", "Row.of"),
        (
            "an event in channel 0 while still having data from a record. This indicates broken serialization logic.",
            "duplicate()",
        ),
        ("All sources except the final source need to be bounded.", "setBounded"),
        (
            "request entry was of size [2000000], when the maxRecordSizeInBytes was set to [1048576].",
            "smaller",
        ),
        (
            "The transformation does not support async state, or you are enabling the async state without a keyed",
            "enableAsyncState()",
        ),
        ("State second does not exist in the NFA. NFA has states [first]", "new uid"),
        ("Cannot change the parallelism of a job running in reactive mode.", "number of TaskManagers"),
        (
            "dlopen(x.jnilib): (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64e'))",
            "x86_64 JDK",
        ),
        (
            "0 bytes are remaining. This usually indicates that you are requesting more memory than you have reserved",
            "managed",
        ),
        (
            "Buffer request timeout, this means there is a fierce contention of the batch shuffle read memory",
            "batch-shuffle.size",
        ),
        (
            "Can't allocate enough direct buffer for batch shuffle read buffer pool (bytes allocated: 62652416)",
            "leave taskmanager.memory.framework.off-heap.batch-shuffle.size",
        ),
        ("Too few sort buffers, please increase taskmanager.network.sort-shuffle.min-buffers.", "512"),
        ("IOException: Temporary file directory '/data/tmp' is not writable.", "io.tmp.dirs"),
        (
            "File /in.csv does not exist or the user running Flink ('flink') has insufficient permissions",
            "every TaskManager",
        ),
        ("RuntimeException: No data for required key 'input'", "behind the jar"),
        (
            "RocksDBException: IO error: No such file or directory: While open a file for random read: /tmp/db/7.sst",
            "localdir",
        ),
        ("Cannot use unaligned checkpoints with AT_LEAST_ONCE checkpointing mode", "EXACTLY_ONCE"),
        ("The scheme (hdfs://, file://, etc) is null. Please specify the file system scheme explicitly", "s3://bucket"),
        ("Parallelism 300 is not smaller or equal to max parallelism 128.", "at most"),
        ("Canonical savepoints are not supported by ForSt State Backend.", "-type native"),
        (
            "Recovering commit failed for object a. Object does not exist and MultiPart Upload b is not valid.",
            "AbortIncompleteMultipartUpload",
        ),
        ("RuntimeException: Could not extract key from Event(1)", "filter such records"),
    ],
)
def test_what_a_running_job_refuses_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        (
            "NullPointerException",
            "org.apache.flink.runtime.state.KeyGroupRangeAssignment.assignToKeyGroup",
            "returned null",
        ),
        (
            "ArrayIndexOutOfBoundsException: -49",
            "org.apache.flink.runtime.state.heap.KeyGroupPartitionedPriorityQueue.getKeyGroupSubHeapForElement",
            "hashCode",
        ),
        (
            "IndexOutOfBoundsException: Index 116 out of bounds for length 1",
            "com.esotericsoftware.kryo.util.MapReferenceResolver.getReadObject",
            "Kryo 5",
        ),
    ],
)
def test_an_exception_of_java_names_its_act_by_the_frame_of_flink(said: str, frame: str, named: str) -> None:
    assert named in (remedy_of(said, (frame,)) or "")
    assert remedy_of(said, ("com.acme.Enrich.map",)) is None
