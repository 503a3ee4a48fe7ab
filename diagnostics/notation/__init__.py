"""Notations of Flink and the JVM that several formats share: names, values, stacks and documents."""
