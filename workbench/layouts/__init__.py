"""Layouts of logs that this workbench knows beside the shipped ones."""
