"""Memory that runs out and class loaders that stay are shown with the act that repairs them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.memory_beyond_model import taken_beyond_model
from diagnostics.vocabulary.message_remedies import remedy_of

HEAP = "java.lang.OutOfMemoryError: Java heap space"
CLOSED = "java.lang.IllegalStateException: Trying to access closed classloader. Please check if you store"


@pytest.mark.parametrize(
    ("thrown_in", "named"),
    [
        ("org.apache.flink.core.memory.DataOutputSerializer.resize", "Make single records smaller"),
        ("org.apache.flink.runtime.io.network.api.serialization.SpanningWrapper.addNextChunk", "single records"),
        ("org.apache.flink.runtime.state.PartitionableListState.deepCopy", "Keep less in operator state"),
        ("org.apache.flink.connector.base.sink.writer.AsyncSinkWriter.write", "setMaxBufferedRequests"),
        ("com.google.common.cache.LocalCache$Segment.put", "lookup.partial-cache.max-rows"),
        (
            "org.apache.flink.streaming.api.operators.async.queue.UnorderedStreamElementQueue.tryPut",
            "Lower the capacity",
        ),
        ("org.apache.flink.runtime.webmonitor.history.FsJobArchivist.archiveJob", "jobstore.max-capacity"),
        ("com.ververica.cdc.connectors.mysql.source.assigners.ChunkSplitter.splitEvenlySizedChunks", "fewer chunks"),
        ("org.apache.flink.cdc.connectors.mysql.debezium.reader.SnapshotSplitReader.pollSplitRecords", "smaller"),
    ],
)
def test_the_code_that_filled_the_heap_decides_the_act(thrown_in: str, named: str) -> None:
    assert named in (remedy_of(HEAP, [thrown_in]) or "")


def test_a_closed_class_loader_is_about_the_thread_and_not_about_its_check() -> None:
    assert (remedy_of(CLOSED, ["com.acme.ConfigPoller.run"]) or "").startswith("End the thread that outlives its job")
    assert "Hadoop out of the job's jar" in (
        remedy_of(CLOSED, ["org.apache.hadoop.conf.Configuration.getResource"]) or ""
    )


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("env.java.opts.taskmanager", "-Xmx5g -XX:+UseG1GC", "Take -Xmx"),
        ("env.java.opts.taskmanager", "-XX:+UseG1GC", None),
        ("state.backend.rocksdb.memory.fixed-per-slot", "2g", "fixed-per-slot"),
        ("containerized.taskmanager.env.DISABLE_JEMALLOC", '"true"', "Remove DISABLE_JEMALLOC"),
        ("taskmanager.memory.jvm-overhead.fraction", "0.01", "0.1 or more"),
        ("taskmanager.memory.jvm-overhead.fraction", "0.2", None),
    ],
)
def test_options_that_take_memory_beyond_the_model(key: str, value: str, named: str | None) -> None:
    taken = taken_beyond_model([(key, value)])
    assert (named in taken[1] and taken[0] == f"{key}: {value}") if named and taken else taken is None
