"""What YARN and Flink's processes say when they do not start or find each other, and the act that it decides."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

FENCED = "FencingTokenException: Fencing token mismatch: Ignoring message RemoteFencedMessage("
ZEROS = "00000000000000000000000000000000"
SAID = (
    (FENCED + ZEROS + ", RemoteRpcInvocation(ResourceManagerGateway.registerTaskExecutor", "same high-availability.*"),
    (
        FENCED + "9f31, x) because the fencing token 9f31 did not match the expected fencing token " + ZEROS,
        "JobManager",
    ),
    ("Could not accept TaskManager registration\nTaskManager address tm-2.svc cannot be resolved. tm-2.svc", "ip"),
    ("Application a submitted by user root application rejected by placement rules.", "yarn.application.queue"),
    ("The JobManager memory (512) is below the minimum required memory amount of 768 MB", "-jm 768"),
    ("The number of virtual cores per node were configured with 16 but Yarn only has 8", "yarn.containers.vcores"),
    ("Application a submitted by user flink to unknown queue: prod", "Name a queue that exists"),
    ("The file system scheme is 'file'. This indicates that the specified Hadoop path is wrong", "HADOOP_CONF_DIR"),
    ("Could not build the program from JAR file.", "HADOOP_CLASSPATH"),
    (
        "org.apache.flink.shaded.netty4.io.netty.channel.ConnectTimeoutException: connection timed out: /10.4.0.1:8081",
        "no outside system",
    ),
)


@pytest.mark.parametrize(("said", "named"), SAID)
def test_a_message_of_a_deployment_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_host_that_does_not_know_itself_is_told_so() -> None:
    said = "java.net.UnknownHostException: agent: agent: Name or service not known"
    assert "/etc/hosts" in (remedy_of(said, ("java.net.InetAddress.getLocalHost",)) or "")
