"""The history over many cases: similar cases, recurrences, statistics, timelines."""
