"""Acts for messages of platforms and schedulers that submit jobs."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("message", "act"),
    [
        ("java.io.FileNotFoundException: JAR file does not exist: -yn", "-yn"),
        ("Plugin PluginIdentifier{engineType='seatunnel', pluginType='transform', pluginName='Copy'}", "lib/"),
        ("The program's entry point class 'org.apache.seatunnel.core.flink.SeatunnelFlink' was not found", "starter"),
        ("ClusterRetrieveException: Could not create the RestClusterClient.", "NodePort"),
        ("OperationHandle [type=EXECUTE_STATEMENT] failed to generate operation log", "1.7.0"),
        ("Exception: Flink version: '2.0' is not supported yet", "shims"),
        ("Consumed a record from topic [orders], but no routing config was specified.", "module.yaml"),
        ("Maximal request time has elapsed. Last cause is attached", "transport.timeouts.call"),
        ("Java version is less than 17, please use python MCP server.", "Java 17"),
        ("TooLongFrameException: Response entity too large: DefaultHttpResponse", "rest.client.max-content-length"),
    ],
)
def test_a_message_of_a_platform_has_its_act(message: str, act: str) -> None:
    assert act in (remedy_of(message) or "")
