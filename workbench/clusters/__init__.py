"""Flink clusters listed by administrators, and the collection of evidence from them."""
