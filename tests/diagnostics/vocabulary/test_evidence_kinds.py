"""What people are asked to add: the commands are copied into a shell as they stand."""

import re
import subprocess

import pytest

from diagnostics.diagnosis.missing import needs
from diagnostics.language import CHINESE, ENGLISH, in_reader_language, reading_in

NO_COMMANDS = {"barrier-logs", "database-log", "disk-space", "rocksdb-log"}
"""Kinds of evidence that a setting or a query brings."""


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
@pytest.mark.parametrize("kind", sorted(needs().keys() - NO_COMMANDS))
def test_a_command_can_be_copied_into_a_shell(kind: str, language: str) -> None:
    with reading_in(language):
        how = in_reader_language(needs()[kind].how).replace("{collect}", "python3 collect_flink.py")
    command = re.sub(r"<[\w ]+>", "word", how)
    assert subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False).returncode == 0, how
    run = command.partition("  # ")[0]
    assert not re.search(r", or |[\uff0c\uff08]|\)$|\w,$", run), how
