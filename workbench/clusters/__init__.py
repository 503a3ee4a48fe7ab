"""Flink clusters that an administrator listed, and the collection of evidence from them."""
