"""Folders that this program and Spark's workers share: a mounted path, or a URL."""
