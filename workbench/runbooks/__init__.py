"""Who did which step of which runbook, when, with what result."""
