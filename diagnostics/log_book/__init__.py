"""The log records of an analysis in time order, for searching: written once, read a few rows at a time.

Plain Arrow and Parquet: neither writing nor reading needs Spark or a JVM.
"""
