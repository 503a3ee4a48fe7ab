"""Load of tasks and subtasks: records, busy time, back pressure and where it begins."""
