"""Messages of services that only one cloud has name the act that repairs them, and not that of another service."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, remedy_of

HOLOGRES = "com.alibaba.hologres.client.exception.HoloClientException: "
DATAHUB = "com.aliyun.datahub.client.exception."
LOGS = "com.aliyun.openservices.log.exception.LogException: "
TUNNEL = "com.aliyun.odps.tunnel.TunnelException: RequestId=1, ErrorCode="
KINESIS = "software.amazon.awssdk.services.kinesis.model."
ACTS = [
    (f"{TUNNEL}SlotExceeded, ErrorMessage=Your slot quota is exceeded.", "Lower the parallelism"),
    (f"{TUNNEL}StatusConflict, ErrorMessage=The download session is expired", "opens a new session"),
    ("ErrorMessage=Authorization Failed [4019], You have NO privilege 'odps:Describe' on p", "GRANT Describe"),
    (f"{LOGS}ShardNotExist: Shard 2 does not exist", "without its old position"),
    (f"{DATAHUB}ShardSealedException: [errorCode:InvalidShardOperation]", "start it anew"),
    ("TableStoreException: Validate PK size fail. Input: 1, Meta: 2.", "PRIMARY KEY"),
    (f"{HOLOGRES}ERROR: Rejected by ip white list. db = d, usr=u", "IP white list"),
    (f"{HOLOGRES}FATAL: remaining connection slots are reserved", "connectionPoolName"),
    ("PSQLException: FATAL: remaining connection slots are reserved", "max_connections"),
    (f"{HOLOGRES}ERROR: no table is defined in publication p", "DROP PUBLICATION"),
    ("The GRPC call timed out in sqlserver, please check the thread", "flink.sqlserver.rpc.execution.timeout"),
    ("gRPC message exceeds maximum size 41943040: 58384051", "table.exec.operator-name.max-length"),
    ("gRPC message exceeds maximum size 4194304: 5838405", "maxInboundMessageSize"),
    ("FileNotFoundException: No such file or directory: s3://b/_part-2-1_tmp_1", "without its state"),
    ("SaslAuthenticationException: [a1b2]: Access denied", "kafka-cluster:Connect"),
    ("SaslAuthenticationException: [a1b2]: Too many connects", "reconnect.backoff.ms"),
    ("StsException: Not authorized to perform sts:AssumeRoleWithWebIdentity", "trust policy"),
    (f"{KINESIS}ResourceNotFoundException: Stream s under account 1 not found.", "aws.region"),
    (f"{KINESIS}LimitExceededException: Too many registered consumers for stream s", "deregister-stream-consumer"),
    ("AzureADAuthenticator$HttpException: HTTP Error 401; AADSTS7000222: The secret is expired", "client.secret"),
    ("CosServiceException: com.qcloud.cos: The specified bucket does not exist.", "AppId"),
    ("com.aliyun.oss.OSSException: The specified bucket does not exist.", "fs.oss.endpoint"),
    ("Class org.apache.hadoop.fs.obs.metrics.OBSAMetricsProvider not found", "scope provided"),
    ("Class com.amazon.ws.emr.hadoop.fs.EmrFileSystem not found", "/usr/share/aws/emr/emrfs"),
]


@pytest.mark.parametrize(("said", "named"), ACTS)
def test_the_remedy_names_what_to_do_at_the_service(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize("said", ["RedisException: Invalid cursor", "SolrException: NoSuchShard", "NoSuchTopic: t"])
def test_a_name_that_several_services_use_is_of_none_of_them(said: str) -> None:
    assert known_message(said) is None
