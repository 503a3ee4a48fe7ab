"""The system behind an address that an exception names."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.outside_addresses import system_at


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("java.net.ConnectException: Connection refused: es-1/10.0.0.7:9200", "Elasticsearch"),
        ("Connect to ch-1:8123 [/10.0.0.5] failed: connect timed out", "ClickHouse"),
        ("host: ch-1, port: 8123; Connection refused", "ClickHouse"),
        ("Could not connect to address=(host=10.0.0.7)(port=3306)(type=master)", "MySQL"),
        ("No route to host: localhost/127.0.0.1:9092", "Kafka"),
        ("UnknownHostException: lake.s3.cn-north-1.amazonaws.com.cn", "S3"),
        ("UnknownHostException: lake.dfs.core.windows.net", "Azure"),
        ("UnknownHostException: lake.oss-cn-hangzhou.aliyuncs.com: Name or service not known", "Aliyun OSS"),
    ],
)
def test_a_port_or_a_providers_domain_names_the_system(text: str, system: str) -> None:
    assert system_at(text) == system


@pytest.mark.parametrize(
    "text",
    [
        "Connection refused: tm-2/10.0.0.8:6122",
        "Connection refused: jobmanager:8081",
        "at line 3:9200 of the statement in 2024-05-06 10:00:01",
        "value 9092 of order 5432",
        "UnknownHostException: db.internal.acme.com",
    ],
)
def test_flinks_ports_numbers_and_other_hosts_name_none(text: str) -> None:
    assert system_at(text) is None
