"""Folders that this program and Spark's workers reach alike: a path that all of them mount, or a URL."""
