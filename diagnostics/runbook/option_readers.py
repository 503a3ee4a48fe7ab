"""Who reads a changed option, and when: the patterns by which a step knows what it has to start again."""

from __future__ import annotations

import re

OF_TASK_MANAGERS = re.compile(r"^(?:taskmanager|env\.java\.opts\.(?:all|taskmanager))\.?", re.MULTILINE)
OF_ALL_PROCESSES = re.compile(r"^(?:jobmanager|heartbeat|high-availability|akka|pekko|rest)\.", re.MULTILINE)
"""Options that the TaskManagers, or all processes, read when they start, and not with a job."""
OF_PLUGIN = re.compile(r"^[\w.-]+dir\s*:\s*(?:s3[ap]?|gs|abfss?|wasbs?|oss)://", re.MULTILINE)
"""Directories whose file system is a plugin, which a process loads when it starts. Source: Flink documentation, File
Systems: pluggable file systems."""
OF_JOB = re.compile(r"^((?:execution|pipeline|table)\.[\w.-]+)\s*:", re.MULTILINE)
"""Options that a client puts into the job when it submits it. Source: Flink's StreamExecutionEnvironment.configure."""
OF_STATE_BACKEND = re.compile(r"^state\.backend(?:\.type)?\s*:", re.MULTILINE)
"""Options whose change only a savepoint in canonical format survives. Source: Flink documentation, Checkpoints vs.
Savepoints."""
