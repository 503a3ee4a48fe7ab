"""How facts become sentences: formats of values, units, and the names that options have in a version of Flink."""
