"""What Paimon, Iceberg and Fluss refuse, by the sentence of their own sources."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.lang.UnsupportedOperationException: Cannot drop primary keys on a non-empty table.", "without PRIMARY"),
        ("Cannot change deletion vectors mode from false to true. If modifying table", "compact_strategy => 'full'"),
        (
            "Cannot delete branch 'b1' because it is configured as 'scan.fallback-branch'. Unset",
            "RESET ('scan.fallback-branch'), and then delete b1",
        ),
        ("Cannot support 'pk-clustering-override' mode without 'clustering.columns'.", "'clustering.columns'"),
        ("java.lang.RuntimeException: Cannot find earliest snapshot from #1 to #9.", "'snapshot.time-retained'"),
        (
            "Exception occurs when committing snapshot #5 by user a with identifier 7 and kind APPEND. Cannot clean up"
            " because we can't determine the success.",
            "last checkpoint",
        ),
        ("For Data Evolution table, multiple 'MERGE INTO' and 'COMPACT' operations have", "one MERGE INTO or COMPACT"),
        ("Delete does not support regular append-only tables. Only primary-key", "INSERT OVERWRITE"),
        ("If both matched-upsert and matched-delete actions are present, their", "--merge_actions"),
        ("Number Executors can not be changed! Old 1 , New 2 .", "former parallelism"),
        ("Format Table doesn't support changelog mode.", "append-only query"),
        ("Unable to truncate a table with deletion vectors enabled.", "truncate.table"),
        (
            "File /tmp/p/a does not exist or the user running Paimon ('flink') has insufficient permissions to access"
            " it.",
            "hdfs://",
        ),
        ("Hive DDL and paimon schema mismatched! It is recommended not to write any", "without columns"),
        ("Failed to create the desired metastore client (class name: a)", "flink-sql-connector-hive"),
        ("CommitFailedException: Cannot commit a: metadata location b has changed from c", "one writer"),
        ("Cannot set namespace properties db : setProperties is not supported", "without WITH"),
        ("Cannot commit a because Glue encountered a validation exception while accessing", "Glue refuses"),
        ("java.lang.IllegalStateException: Connection to Zookeeper timed out", "flink-maintenance.lock"),
        ("UncheckedIOException: Failed to load Google credentials", "gcp.auth.credentials-path"),
        ("Class a.B does not implement DynamicRecordGeneratorSQL", "DynamicTableRecordGenerator"),
        ("Cannot write equality-deletes for unsupported file format: ORC", "'write.delete.format.default'"),
        ("ValidationException: Can't index multiple DVs for a: b and c", "rewrite the named data file"),
        ("java.lang.RuntimeException: Failed to discover new splits", "max-allowed-planning-failures"),
        ("CommitFailedException: Failed to heartbeat for lock: 5", "hive.txn.timeout"),
        ("Database properties should not contain key: 'comment'.", "COMMENT"),
        ("Creation of Log Tables is disallowed in the cluster.", "allow.create.log.tables"),
        ("DELETE is not supported for the first_row merge engine.", "'table.delete.behavior' = 'ignore'"),
        ("Column projection is only supported for ARROW format, but the table a is", "'table.log.format' = 'ARROW'"),
        ("Explicitly specifying values for the auto increment column id is not allowed.", "leave id out"),
        ("Column __bucket conflicts with a system column name of paimon table", "Rename the column"),
        (
            "'table.datalake.format' ('paimon') must match cluster 'datalake.format' ('iceberg') when",
            "server.yaml",
        ),
        ("Duplicate kv tablet directories for bucket a are found in both b and c.", "data.dirs"),
    ],
)
def test_the_act_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
