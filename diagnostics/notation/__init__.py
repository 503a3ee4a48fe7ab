"""How Flink and the JVM write things down: names, values, stacks and documents, for the formats to share."""
