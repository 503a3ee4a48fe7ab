"""The history over many cases: similar cases, recurrences by the times in the evidence, statistics, timelines."""
