"""Which copied texts name a cause."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.copied_error import names_cause


@pytest.mark.parametrize(
    "text",
    [
        "tee: job_check_log: Permission denied",
        "changelog mode is not INSERT_ONLY, primary key is required but",
        "Reason:       OOMKilled",
        "Container is running beyond physical memory limits. Current usage: 2.1 GB of 2 GB physical memory used.",
        "Error while parsing YAML configuration file : security.kerberos.login.keytab",
    ],
)
def test_a_message_of_the_catalogues_names_a_cause(text: str) -> None:
    assert names_cause(text)


@pytest.mark.parametrize("text", ["", "select * from orders", "replicas: 2\nimage: flink:1.20\n", "{}"])
def test_other_texts_name_none(text: str) -> None:
    assert not names_cause(text)
