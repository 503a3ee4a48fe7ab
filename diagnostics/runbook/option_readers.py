"""Who reads a changed option, and when: the patterns by which a step knows what it has to start again."""

from __future__ import annotations

import re

from diagnostics.evidence.subject import Lookup

OF_TASK_MANAGERS = re.compile(r"^(?:taskmanager|env\.java\.opts\.(?:all|taskmanager))\.?", re.MULTILINE)
OF_ALL_PROCESSES = re.compile(r"^(?:jobmanager|heartbeat|high-availability|akka|pekko|rest)\.", re.MULTILINE)
"""Options that the TaskManagers, or all processes, read when they start, and not with a job."""
OF_PLUGIN = re.compile(r"^[\w.-]+dir\s*:\s*(?:s3[ap]?|gs|abfss?|wasbs?|oss)://", re.MULTILINE)
"""Directories whose file system is a plugin, which a process loads when it starts. Source: Flink documentation, File
Systems: pluggable file systems."""
OF_JOB = re.compile(r"^((?:execution|pipeline|table)\.[\w.-]+)\s*:", re.MULTILINE)
"""Options that a client puts into the job when it submits it. Source: Flink's StreamExecutionEnvironment.configure."""
OF_CLUSTER_UNLESS_STATED = ("execution.checkpointing.savepoint-dir",)
"""Options of OF_JOB that a JobManager takes from its own configuration also for a job that it recovers, unless the job
was submitted with one. Source: Flink's CheckpointStorageLoader, load."""
OF_STATE_BACKEND = re.compile(r"^state\.backend(?:\.type)?\s*:", re.MULTILINE)
"""Options whose change only a savepoint in canonical format survives. Source: Flink documentation, Checkpoints vs.
Savepoints."""


def kept_by_recovery(changed: str, lookup: Lookup) -> list[str]:
    """The changed options that stay as a job was submitted with, when high availability recovers it."""
    stated = lookup("settings.savepoint_dir") is not None
    own = dict.fromkeys(OF_JOB.findall(changed))
    return [each for each in own if stated or each not in OF_CLUSTER_UNLESS_STATED]
