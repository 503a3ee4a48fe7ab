"""The time of a record in JSON: a custom pattern, or the instant of log4j where the pattern cannot be read."""

import json

from diagnostics.log_scan.json_lines import text_of

RECORD = {"level": "INFO", "loggerName": "org.apache.flink.A", "message": "Job switched", "thread": "main"}


def line(**fields: object) -> bytes:
    return json.dumps({**RECORD, **fields}).encode()


def test_an_underscore_between_date_and_time() -> None:
    text = text_of(line(**{"@timestamp": "2020-11-27_02:55:53.417"}))
    assert text == "2020-11-27 02:55:53.417 [main] INFO org.apache.flink.A - Job switched"


def test_the_instant_stands_in_for_a_time_that_cannot_be_read() -> None:
    instant = {"epochSecond": 1606445753, "nanoOfSecond": 417000000}
    text = text_of(line(instant=instant, **{"@timestamp": "27. Nov, 3 Uhr"}))
    assert (text or "").startswith("2020-11-27 02:55:53.417 ")
