"""Counts of what happened since the installation, for the metrics of the workbench itself."""
