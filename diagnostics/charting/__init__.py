"""Shared parts of charts: the type of a chart, panels with one time axis, and the colours. Only charts use Plotly.

The type is here and not in `charts/`, because panel and theme depend on it and every chart uses them.
"""
