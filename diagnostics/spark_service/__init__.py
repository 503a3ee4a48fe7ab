"""The Spark server as a program: `python -m diagnostics.spark_service serve|cluster|prepare`.

The roof of the house: it starts the server, warms it up with a small analysis, and names what Python workers preload.
"""
