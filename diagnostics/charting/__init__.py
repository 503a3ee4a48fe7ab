"""What charts share: the contract of a chart, panels with one time axis, and the colours. Only charts use Plotly.

The contract lies here and not in `charts/`, since panel and theme are written in its terms and every chart uses them.
"""
