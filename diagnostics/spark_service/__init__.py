"""The Spark server as a program: `python -m diagnostics.spark_service serve|cluster|prepare`.

The top layer: it starts the server, warms it up with a small analysis, and selects the modules that Python workers
preload.
"""
