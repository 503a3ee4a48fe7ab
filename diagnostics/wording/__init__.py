"""Sentences from facts: formats of values, units, and option names by version of Flink."""
