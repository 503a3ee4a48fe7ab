"""Flink clusters that an administrator listed, and the collecting of evidence from them."""
