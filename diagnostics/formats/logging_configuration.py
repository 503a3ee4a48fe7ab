"""Configuration of Flink's logging (log4j, log4j 2, logback): recognised so that its entry says what it cannot show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnostics.errors import LimitExceeded
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.text_lines import numbered_lines

MOST_BYTES = 1_048_576
"""Our choice: one takes a few kilobytes."""
MOST_LINE = 2_000
LEAST_SETTINGS = 3
"""Settings of logging from which on a file is one. Our choice: texts quote one or two."""
SILENT_LEVELS = ("WARN", "ERROR", "FATAL", "OFF")
"""Levels of the root logger without INFO. Source: Apache Log4j documentation, Log levels."""

_SETTING = re.compile(
    r"\s{0,8}(?:log4j\.)?(?:rootLogger|rootCategory|logger|appender|monitorInterval|additivity)[\w.$-]{0,200}\s{0,8}="
    r"|\s{0,80}</?(?:configuration|appenders?|loggers?|root|appender-ref|appenderref)\b",
    re.IGNORECASE,
)
_ROOT = re.compile(
    r"(?:log4j\.)?(?:rootLogger(?:\.level)?|rootCategory)\s{0,8}=\s{0,8}(\w{2,10})|<root\b[^>]{0,200}?\blevel=\"(\w{2,10})",
    re.IGNORECASE,
)


def _recognise(head: Head) -> float:
    if head.starts_as_json:
        return 0.0
    lines = head.text.splitlines()[:400]
    known = sum(_SETTING.match(line[:MOST_LINE]) is not None for line in lines)
    return 0.9 if known >= LEAST_SETTINGS and _ROOT.search(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("settings of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    records, level = 0, None
    for _, line in numbered_lines(part, MOST_LINE):
        records += _SETTING.match(line) is not None
        if not line.lstrip().startswith("#") and (found := _ROOT.search(line)):
            level = (found[1] or found[2]).upper()
    warnings = [say("it says which records are logged, not what happened: no finding comes from it")]
    if level in SILENT_LEVELS:
        warnings.append(
            say(
                "its root logger writes {level} and above: checkpoints, restarts and states are INFO records",
                level=level,
            )
        )
    yield Coverage(records=records, warnings=tuple(warnings))


FORMAT = Format(
    id="logging-configuration",
    title=to_say("Configuration of logging (log4j.properties, logback.xml)"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/",
    tables=(),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="conf/log4j.properties",
            text="# Allows this configuration to be modified at runtime.\n"
            "monitorInterval=30\n"
            "rootLogger.level = INFO\n"
            "rootLogger.appenderRef.file.ref = MainAppender\n"
            "logger.kafka.name= org.apache.kafka\n"
            "logger.kafka.level = INFO\n"
            "appender.main.type = RollingFile\n",
            rows={},
        ),
        Sample(
            name="conf/log4j-cli.properties",
            text="log4j.rootLogger=WARN, file\n"
            "log4j.appender.file=org.apache.log4j.FileAppender\n"
            "log4j.appender.file.append=false\n"
            "log4j.logger.org.apache.flink=WARN\n",
            rows={},
        ),
        Sample(
            name="conf/logback.xml",
            text='<configuration>\n    <appender name="file" class="ch.qos.logback.core.FileAppender">\n'
            '    </appender>\n    <root level="INFO">\n        <appender-ref ref="file"/>\n    </root>\n'
            "</configuration>\n",
            rows={},
        ),
    ),
)
