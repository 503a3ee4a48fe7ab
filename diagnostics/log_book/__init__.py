"""The records of an analysis in the order of time, kept for people to search: written once, read a few rows at a time.

Plain Arrow and Parquet: neither writing nor reading needs Spark or a JVM.
"""
