"""What each job is configured with, and which release of Flink runs it."""
