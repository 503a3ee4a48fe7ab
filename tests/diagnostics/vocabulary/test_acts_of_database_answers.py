"""What a database answers leads to the act that repairs it, in Dameng's and Kingbase's own language, too."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.wording.phrase import split_sentences

DAMENG = "dm.jdbc.driver.DMException: "
NEO4J = "org.neo4j.driver.exceptions."
CASSANDRA = "java.lang.IllegalStateException: Since you provided explicit contact points, the local DC must be"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (f"{DAMENG}无效的表或视图名[T1]", "'<SCHEMA>.<TABLE>'"),
        (f"{DAMENG}第1 行附近出现错误:\n无效的列名[id]", "ALL_TAB_COLUMNS"),
        (f"{DAMENG}网络通信异常", "5236"),
        ('com.kingbase8.util.KSQLException: 错误: 关系 "a" 不存在', "search_path"),
        ("java.sql.SQLRecoverableException: ORA-03135: connection lost contact", "alert log"),
        ("SQLSyntaxErrorException: INSERT command denied to user 'a'@'10.0.0.1' for table 'b'", "GRANT"),
        ("PSQLException: ERROR: cannot execute INSERT in a read-only transaction", "primary"),
        (f"{CASSANDRA} explicitly set (see basic.load-balancing-policy.local-datacenter)", "withLocalDatacenter"),
        ("java.sql.SQLException: Write conflict, txnStartTS=1", "PRIMARY KEY"),
        ("java.sql.SQLException: [Vertica][VJDBC](5065) ERROR: Too many ROS containers exist", "Write less often"),
        ("java.lang.UnsatisfiedLinkError: no taos in java.library.path", "jdbc:TAOS-WS://"),
        (f"{NEO4J}ClientException: Node(1) already exists with label `A` and property `id` = 1", "MERGE"),
        ("MongoWriteException: An upsert on a sharded collection must contain the shard key", "PRIMARY KEY"),
        (
            "TunnelException: ErrorCode=InvalidPartition, ErrorMessage=The partition format is invalid",
            "'<column>=<value>'",
        ),
        ("RedisConnectionException: Unable to connect to redis/<unresolved>:6379", "every TaskManager"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]
